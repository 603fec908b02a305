#include "measure.h"

#include <stdio.h>

#include "op.h"
#include "pingpong.h"
#include "samples.h"

enum {
    MARGIN_FIRST_NS = 2000000, /**< from the agreement on a start to the start */
    MARGIN_LAST_NS = 1000000000,
    RESYNC_NS = 1000000000,
};

/** One size being measured. */
struct measuring {
    struct bench_run *run;
    struct bench_payload payload;
    struct bench_samples samples;
    int64_t margin_ns;
    int64_t begin_ns; /**< agreed time, equal on all ranks */
    int64_t limit_ns; /**< INT64_MAX without a limit */
};

static int root_of(const struct bench_run *run)
{
    return run->options->root == BENCH_ROOT_ROTATE ? (int) (run->n_broadcasts % run->n_ranks)
                                                   : run->options->root;
}

static void broadcast(struct measuring *measuring)
{
    struct bench_run *run = measuring->run;
    bench_op_at(run->options->op)
        ->run(measuring->payload.memory, measuring->payload.count, measuring->payload.type,
              root_of(run), run->comm);
}

static void prepare(struct measuring *measuring)
{
    struct bench_run *run = measuring->run;
    if (run->options->check) {
        bench_payload_prepare(&measuring->payload, run->n_broadcasts, run->rank == root_of(run));
    }
}

static void corrupt_if_wanted(struct measuring *measuring)
{
    const struct bench_run *run = measuring->run;
    const struct bench_corrupt *corrupt = &run->options->corrupt;
    if (corrupt->wanted && corrupt->broadcast == run->n_broadcasts && corrupt->rank == run->rank) {
        bench_payload_corrupt(&measuring->payload, (size_t) corrupt->offset);
    }
}

static void tell_fault(const struct measuring *measuring, const char *phase, int iteration,
                       const struct bench_fault *fault, int n_wrong_ranks)
{
    const struct bench_run *run = measuring->run;
    fprintf(stderr,
            "pipebcast-bench: wrong bytes: %zu bytes from rank %d, %s iteration %d (broadcast %lld "
            "of the run): rank %d has at %s %zu 0x%02x, expected 0x%02x; %zu bytes are wrong here; "
            "%d of %d ranks have wrong bytes\n",
            measuring->payload.bytes, root_of(run), phase, iteration, run->n_broadcasts, run->rank,
            fault->in_gap ? "memory offset (a gap of the datatype)" : "byte offset", fault->offset,
            fault->found, fault->expected, fault->n_wrong, n_wrong_ranks, run->n_ranks);
    fflush(stderr);
}

/**
 * Verifies this rank's bytes of the broadcast just done and counts it. Where any rank has wrong
 * ones, the lowest such rank tells, and all yield BENCH_WRONG_BYTES.
 */
static enum bench_status finish(struct measuring *measuring, const char *phase, int iteration)
{
    struct bench_run *run = measuring->run;
    struct bench_fault fault;
    int wrong = 0, n_wrong = 0;
    if (run->options->check) {
        corrupt_if_wanted(measuring);
        wrong = !bench_payload_verify(&measuring->payload, run->n_broadcasts, &fault);
        MPI_Allreduce(&wrong, &n_wrong, 1, MPI_INT, MPI_SUM, run->control);
    }
    if (n_wrong > 0) {
        int candidate = wrong ? run->rank : run->n_ranks, lowest;
        MPI_Allreduce(&candidate, &lowest, 1, MPI_INT, MPI_MIN, run->control);
        if (lowest == run->rank) {
            tell_fault(measuring, phase, iteration, &fault, n_wrong);
        }
    }
    run->n_broadcasts++;
    return n_wrong > 0 ? BENCH_WRONG_BYTES : BENCH_OK;
}

/**
 * All ranks agree on a start, a margin after the last of them is ready, and broadcast from there.
 * Yields the time from the start to the last rank's end, and by how much the last rank heard of
 * the start too late (0 or less: it did not).
 */
static void timed_broadcast(struct measuring *measuring, int64_t *duration_p, int64_t *late_p)
{
    struct bench_run *run = measuring->run;
    int64_t ready = bench_clock_agreed(&run->clock), start;
    MPI_Allreduce(&ready, &start, 1, MPI_INT64_T, MPI_MAX, run->control);
    start += measuring->margin_ns;
    int64_t own[2], worst[2]; /* duration, lateness */
    own[1] = bench_clock_agreed(&run->clock) - start;
    bench_clock_wait_until(&run->clock, start);
    broadcast(measuring);
    own[0] = bench_clock_agreed(&run->clock) - start;
    MPI_Allreduce(own, worst, 2, MPI_INT64_T, MPI_MAX, run->control);
    *duration_p = worst[0];
    *late_p = worst[1];
}

