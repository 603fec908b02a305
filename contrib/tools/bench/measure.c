#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/median.h"
#include "contrib/tools/common/report.h"
#include "measuring.h"
#include "pingpong.h"
#include <time.h>

static void note_clock_error(const struct bench_run *run, struct bench_result *result)
{
    int64_t error = common_clock_worst_error(&run->clock);
    result->clock_error_ns = error > result->clock_error_ns ? error : result->clock_error_ns;
}

static void summarize_sync(double *samples_ns, int n, struct bench_result *result)
{
    result->sync.median_ns = (int64_t) common_median(samples_ns, n);
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
static enum bench_status measure_sync(struct bench_measuring *measuring, double *samples_ns,
                                      int64_t until_ns, struct bench_result *result)
{
    const struct bench_options *options = measuring->run->options;
    int64_t in_call_ns = 0;
    int n = 0;
    while (n < options->iterations) {
        const struct bench_step step = {.phase = "sync", .iteration = n};
        struct bench_timing timing;
        enum bench_status status = bench_measuring_timed(measuring, &step, &timing);
        if (status != BENCH_OK) {
            return status;
        }
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
    return BENCH_OK;
}

/** A broadcast of the loop, to which the root may be made to come late, but to the run's first. */
static void broadcast_in_loop(struct bench_measuring *measuring)
{
    const struct bench_run *run = measuring->run;
    if (run->options->root_late_ns > 0 && run->n_broadcasts > 0 &&
        run->rank == bench_measuring_root(measuring)) {
        const int64_t ns = run->options->root_late_ns;
        nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
    }
    bench_measuring_broadcast(measuring);
}

/** The papers' loop: barrier, then n times broadcast and barrier. Yields this rank's time. */
static int64_t plain_loop(struct bench_measuring *measuring, int n)
{
    struct bench_run *run = measuring->run;
    MPI_Barrier(run->comm);
    int64_t begin = common_clock_local();
    for (int i = 0; i < n; i++) {
        broadcast_in_loop(measuring);
        MPI_Barrier(run->comm);
        run->n_broadcasts++;
    }
    return common_clock_local() - begin;
}

/** The same with verification, which is not timed, between the iterations. */
static enum bench_status checked_loop(struct bench_measuring *measuring, int n, int64_t *total_p)
{
    struct bench_run *run = measuring->run;
    *total_p = 0;
    for (int i = 0; i < n; i++) {
        const struct bench_step step = {.phase = "loop", .iteration = i};
        bench_measuring_prepare(measuring);
        MPI_Barrier(run->comm);
        int64_t begin = common_clock_local();
        broadcast_in_loop(measuring);
        MPI_Barrier(run->comm);
        *total_p += common_clock_local() - begin;
        enum bench_status status = bench_measuring_finish(measuring, &step);
        if (status != BENCH_OK) {
            return status;
        }
    }
    return BENCH_OK;
}

/** Mode loop. one_ns is about what an iteration takes; 0 if that is not known. */
static enum bench_status measure_loop(struct bench_measuring *measuring, int64_t one_ns,
                                      struct bench_result *result)
{
    struct bench_run *run = measuring->run;
    enum bench_status status = BENCH_OK;
    int n = run->options->iterations;
    int64_t total, worst;
    if (measuring->limit_ns != INT64_MAX) {
        int64_t fitting = (measuring->limit_ns - bench_measuring_elapsed(measuring)) / (one_ns + 1);
        n = fitting < 1 ? 1 : fitting < n ? (int) fitting : n;
    }
    if (run->options->check) {
        status = checked_loop(measuring, n, &total);
    } else {
        total = plain_loop(measuring, n);
    }
    MPI_Allreduce(&total, &worst, 1, MPI_INT64_T, MPI_MAX, run->control);
    result->loop.mean_ns = (double) worst / n;
    result->loop.n = n;
    result->limited |= n < run->options->iterations;
    return status;
}

/**
 * Warm-up and the modes asked for. Mode sync leaves half of the time left to mode loop. Where the
 * warm-up has used up the time limit, one broadcast of each mode is measured all the same. The
 * first ones open connections, and count for nobody.
 */
static enum bench_status measure_modes(struct bench_measuring *measuring, double *samples_ns,
                                       struct bench_result *result)
{
    const struct bench_options *options = measuring->run->options;
    int64_t one_ns;
    enum bench_status status = bench_measuring_warm_up(measuring, &result->n_warmup, &one_ns);
    result->limited |= result->n_warmup < bench_warmup_of(options, result->bytes);
    if (status != BENCH_OK) {
        return status;
    }
    if (options->mode & BENCH_SYNC) {
        int64_t spent = bench_measuring_elapsed(measuring);
        int64_t left = measuring->limit_ns - spent;
        status = measure_sync(measuring, samples_ns,
                              spent + (options->mode & BENCH_LOOP ? left / 2 : left), result);
    }
    if (status == BENCH_OK && options->mode & BENCH_LOOP) {
        status = measure_loop(measuring, one_ns, result);
    }
    return status;
}

static enum bench_status make_samples(const struct bench_run *run, double **samples_ns_p)
{
    *samples_ns_p = calloc((size_t) run->options->iterations, sizeof **samples_ns_p);
    if (*samples_ns_p == NULL) {
        common_report("rank %d: no memory for %d samples", run->rank, run->options->iterations);
    }
    return common_all_good(*samples_ns_p != NULL, run->control) ? BENCH_OK : BENCH_NO_MEMORY;
}

enum bench_status bench_measure_size(struct bench_run *run, long long bytes,
                                     struct bench_result *result_p)
{
    struct bench_measuring measuring;
    double *samples_ns = NULL;
    *result_p = (struct bench_result){.bytes = bytes};
    enum bench_status status = bench_measuring_begin(&measuring, run, bytes);
    if (status == BENCH_OK) {
        status = make_samples(run, &samples_ns);
    }
    if (status == BENCH_OK && run->options->pingpong) {
        int64_t budget = measuring.limit_ns == INT64_MAX ? 0 : measuring.limit_ns / 4;
        status = bench_pingpong(run, bytes, budget, result_p);
    }
    if (status == BENCH_OK) {
        status = measure_modes(&measuring, samples_ns, result_p);
    }
    note_clock_error(run, result_p);
    free(samples_ns);
    bench_measuring_end(&measuring);
    return status;
}
