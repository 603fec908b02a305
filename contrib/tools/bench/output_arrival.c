#include "output_arrival.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "output_print.h"

enum { MAX_COLUMNS = 24, N_FIGURES = 11 };

/** The figures that each pattern has, and their mean over patterns. */
static int figures_of(const struct bench_arrival_metrics *metrics, const double *ratios,
                      double unit_ns, struct bench_column *columns)
{
    const struct bench_column figures[N_FIGURES] = {
        {"average_us", metrics->node / 1e3, 3},
        {"worst_us", metrics->worst / 1e3, 3},
        {"waiting_us", metrics->waiting / 1e3, 3},
        {"average_imbalance_factor", metrics->average_imbalance / unit_ns, 4},
        {"worst_imbalance_factor", metrics->worst_imbalance / unit_ns, 4},
        {"opt_blocking_us", metrics->bound_blocking / 1e3, 3},
        {"ratio_blocking", ratios[BENCH_RATIO_BLOCKING], 4},
        {"ratio_net_blocking", ratios[BENCH_RATIO_NET_BLOCKING], 4},
        {"opt_nonblocking_us", metrics->bound_nonblocking / 1e3, 3},
        {"ratio_nonblocking", ratios[BENCH_RATIO_NONBLOCKING], 4},
        {"ratio_net_nonblocking", ratios[BENCH_RATIO_NET_NONBLOCKING], 4},
    };
    memcpy(columns, figures, sizeof figures);
    return N_FIGURES;
}

/** The columns of the ratios. */
static const struct {
    enum bench_arrival_ratio ratio;
    int place;
} ratio_places[BENCH_N_RATIOS] = {
    {BENCH_RATIO_BLOCKING, 6},
    {BENCH_RATIO_NET_BLOCKING, 7},
    {BENCH_RATIO_NONBLOCKING, 9},
    {BENCH_RATIO_NET_NONBLOCKING, 10},
};

static int columns_of_pattern(const struct bench_arrival_point *point,
                              const struct bench_arrival_pattern *pattern,
                              struct bench_column *columns)
{
    double ratios[BENCH_N_RATIOS];
    bench_arrival_ratios(&pattern->metrics, ratios);
    columns[0] = (struct bench_column){"pattern", pattern->number, 0};
    columns[1] = (struct bench_column){"pattern_root", pattern->root, 0};
    columns[2] = (struct bench_column){"broadcasts", pattern->n_broadcasts, 0};
    return 3 + figures_of(&pattern->metrics, ratios, (double) point->unit_ns, columns + 3);
}

static int columns_of_point(const struct bench_arrival_point *point, struct bench_column *columns)
{
    double max_if = point->max_if == BENCH_UNSET ? (double) NAN : (double) point->max_if;
    double unit_us = bench_microseconds((double) point->unit_ns, point->n_pingpong);
    int n = 0;
    columns[n++] = (struct bench_column){"bytes", (double) point->bytes, 0};
    columns[n++] = (struct bench_column){"max_if", max_if, 0};
    columns[n++] = (struct bench_column){"patterns_wanted", point->n_patterns, 0};
    columns[n++] = (struct bench_column){"pingpong_us", unit_us, 3};
    columns[n++] = (struct bench_column){"pingpong_iterations", point->n_pingpong, 0};
    columns[n++] = (struct bench_column){"clock_error_us", (double) point->clock_error_ns / 1e3, 3};
    return n;
}

/** The means over the patterns measured. */
static int means_of(const struct bench_arrival_point *point, struct bench_column *columns)
{
    struct bench_arrival_metrics mean = point->sum;
    double n = point->n_measured;
    double ratios[BENCH_N_RATIOS];
    for (int i = 0; i < BENCH_N_RATIOS; i++) {
        ratios[i] = point->sum_ratio[i] / n;
    }
    bench_arrival_metrics_divide(&mean, n);
    return figures_of(&mean, ratios, (double) point->unit_ns, columns);
}

/** A row of the text's table, after its first two cells. */
static void print_figures(const struct bench_column *figures)
{
    static const int widths[N_FIGURES] = {12, 12, 12, 8, 8, 12, 7, 7, 12, 7, 7};
    for (int i = 0; i < N_FIGURES; i++) {
        bench_print_cell(widths[i], widths[i] == 12 ? 1 : 2, figures[i].value);
    }
    putchar('\n');
}

void bench_output_arrival_json(common_json_t to, const struct bench_arrival_options *arrival)
{
    const common_json_t object = common_json_object(to, "arrival");
    common_json_text(object, "kind", bench_arrival_name(arrival->kind));
    common_json_integer(object, "per_pattern", arrival->per_pattern);
    if (arrival->kind != BENCH_ARRIVAL_REPLAY) {
        common_json_integer(object, "seed", arrival->seed);
    }
    if (arrival->kind == BENCH_ARRIVAL_LATE) {
        common_json_real(object, "late_share", arrival->late_share, 6);
    }
}