/**
 * One iteration with an agreed start. If a rank heard of it too late the margin doubles and the
 * iteration is done again, until the margin is as large as it gets.
 */
static enum bench_status sync_iteration(struct measuring *measuring, const char *phase,
                                        int iteration, struct bench_result *result,
                                        int64_t *duration_p)
{
    for (;;) {
        int64_t late;
        prepare(measuring);
        timed_broadcast(measuring, duration_p, &late);
        enum bench_status status = finish(measuring, phase, iteration);
        if (status != BENCH_OK || late <= 0 || measuring->margin_ns >= MARGIN_LAST_NS) {
            return status;
        }
        measuring->margin_ns *= 2;
        result->sync.n_late++;
    }
}

/** Agreed time since the size began. Collective, so that all ranks decide alike. */
static int64_t elapsed(const struct measuring *measuring)
{
    const struct bench_clock *clock = &measuring->run->clock;
    int64_t now = bench_clock_agreed(clock), latest;
    MPI_Allreduce(&now, &latest, 1, MPI_INT64_T, MPI_MAX, measuring->run->control);
    return latest - measuring->begin_ns;
}

/** Estimates the clocks again if the last estimate is too old. Collective. */
static void refresh_clock(const struct measuring *measuring)
{
    struct bench_clock *clock = &measuring->run->clock;
    if (!clock->shared && measuring->begin_ns + elapsed(measuring) - clock->synced_ns > RESYNC_NS) {
        bench_clock_sync(clock);
    }
}

static void note_clock_error(const struct measuring *measuring, struct bench_result *result)
{
    int64_t error = bench_clock_worst_error(&measuring->run->clock);
    result->clock_error_ns = error > result->clock_error_ns ? error : result->clock_error_ns;
}

/**
 * Broadcasts before those that count, within a quarter of the time limit. Yields in last_p the
 * time of the last one; 0 if none was wanted.
 */
static enum bench_status warm_up(struct measuring *measuring, struct bench_result *result,
                                 int64_t *last_p)
{
    int n = bench_warmup_of(measuring->run->options, result->bytes);
    int64_t spent = 0;
    *last_p = 0;
    while (result->n_warmup < n && spent <= measuring->limit_ns / 4) {
        refresh_clock(measuring);
        enum bench_status status =
            sync_iteration(measuring, "warm-up", result->n_warmup, result, last_p);
        if (status != BENCH_OK) {
            return status;
        }
        spent += *last_p;
        result->n_warmup++;
    }
    result->limited |= result->n_warmup < n;
    result->sync.n_late = 0;
    return BENCH_OK;
}

static void summarize_sync(struct measuring *measuring, struct bench_result *result)
{
    struct bench_samples *samples = &measuring->samples;
    bench_samples_sort(samples);
    result->sync.median_ns = bench_samples_median(samples);
    result->sync.min_ns = samples->values_ns[0];
    result->sync.max_ns = samples->values_ns[samples->n - 1];
    result->sync.n = samples->n;
}

/** Mode sync, until the iterations are done or, after at least one, so much time has passed. */
static enum bench_status measure_sync(struct measuring *measuring, int64_t until_ns,
                                      struct bench_result *result)
{
    const struct bench_options *options = measuring->run->options;
    measuring->samples.n = 0;
    for (int i = 0; i < options->iterations; i++) {
        int64_t duration;
        refresh_clock(measuring);
        enum bench_status status = sync_iteration(measuring, "sync", i, result, &duration);
        if (status != BENCH_OK) {
            return status;
        }
        bench_samples_add(&measuring->samples, duration);
        if (measuring->limit_ns != INT64_MAX && elapsed(measuring) >= until_ns) {
            break;
        }
    }
    summarize_sync(measuring, result);
    result->limited |= result->sync.n < options->iterations;
    return BENCH_OK;
}

/** The papers' loop: barrier, then n times broadcast and barrier. Yields this rank's time. */
static int64_t plain_loop(struct measuring *measuring, int n)
{
    struct bench_run *run = measuring->run;
    MPI_Barrier(run->comm);
    int64_t begin = bench_clock_local();
    for (int i = 0; i < n; i++) {
        broadcast(measuring);
        MPI_Barrier(run->comm);
        run->n_broadcasts++;
    }
    return bench_clock_local() - begin;
}

