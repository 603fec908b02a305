#include "arrival.h"

#include <stdlib.h>

#include "arrival_metrics.h"
#include "arrival_pattern.h"
#include "contrib/tools/common/report.h"
#include "measuring.h"
#include "pingpong.h"

/** Share of the receivers that are late in patterns of that kind, as for the paper's Figure 9. */
#define LATE_SHARE 0.2

/** A whole run; the tables are rank 0's. */
struct arriving {
    struct bench_run *run;
    struct bench_output *output;
    int64_t *delays_ns;              /**< of each rank, in the pattern that is measured */
    int64_t *spans_ns;               /**< arrival and exit of each rank, as gathered */
    int64_t *arrivals_ns, *exits_ns; /**< the same, apart */
};

/** One size and MAX_IF. */
struct point {
    long long bytes;
    int max_if;
    struct bench_result pingpong; /**< T(M), the unit of delays, imbalance and bounds */
    int64_t clock_error_ns;
};

/** Fills in the delays of a pattern and returns its root. Rank 0's. */
static int make_pattern(const struct arriving *arriving, const struct point *point, int number)
{
    const struct bench_run *run = arriving->run;
    const int root = run->options->root;
    const struct bench_arrival_recipe recipe = {
        .kind = run->options->arrival,
        .seed = (uint64_t) run->options->seed,
        .number = number,
        .max_if = point->max_if,
        .late_share = LATE_SHARE,
        .late_ranks = run->options->late_ranks.values,
        .n_late_ranks = run->options->late_ranks.n,
        .n_ranks = run->n_ranks,
        .root = root == BENCH_ROOT_ROTATE ? number % run->n_ranks : root,
        .unit_ns = point->pingpong.pingpong.median_ns,
    };
    bench_arrival_delays(&recipe, arriving->delays_ns);
    return recipe.root;
}

static void print_pattern(const struct arriving *arriving, const struct point *point, int number,
                          int root, const struct bench_arrival_metrics *metrics)
{
    const double unit_ns = (double) point->pingpong.pingpong.median_ns;
    double ratios[BENCH_N_RATIOS];
    bench_arrival_ratios(metrics, ratios);
    const struct bench_column columns[] = {
        {"seed", (double) arriving->run->options->seed, 0},
        {"bytes", (double) point->bytes, 0},
        {"max_if", point->max_if, 0},
        {"pingpong_us", unit_ns / 1e3, 3},
        {"clock_error_us", (double) point->clock_error_ns / 1e3, 3},
        {"pattern", number, 0},
        {"pattern_root", root, 0},
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
    bench_output_csv(arriving->output, columns, sizeof columns / sizeof columns[0]);
}

/** Gathers when all ranks came and went; rank 0 prints the metrics. */
static void note_broadcast(struct arriving *arriving, const struct point *point, int number,
                           int root, const struct bench_timing *timing)
{
    const struct bench_run *run = arriving->run;
    const int64_t own[2] = {timing->arrival_ns, timing->exit_ns};
    struct bench_arrival_metrics metrics;
    MPI_Gather(own, 2, MPI_INT64_T, arriving->spans_ns, 2, MPI_INT64_T, 0, run->control);
    if (run->rank != 0) {
        return;
    }
    for (int i = 0; i < run->n_ranks; i++) {
        arriving->arrivals_ns[i] = arriving->spans_ns[2 * i];
        arriving->exits_ns[i] = arriving->spans_ns[2 * i + 1];
    }
    const struct bench_arrival_times times = {.n_ranks = run->n_ranks,
                                              .root = root,
                                              .arrivals_ns = arriving->arrivals_ns,
                                              .exits_ns = arriving->exits_ns};
    bench_arrival_measure(&times, (double) point->pingpong.pingpong.median_ns, &metrics);
    print_pattern(arriving, point, number, root, &metrics);
}

static enum bench_status measure_pattern(struct arriving *arriving,
                                         struct bench_measuring *measuring,
                                         const struct point *point, int number)
{
    const struct bench_run *run = arriving->run;
    struct bench_step step = {.phase = "arrival", .iteration = number};
    struct bench_timing timing;
    int root = run->rank == 0 ? make_pattern(arriving, point, number) : 0;
    MPI_Bcast(&root, 1, MPI_INT, 0, run->control);
    MPI_Scatter(arriving->delays_ns, 1, MPI_INT64_T, &step.delay_ns, 1, MPI_INT64_T, 0,
                run->control);
    measuring->root = root;
    const enum bench_status status = bench_measuring_timed(measuring, &step, &timing);
    if (status == BENCH_OK) {
        note_broadcast(arriving, point, number, root, &timing);
    }
    return status;
}

/** Measures a point's patterns until they are done or the time limit is over. */
static enum bench_status measure_point(struct arriving *arriving, struct bench_measuring *measuring,
                                       struct point *point)
{
    const struct bench_run *run = arriving->run;
    enum bench_status status = BENCH_OK;
    point->clock_error_ns = common_clock_worst_error(&run->clock);
    for (int i = 0; i < run->options->patterns && status == BENCH_OK; i++) {
        status = measure_pattern(arriving, measuring, point, i);
        if (measuring->limit_ns != INT64_MAX &&
            bench_measuring_elapsed(measuring) >= measuring->limit_ns) {
            break;
        }
    }
    return status;
}

static enum bench_status measure_size(struct arriving *arriving, long long bytes)
{
    struct bench_run *run = arriving->run;
    const common_list_t *max_ifs = &run->options->max_ifs;
    struct bench_measuring measuring;
    struct point point = {.bytes = bytes};
    enum bench_status status = bench_measuring_begin(&measuring, run, bytes);
    int n_warmup;
    int64_t last;
    if (status == BENCH_OK) {
        const int64_t budget = measuring.limit_ns == INT64_MAX ? 0 : measuring.limit_ns / 4;
        status = bench_pingpong(run, bytes, budget, &point.pingpong);
    }
    if (status == BENCH_OK) {
        status = bench_measuring_warm_up(&measuring, &n_warmup, &last);
    }
    measuring.uneven = true;
    for (int i = 0; i < (max_ifs->n > 0 ? max_ifs->n : 1) && status == BENCH_OK; i++) {
        point.max_if = max_ifs->n > 0 ? (int) max_ifs->values[i] : run->n_ranks;
        status = measure_point(arriving, &measuring, &point);
    }
    bench_measuring_end(&measuring);
    return status;
}

static bool make_tables(struct arriving *arriving)
{
    const size_t n = (size_t) arriving->run->n_ranks;
    arriving->delays_ns = calloc(5 * n, sizeof(int64_t));
    if (arriving->delays_ns == NULL) {
        common_report("no memory for the times of %zu ranks", n);
        return false;
    }
    arriving->spans_ns = arriving->delays_ns + n;
    arriving->arrivals_ns = arriving->delays_ns + 3 * n;
    arriving->exits_ns = arriving->delays_ns + 4 * n;
    return true;
}

enum bench_status bench_arrival_run(struct bench_run *run, struct bench_output *output)
{
    const common_list_t *sizes = &run->options->sizes;
    struct arriving arriving = {.run = run, .output = output};
    int good = run->rank != 0 || make_tables(&arriving);
    MPI_Bcast(&good, 1, MPI_INT, 0, run->control);
    enum bench_status status = good ? BENCH_OK : BENCH_NO_MEMORY;
    for (int i = 0; i < sizes->n && status == BENCH_OK; i++) {
        status = measure_size(&arriving, sizes->values[i]);
    }
    free(arriving.delays_ns);
    return status;
}
