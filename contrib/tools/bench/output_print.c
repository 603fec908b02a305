#include "output_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double bench_microseconds(double ns, int n)
{
    return n > 0 ? ns / 1e3 : NAN;
}

void bench_print_csv(const struct bench_column *columns, int n)
{
    for (int i = 0; i < n; i++) {
        putchar(',');
        if (!isnan(columns[i].value)) {
            printf("%.*f", columns[i].decimals == BENCH_FLAG ? 0 : columns[i].decimals,
                   columns[i].value);
        }
    }
}

void bench_print_csv_names(const struct bench_column *columns, int n)
{
    for (int i = 0; i < n; i++) {
        printf(",%s", columns[i].name);
    }
}

void bench_add_columns(common_json_t to, const struct bench_column *columns, int n)
{
    for (int i = 0; i < n; i++) {
        const struct bench_column *column = &columns[i];
        if (isnan(column->value) || column->decimals > 0) {
            common_json_real(to, column->name, column->value, column->decimals);
        } else if (column->decimals == BENCH_FLAG) {
            common_json_truth(to, column->name, column->value != 0);
        } else {
            common_json_integer(to, column->name, (int64_t) column->value);
        }
    }
}

void bench_print_cell(int width, int decimals, double value)
{
    if (isnan(value)) {
        printf(" %*s", width, "-");
    } else {
        printf(" %*.*f", width, decimals, value);
    }
}

void bench_print_quoted(const char *text, const char *escaped, char escape)
{
    putchar('"');
    for (; *text; text++) {
        if (strchr(escaped, *text)) {
            putchar(escape);
        }
        putchar(*text);
    }
    putchar('"');
}

const char *bench_root_name(const struct bench_options *options, char *text, size_t size)
{
    if (options->root == BENCH_ROOT_ROTATE) {
        return "rotate";
    }
    snprintf(text, size, "%d", options->root);
    return text;
}