/** The same with verification, which is not timed, between the iterations. */
static enum bench_status checked_loop(struct measuring *measuring, int n, int64_t *total_p)
{
    struct bench_run *run = measuring->run;
    *total_p = 0;
    for (int i = 0; i < n; i++) {
        prepare(measuring);
        MPI_Barrier(run->comm);
        int64_t begin = bench_clock_local();
        broadcast(measuring);
        MPI_Barrier(run->comm);
        *total_p += bench_clock_local() - begin;
        enum bench_status status = finish(measuring, "loop", i);
        if (status != BENCH_OK) {
            return status;
        }
    }
    return BENCH_OK;
}

/** Mode loop. one_ns is about what an iteration takes; 0 if that is not known. */
static enum bench_status measure_loop(struct measuring *measuring, int64_t one_ns,
                                      struct bench_result *result)
{
    struct bench_run *run = measuring->run;
    enum bench_status status = BENCH_OK;
    int n = run->options->iterations;
    int64_t total, worst;
    if (measuring->limit_ns != INT64_MAX) {
        int64_t fitting = (measuring->limit_ns - elapsed(measuring)) / (one_ns + 1);
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

/** The first broadcast used up the time limit: it is all that is known of this size. */
static void use_single(const struct measuring *measuring, int64_t duration,
                       struct bench_result *result)
{
    result->limited = true;
    if (measuring->run->options->mode & BENCH_SYNC) {
        result->sync.median_ns = result->sync.min_ns = result->sync.max_ns = duration;
        result->sync.n = 1;
    }
    if (measuring->run->options->mode & BENCH_LOOP) {
        result->loop.mean_ns = (double) duration;
        result->loop.n = 1;
    }
}

/** Warm-up and the modes asked for. Mode sync leaves half of the time left to mode loop. */
static enum bench_status measure_modes(struct measuring *measuring, struct bench_result *result)
{
    int mode = measuring->run->options->mode;
    int64_t one_ns;
    enum bench_status status = warm_up(measuring, result, &one_ns);
    if (status != BENCH_OK) {
        return status;
    }
    if (one_ns > measuring->limit_ns / 2) {
        use_single(measuring, one_ns, result);
        return BENCH_OK;
    }
    if (mode & BENCH_SYNC) {
        int64_t spent = elapsed(measuring);
        int64_t left = measuring->limit_ns - spent;
        status = measure_sync(measuring, spent + (mode & BENCH_LOOP ? left / 2 : left), result);
    }
    if (status == BENCH_OK && mode & BENCH_LOOP) {
        status = measure_loop(measuring, one_ns, result);
    }
    return status;
}

static enum bench_status make(struct measuring *measuring, long long bytes)
{
    const struct bench_run *run = measuring->run;
    bool made = bench_payload_make(&measuring->payload, run->options->datatype, bytes, run->rank);
    measuring->samples = bench_samples_make(run->options->iterations);
    int good = made && measuring->samples.values_ns, all_good;
    if (!good) {
        fprintf(stderr, "pipebcast-bench: rank %d: no memory for a message of %lld bytes\n",
                run->rank, bytes);
    }
    MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, run->control);
    return all_good ? BENCH_OK : BENCH_NO_MEMORY;
}

enum bench_status bench_measure_size(struct bench_run *run, long long bytes,
                                     struct bench_result *result_p)
{
    const struct bench_options *options = run->options;
    struct measuring measuring = {.run = run, .margin_ns = MARGIN_FIRST_NS, .limit_ns = INT64_MAX};
    *result_p = (struct bench_result){.bytes = bytes};
    if (options->time_limit_s > 0) {
        measuring.limit_ns = (int64_t) (options->time_limit_s * 1e9);
    }
    bench_clock_sync(&run->clock);
    measuring.begin_ns += elapsed(&measuring);
    enum bench_status status = make(&measuring, bytes);
    if (status == BENCH_OK && options->pingpong) {
        int64_t budget = measuring.limit_ns == INT64_MAX ? 0 : measuring.limit_ns / 4;
        status = bench_pingpong(run, bytes, budget, result_p);
    }
    if (status == BENCH_OK) {
        status = measure_modes(&measuring, result_p);
    }
    note_clock_error(&measuring, result_p);
    bench_samples_free(&measuring.samples);
    bench_payload_free(&measuring.payload);
    return status;
}
