/*
 * One message size being measured: the message, verified broadcasts of it from an agreed start,
 * and the clocks and limits that go with it. Everything is collective over run->control.
 */
#ifndef BENCH_MEASURING_H
#define BENCH_MEASURING_H

#include <stdbool.h>
#include <stdint.h>

#include "measure.h"
#include "op.h"
#include "payload.h"

struct bench_measuring {
    struct bench_run *run;
    struct bench_payload payload;
    int root;          /**< BENCH_UNSET: as in the options */
    bool uneven;       /**< ranks arrive far apart: those that are done wait for the rest asleep */
    int64_t margin_ns; /**< from the agreement on a start to the start */
    int64_t begin_ns;  /**< agreed time, equal on all ranks */
    int64_t limit_ns;  /**< INT64_MAX without a limit */
    struct bench_call call;
};

/** A broadcast, for messages, and the time from the start to this rank's arrival at it. */
struct bench_step {
    const char *phase;
    int iteration;
    int64_t delay_ns;
};

/** Moments of a broadcast, in nanoseconds from the agreed start. */
struct bench_timing {
    int64_t start_ns;   /**< agreed time of the start; equal on all ranks */
    int64_t arrival_ns; /**< this rank called */
    int64_t exit_ns;    /**< this rank was done */
    int64_t last_ns;    /**< the last rank was done; equal on all ranks */
    int n_again;        /**< how often it was done again because a rank was late by itself */
};

/** Begins a size: synchronizes the clocks, starts the time limit, makes the message. */
void bench_measuring_begin(struct bench_measuring *measuring, struct bench_run *run,
                           long long bytes);

void bench_measuring_end(struct bench_measuring *measuring);

/** The root of the next broadcast. */
int bench_measuring_root(const struct bench_measuring *measuring);

/** Agreed time since the size began; equal on all ranks, so that they decide alike. */
int64_t bench_measuring_elapsed(const struct bench_measuring *measuring);

/** Readies the message where bytes are verified. Purely local. */
void bench_measuring_prepare(struct bench_measuring *measuring);

/** The broadcast alone. */
void bench_measuring_broadcast(struct bench_measuring *measuring);

/**
 * Verifies this rank's bytes of the broadcast just done, if that is wanted, and counts it. Where
 * any rank has wrong ones, the lowest such rank reports it, and the job ends.
 */
void bench_measuring_finish(struct bench_measuring *measuring, const struct bench_step *step);

/**
 * One verified broadcast at which this rank arrives step->delay_ns after an agreed start. Estimates
 * the clocks anew before it where the last estimate is old. If a rank hears of the start after it
 * should have arrived, the margin doubles and all is done again. The margin has a bound.
 */
struct bench_timing bench_measuring_timed(struct bench_measuring *measuring,
                                          const struct bench_step *step);

/** Broadcasts before those that count, all ranks together, within 25 % of the time limit. Returns
 * their number and the last one's time (0 if none was wanted). */
int bench_measuring_warm_up(struct bench_measuring *measuring, int64_t *last_p);

#endif