void bench_output_arrival_head(const struct bench_options *options)
{
    const struct bench_arrival_options *arrival = &options->arrival;
    const char *name = bench_arrival_name(arrival->kind);
    printf("# arrivals: %s", name);
    if (arrival->kind == BENCH_ARRIVAL_REPLAY) {
        printf(" of %s", arrival->replay);
    } else {
        printf(", seed %lld", arrival->seed);
    }
    if (arrival->kind == BENCH_ARRIVAL_LATE) {
        printf(", each receiver late with probability %g", arrival->late_share);
    }
    printf("; %d broadcasts of each pattern; times in us, imbalance (IF) in T(M)\n",
           arrival->per_pattern);
}

void bench_output_arrival_csv_names(void)
{
    const struct bench_arrival_point point = {.n_patterns = 0};
    const struct bench_arrival_pattern pattern = {.number = 0};
    struct bench_column columns[MAX_COLUMNS];
    printf(",arrival,seed,late_share");
    bench_print_csv_names(columns, columns_of_point(&point, columns));
    bench_print_csv_names(columns, columns_of_pattern(&point, &pattern, columns));
}

static void begin_text(const struct bench_arrival_point *point)
{
    printf("#\n# %lld bytes, T(M) %.1f", point->bytes, (double) point->unit_ns / 1e3);
    if (point->max_if != BENCH_UNSET) {
        printf(", MAX_IF %d", point->max_if);
    }
    printf("\n#%7s %5s %12s %12s %12s %8s %8s %12s %7s %7s %12s %7s %7s\n", "pattern", "root",
           "average", "worst", "waiting", "avg IF", "worst IF", "OPT block.", "ratio", "net",
           "OPT nonbl.", "ratio", "net");
}

void bench_output_point_begin(struct bench_output *output, const struct bench_arrival_point *point)
{
    struct bench_column columns[MAX_COLUMNS];
    if (output->options->format == BENCH_TEXT) {
        begin_text(point);
    } else if (output->options->format == BENCH_JSON) {
        output->point = common_json_object(output->results, NULL);
        bench_add_columns(common_json_object(output->point, "point"), columns,
                          columns_of_point(point, columns));
        output->patterns = common_json_array(output->point, "patterns");
    }
    fflush(stdout);
}

static void pattern_csv(const struct bench_output *output, const struct bench_arrival_point *point,
                        const struct bench_column *columns, int n)
{
    const struct bench_arrival_options *arrival = &output->options->arrival;
    struct bench_column of_point[MAX_COLUMNS];
    bench_output_csv_head(output);
    printf(",%s,", bench_arrival_name(arrival->kind));
    if (arrival->kind != BENCH_ARRIVAL_REPLAY) {
        printf("%lld", arrival->seed);
    }
    putchar(',');
    if (arrival->kind == BENCH_ARRIVAL_LATE) {
        printf("%g", arrival->late_share);
    }
    bench_print_csv(of_point, columns_of_point(point, of_point));
    bench_print_csv(columns, n);
    putchar('\n');
}

void bench_output_pattern(const struct bench_output *output,
                          const struct bench_arrival_point *point,
                          const struct bench_arrival_pattern *pattern)
{
    struct bench_column columns[MAX_COLUMNS];
    int n = columns_of_pattern(point, pattern, columns);
    if (output->options->format == BENCH_CSV) {
        pattern_csv(output, point, columns, n);
    } else if (output->options->format == BENCH_JSON) {
        bench_add_columns(common_json_object(output->patterns, NULL), columns, n);
    } else {
        printf(" %7d %5d", pattern->number, pattern->root);
        print_figures(columns + 3);
    }
    fflush(stdout);
}

/** Puts the greatest ratios into the figures. */
static void greatest_of(const struct bench_arrival_point *point, struct bench_column *columns)
{
    for (int i = 0; i < BENCH_N_RATIOS; i++) {
        columns[ratio_places[i].place].value = point->max_ratio[ratio_places[i].ratio];
    }
}

static void end_text(const struct bench_arrival_point *point)
{
    struct bench_column columns[MAX_COLUMNS];
    bool limited = point->n_measured < point->n_patterns;
    means_of(point, columns);
    printf(" %-13s", limited ? "mean *" : "mean");
    print_figures(columns);
    for (int i = 0; i < N_FIGURES; i++) {
        columns[i].value = NAN;
    }
    greatest_of(point, columns);
    printf(" %-13s", limited ? "greatest *" : "greatest");
    print_figures(columns);
}

static void end_json(common_json_t to, const struct bench_arrival_point *point)
{
    struct bench_column columns[MAX_COLUMNS], greatest[BENCH_N_RATIOS];
    bench_add_columns(common_json_object(to, "mean"), columns, means_of(point, columns));
    greatest_of(point, columns);
    for (int i = 0; i < BENCH_N_RATIOS; i++) {
        greatest[i] = columns[ratio_places[i].place];
    }
    bench_add_columns(common_json_object(to, "greatest"), greatest, BENCH_N_RATIOS);
    common_json_integer(to, "again", point->n_again);
    common_json_truth(to, "limited", point->n_measured < point->n_patterns);
}

void bench_output_point_end(struct bench_output *output, const struct bench_arrival_point *point)
{
    if (output->options->format == BENCH_TEXT) {
        end_text(point);
    } else if (output->options->format == BENCH_JSON) {
        end_json(output->point, point);
    }
    output->n_results++;
    fflush(stdout);
}
