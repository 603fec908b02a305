#include "measuring.h"

#include <stdio.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"
#include "op.h"

enum {
    MARGIN_FIRST_NS = 200000,
    MARGIN_LAST_NS = 1000000000,
    RESYNC_NS = 1000000000,
};

int bench_measuring_root(const struct bench_measuring *measuring)
{
    const struct bench_run *run = measuring->run;
    if (measuring->root != BENCH_UNSET) {
        return measuring->root;
    }
    return run->options->root == BENCH_ROOT_ROTATE ? (int) (run->n_broadcasts % run->n_ranks)
                                                   : run->options->root;
}

void bench_measuring_broadcast(struct bench_measuring *measuring)
{
    struct bench_call *call = &measuring->call;
    call->root = bench_measuring_root(measuring);
    bench_op_at(measuring->run->options->op)->start(call);
    bench_op_end(call);
}

void bench_measuring_prepare(struct bench_measuring *measuring)
{
    struct bench_run *run = measuring->run;
    if (run->options->check) {
        bench_payload_prepare(&measuring->payload, run->n_broadcasts,
                              run->rank == bench_measuring_root(measuring));
    }
}

static void report_mismatch(const struct bench_measuring *measuring, const struct bench_step *step,
                            const struct bench_mismatch *mismatch, int n_wrong_ranks)
{
    const struct bench_run *run = measuring->run;
    common_report("wrong bytes: %zu bytes from rank %d, %s iteration %d (broadcast %lld of the "
                  "run): rank %d has at byte offset %zu 0x%02x, expected 0x%02x; %zu bytes are "
                  "wrong here; %d of %d ranks have wrong bytes",
                  measuring->payload.bytes, bench_measuring_root(measuring), step->phase,
                  step->iteration, run->n_broadcasts, run->rank, mismatch->offset, mismatch->found,
                  mismatch->expected, mismatch->n_wrong, n_wrong_ranks, run->n_ranks);
}

void bench_measuring_finish(struct bench_measuring *measuring, const struct bench_step *step)
{
    struct bench_run *run = measuring->run;
    struct bench_mismatch mismatch;
    int wrong = 0, n_wrong = 0;
    if (run->options->check) {
        wrong = !bench_payload_verify(&measuring->payload, run->n_broadcasts, &mismatch);
        MPI_Allreduce(&wrong, &n_wrong, 1, MPI_INT, MPI_SUM, run->control);
    }
    if (n_wrong > 0) {
        int candidate = wrong ? run->rank : run->n_ranks, lowest;
        MPI_Allreduce(&candidate, &lowest, 1, MPI_INT, MPI_MIN, run->control);
        if (lowest == run->rank) {
            report_mismatch(measuring, step, &mismatch, n_wrong);
        }
        common_require(false, run->control);
    }
    run->n_broadcasts++;
}

/**
 * All ranks agree on a start, a margin after the last of them is ready, and broadcast from there,
 * each after its delay. Yields by how much the last rank heard of the start too late (0 or less:
 * it did not).
 */
static int64_t start_and_broadcast(struct bench_measuring *measuring, int64_t delay_ns,
                                   struct bench_timing *timing)
{
    struct bench_run *run = measuring->run;
    const common_clock_t *clock = &run->clock;
    int64_t ready = common_clock_agreed(clock), start;
    MPI_Allreduce(&ready, &start, 1, MPI_INT64_T, MPI_MAX, run->control);
    start += measuring->margin_ns;
    timing->start_ns = start;
    int64_t own[2], worst[2]; /* exit, lateness */
    own[1] = common_clock_agreed(clock) - (start + delay_ns);
    common_clock_wait_until(clock, start + delay_ns);
    timing->arrival_ns = common_clock_agreed(clock) - start;
    bench_measuring_broadcast(measuring);
    own[0] = timing->exit_ns = common_clock_agreed(clock) - start;
    if (measuring->uneven) {
        common_quiet_barrier(run->control);
    }
    MPI_Allreduce(own, worst, 2, MPI_INT64_T, MPI_MAX, run->control);
    timing->last_ns = worst[0];
    return worst[1];
}

int64_t bench_measuring_elapsed(const struct bench_measuring *measuring)
{
    const common_clock_t *clock = &measuring->run->clock;
    int64_t now = common_clock_agreed(clock), latest;
    MPI_Allreduce(&now, &latest, 1, MPI_INT64_T, MPI_MAX, measuring->run->control);
    return latest - measuring->begin_ns;
}

/** Estimates the clocks again if the last estimate is too old. */
static void refresh_clock(const struct bench_measuring *measuring)
{
    common_clock_t *clock = &measuring->run->clock;
    if (!clock->shared &&
        measuring->begin_ns + bench_measuring_elapsed(measuring) - clock->synced_ns > RESYNC_NS) {
        common_clock_sync(clock);
    }
}

struct bench_timing bench_measuring_timed(struct bench_measuring *measuring,
                                          const struct bench_step *step)
{
    struct bench_timing timing = {.n_again = 0};
    refresh_clock(measuring);
    for (;;) {
        bench_measuring_prepare(measuring);
        const int64_t late = start_and_broadcast(measuring, step->delay_ns, &timing);
        bench_measuring_finish(measuring, step);
        if (late <= 0 || measuring->margin_ns >= MARGIN_LAST_NS) {
            return timing;
        }
        measuring->margin_ns *= 2;
        timing.n_again++;
    }
}

int bench_measuring_warm_up(struct bench_measuring *measuring, int64_t *last_p)
{
    const int n = bench_warmup_of(measuring->run->options, (long long) measuring->payload.bytes);
    int64_t spent = 0;
    int n_done = 0;
    *last_p = 0;
    while (n_done < n && spent <= measuring->limit_ns / 4) {
        const struct bench_step step = {.phase = "warm-up", .iteration = n_done++};
        *last_p = bench_measuring_timed(measuring, &step).last_ns;
        spent += *last_p;
    }
    return n_done;
}

void bench_measuring_begin(struct bench_measuring *measuring, struct bench_run *run,
                           long long bytes)
{
    *measuring = (struct bench_measuring){
        .run = run, .root = BENCH_UNSET, .margin_ns = MARGIN_FIRST_NS, .limit_ns = INT64_MAX};
    if (run->options->time_limit_s > 0) {
        measuring->limit_ns = (int64_t) (run->options->time_limit_s * 1e9);
    }
    common_clock_sync(&run->clock);
    measuring->begin_ns = bench_measuring_elapsed(measuring);
    bench_payload_make(&measuring->payload, bytes);
    measuring->call = (struct bench_call){.memory = measuring->payload.memory,
                                          .count = (int) bytes,
                                          .type = MPI_BYTE,
                                          .comm = run->comm,
                                          .request = MPI_REQUEST_NULL,
                                          .initialised_root = BENCH_UNSET};
}

void bench_measuring_end(struct bench_measuring *measuring)
{
    bench_op_drop(&measuring->call);
    bench_payload_free(&measuring->payload);
}
