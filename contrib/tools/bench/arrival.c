#include "arrival.h"

#include <stdlib.h>

#include "arrival_metrics.h"
#include "arrival_pattern.h"
#include "contrib/tools/common/report.h"
#include "pingpong.h"

/** Share of the receivers that are late in patterns of that kind, as for the paper's Figure 9. */
#define LATE_SHARE 0.2

/** A whole run. */
struct arriving {
    struct bench_run *run;
    struct bench_output *output;
    struct bench_stay *stays; /**< owned; rank 0's: of each rank, in the pattern that is measured */
};

/** One size and MAX_IF. */
struct point {
    long long bytes;
    int max_if;
    struct bench_result pingpong; /**< T(M), the unit of delays and bounds */
    int64_t clock_error_ns;
};

/** A pattern of the point; the same on all ranks. */
static struct bench_arrival_recipe make_recipe(const struct bench_run *run,
                                               const struct point *point, int number)
{
    const struct bench_options *options = run->options;
    return (struct bench_arrival_recipe){
        .kind = options->arrival,
        .seed = (uint64_t) options->seed,
        .number = number,
        .max_if = point->max_if,
        .late_share = LATE_SHARE,
        .late_ranks = options->late_ranks.values,
        .n_late_ranks = options->late_ranks.n,
        .root = options->root == BENCH_ROOT_ROTATE ? number % run->n_ranks : options->root,
        .unit_ns = point->pingpong.pingpong.median_ns,
    };
}

static void print_pattern(const struct arriving *arriving, const struct point *point,
                          const struct bench_arrival_recipe *recipe)
{
    const double unit_ns = (double) point->pingpong.pingpong.median_ns;
    const struct bench_arrival_metrics metrics =
        bench_arrival_measure(arriving->stays, arriving->run->n_ranks, recipe->root, unit_ns);
    const struct bench_column columns[] = {
        {"seed", (double) arriving->run->options->seed, 0},
        {"bytes", (double) point->bytes, 0},
        {"max_if", point->max_if, 0},
        {"pingpong_us", unit_ns / 1e3, 3},
        {"clock_error_us", (double) point->clock_error_ns / 1e3, 3},
        {"pattern", recipe->number, 0},
        {"pattern_root", recipe->root, 0},
        {"average_us", metrics.node / 1e3, 3},
        {"waiting_us", metrics.waiting / 1e3, 3},
        {"opt_blocking_us", metrics.bound_blocking / 1e3, 3},
        {"opt_nonblocking_us", metrics.bound_nonblocking / 1e3, 3},
    };
    bench_output_csv(arriving->output, columns, sizeof columns / sizeof columns[0]);
}

/** Broadcasts once in a pattern, and gathers when all ranks came and went; rank 0 prints it. */
static void measure_pattern(struct arriving *arriving, struct bench_measuring *measuring,
                            const struct point *point, int number)
{
    const struct bench_run *run = arriving->run;
    const struct bench_arrival_recipe recipe = make_recipe(run, point, number);
    const struct bench_step step = {.phase = "arrival",
                                    .iteration = number,
                                    .delay_ns = bench_arrival_delay(&recipe, run->rank)};
    measuring->root = recipe.root;
    const struct bench_timing timing = bench_measuring_timed(measuring, &step);
    const struct bench_stay own = {timing.arrival_ns, timing.exit_ns};
    MPI_Gather(&own, 2, MPI_INT64_T, arriving->stays, 2, MPI_INT64_T, 0, run->control);
    if (run->rank == 0) {
        print_pattern(arriving, point, &recipe);
    }
}

/** Measures a point's patterns until they are done or the time limit is over. */
static void measure_point(struct arriving *arriving, struct bench_measuring *measuring,
                          struct point *point)
{
    const struct bench_run *run = arriving->run;
    point->clock_error_ns = common_clock_worst_error(&run->clock);
    for (int i = 0; i < run->options->patterns; i++) {
        measure_pattern(arriving, measuring, point, i);
        if (measuring->limit_ns != INT64_MAX &&
            bench_measuring_elapsed(measuring) >= measuring->limit_ns) {
            break;
        }
    }
}

static void measure_size(struct arriving *arriving, long long bytes)
{
    struct bench_run *run = arriving->run;
    const common_list_t *max_ifs = &run->options->max_ifs;
    struct bench_measuring measuring;
    struct point point = {.bytes = bytes};
    int64_t last;
    bench_measuring_begin(&measuring, run, bytes);
    bench_pingpong(&measuring, &point.pingpong);
    bench_measuring_warm_up(&measuring, &last);
    measuring.uneven = true;
    for (int i = 0; i < (max_ifs->n > 0 ? max_ifs->n : 1); i++) {
        point.max_if = max_ifs->n > 0 ? (int) max_ifs->values[i] : run->n_ranks;
        measure_point(arriving, &measuring, &point);
    }
    bench_measuring_end(&measuring);
}

void bench_arrival_run(struct bench_run *run, struct bench_output *output)
{
    const common_list_t *sizes = &run->options->sizes;
    struct arriving arriving = {.run = run, .output = output};
    arriving.stays = common_alloc((size_t) run->n_ranks, sizeof *arriving.stays);
    for (int i = 0; i < sizes->n; i++) {
        measure_size(&arriving, sizes->values[i]);
    }
    free(arriving.stays);
}
