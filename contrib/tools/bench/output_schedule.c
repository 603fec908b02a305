#include "output_schedule.h"

#include <stdio.h>

#include "output_print.h"

enum { N_COLUMNS = 6 };

static void columns_of(const struct bench_schedule_result *result,
                       struct bench_column columns[N_COLUMNS])
{
    columns[0] = (struct bench_column){"broadcast", result->number, 0};
    columns[1] = (struct bench_column){"bytes", (double) result->wanted.bytes, 0};
    columns[2] = (struct bench_column){"at_s", (double) result->wanted.at_ns * 1e-9, 6};
    columns[3] = (struct bench_column){"begun_s", (double) result->begun_ns * 1e-9, 6};
    columns[4] = (struct bench_column){"time_us", (double) result->taken_ns / 1e3, 3};
    columns[5] = (struct bench_column){"again", result->n_again, 0};
}

void bench_output_schedule_head(void)
{
    printf("#%9s %10s %10s %10s %12s\n", "broadcast", "bytes", "at s", "begun s", "time us");
}

void bench_output_schedule_csv_names(void)
{
    const struct bench_schedule_result none = {.number = 0};
    struct bench_column columns[N_COLUMNS];
    columns_of(&none, columns);
    bench_print_csv_names(columns, N_COLUMNS);
}

void bench_output_schedule_result(struct bench_output *output,
                                  const struct bench_schedule_result *result)
{
    struct bench_column columns[N_COLUMNS];
    columns_of(result, columns);
    if (output->options->format == BENCH_CSV) {
        bench_output_csv_head(output);
        bench_print_csv(columns, N_COLUMNS);
        putchar('\n');
    } else if (output->options->format == BENCH_JSON) {
        bench_add_columns(common_json_object(output->results, NULL), columns, N_COLUMNS);
    } else {
        printf("%10d %10lld", result->number, result->wanted.bytes);
        bench_print_cell(10, 3, columns[2].value);
        bench_print_cell(10, 3, columns[3].value);
        bench_print_cell(12, 1, columns[4].value);
        putchar('\n');
    }
    output->n_results++;
    fflush(stdout);
}
