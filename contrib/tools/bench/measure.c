#include "measure.h"

#include <stdlib.h>

#include "contrib/tools/common/report.h"
#include "contrib/tools/common/sleep.h"
#include "measuring.h"
#include "pingpong.h"
#include "topo/util/median.h"

static void summarize_sync(double *samples_ns, int n, struct bench_result *result)
{
    result->sync.median_ns = (int64_t) pb_median(samples_ns, n);
    result->sync.min_ns = (int64_t) samples_ns[0];
    result->sync.max_ns = (int64_t) samples_ns[n - 1];
    result->sync.n = n;
}

/** Of this rank's time in all broadcasts of mode sync. Collective. */
static void summarize_calls(const struct bench_run *run, int64_t in_call_ns,
                            struct bench_result *result)
{
    const int n = result->sync.n;
    const double own = (double) in_call_ns / n;
    double sum;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, run->control);
    MPI_Allreduce(&own, &result->calls.min_ns, 1, MPI_DOUBLE, MPI_MIN, run->control);
    MPI_Allreduce(&own, &result->calls.max_ns, 1, MPI_DOUBLE, MPI_MAX, run->control);
    result->calls.mean_ns = sum / run->n_ranks;
    result->calls.n = n;
}

/** Mode sync, until the iterations are done or, after at least one, so much time has passed. */
static void measure_sync(struct bench_measuring *measuring, int64_t until_ns,
                         struct bench_result *result)
{
    const struct bench_options *options = measuring->run->options;
    double *samples_ns = common_alloc((size_t) options->iterations, sizeof *samples_ns);
    int64_t in_call_ns = 0;
    int n = 0;
    while (n < options->iterations) {
        const struct bench_step step = {.phase = "sync", .iteration = n};
        const struct bench_timing timing = bench_measuring_timed(measuring, &step);
        result->sync.n_late += timing.n_again;
        samples_ns[n++] = (double) timing.last_ns;
        in_call_ns += timing.exit_ns - timing.arrival_ns;
        if (measuring->limit_ns != INT64_MAX && bench_measuring_elapsed(measuring) >= until_ns) {
            break;
        }
    }
    summarize_sync(samples_ns, n, result);
    summarize_calls(measuring->run, in_call_ns, result);
    result->limited |= result->sync.n < options->iterations;
    free(samples_ns);
}

/** A broadcast of the loop, to which the root may be made to come late, but to the run's first. */
static void broadcast_in_loop(struct bench_measuring *measuring)
{
    const struct bench_run *run = measuring->run;
    if (run->options->root_late_ns > 0 && run->n_broadcasts > 0 &&
        run->rank == bench_measuring_root(measuring)) {
        common_sleep(run->options->root_late_ns);
    }
    bench_measuring_broadcast(measuring);
}

/** The papers' loop: barrier, then n times broadcast and barrier. Yields this rank's time. */
static int64_t plain_loop(struct bench_measuring *measuring, int n)
{
    struct bench_run *run = measuring->run;
    MPI_Barrier(run->comm);
    int64_t begin = coll_pipebcast_now();
    for (int i = 0; i < n; i++) {
        broadcast_in_loop(measuring);
        MPI_Barrier(run->comm);
        run->n_broadcasts++;
    }
    return coll_pipebcast_now() - begin;
}

/** The same with verification, which is not timed, between the iterations. */
static int64_t checked_loop(struct bench_measuring *measuring, int n)
{
    int64_t total = 0;
    for (int i = 0; i < n; i++) {
        const struct bench_step step = {.phase = "loop", .iteration = i};
        bench_measuring_prepare(measuring);
        MPI_Barrier(measuring->run->comm);
        int64_t begin = coll_pipebcast_now();
        broadcast_in_loop(measuring);
        MPI_Barrier(measuring->run->comm);
        total += coll_pipebcast_now() - begin;
        bench_measuring_finish(measuring, &step);
    }
    return total;
}

/** Mode loop. one_ns is about what an iteration takes; 0 if that is not known. */
static void measure_loop(struct bench_measuring *measuring, int64_t one_ns,
                         struct bench_result *result)
{
    struct bench_run *run = measuring->run;
    int n = run->options->iterations;
    int64_t worst;
    if (measuring->limit_ns != INT64_MAX) {
        int64_t fitting = (measuring->limit_ns - bench_measuring_elapsed(measuring)) / (one_ns + 1);
        n = fitting < 1 ? 1 : fitting < n ? (int) fitting : n;
    }
    const int64_t total =
        run->options->check ? checked_loop(measuring, n) : plain_loop(measuring, n);
    MPI_Allreduce(&total, &worst, 1, MPI_INT64_T, MPI_MAX, run->control);
    result->loop.mean_ns = (double) worst / n;
    result->loop.n = n;
    result->limited |= n < run->options->iterations;
}

/**
 * Warm-up and the modes asked for. Mode sync leaves half of the time left to mode loop. Where the
 * warm-up has used up the time limit, one broadcast of each mode is measured all the same. The
 * first ones open connections, and count for nobody.
 */
static void measure_modes(struct bench_measuring *measuring, struct bench_result *result)
{
    const struct bench_options *options = measuring->run->options;
    int64_t one_ns;
    result->n_warmup = bench_measuring_warm_up(measuring, &one_ns);
    result->limited |= result->n_warmup < bench_warmup_of(options, result->bytes);
    if (options->mode & BENCH_SYNC) {
        const int64_t spent = bench_measuring_elapsed(measuring);
        const int64_t left = measuring->limit_ns - spent;
        measure_sync(measuring, spent + (options->mode & BENCH_LOOP ? left / 2 : left), result);
    }
    if (options->mode & BENCH_LOOP) {
        measure_loop(measuring, one_ns, result);
    }
}

struct bench_result bench_measure_size(struct bench_run *run, long long bytes)
{
    struct bench_measuring measuring;
    struct bench_result result = {.bytes = bytes};
    bench_measuring_begin(&measuring, run, bytes);
    if (run->options->pingpong) {
        bench_pingpong(&measuring, &result);
    }
    measure_modes(&measuring, &result);
    result.clock_error_ns = common_clock_worst_error(&run->clock);
    bench_measuring_end(&measuring);
    return result;
}
