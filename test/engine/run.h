/*
 * One broadcast of all ranks as state machines in one process, advanced in random order over the
 * world of world.h. They are transfers, and relays where the plan is by leaders.
 */
#ifndef PB_TEST_RUN_H
#define PB_TEST_RUN_H

#include "engine/relay.h"
#include "topo/trees/plan.h"
#include "world.h"

/** Rounds in which every rank is advanced; far more than any right engine needs. */
#define MAX_ROUNDS 200000

/** One rank's part. */
typedef struct part {
    pb_role_t *role;
    pb_relay_t relay; /**< a rank that relays nothing has `transfer` alone */
    bool relays;      /**< else it is a transfer */
    bool started, through;
    int late; /**< the round in which it starts */
} part_t;

typedef struct run {
    world_t *world;
    const pb_plan_t *plan;
    pb_transfer_limits_t limits;
    size_t piece_size; /**< 0: segments go everywhere, and nothing is relayed */
    part_t *parts;     /**< by rank */
    bool is_cancelled; /**< parts end without an error, and without every byte */
} run_t;

/** Errors of many runs; the first is described. */
typedef struct tally {
    int runs, failures;
    char first[300];
} tally_t;

void tally_note(tally_t *tally, uint64_t seed, const char *what);

/** In a world of the plan's ranks, which run_fini() frees. Aborts if out of memory. */
run_t run_new(world_t *world, const pb_plan_t *plan, pb_transfer_limits_t limits);

/** In a random world, with random limits; some ranks are late. With pieces where it says so. */
run_t run_random(pb_random_t *random, uint64_t seed, const pb_plan_t *plan, bool has_pieces);

/** Starts a rank's part. False if out of memory: then nothing is left. */
bool run_start(run_t *run, int rank);

void run_advance(run_t *run, int rank, int round);

bool run_all_through(const run_t *run);

/** Lets random ranks advance and random things happen; true if all ranks got through. */
bool run_rounds(run_t *run, int n_rounds);

/** The error of a rank. */
int run_error(const run_t *run, int rank);

/** Ends the parts that are under way, as a caller does who learns of an error elsewhere. */
void run_cancel(run_t *run);

/** Gives everything back; notes requests that are left, and breaches of the world's contracts. */
void run_fini(run_t *run, tally_t *tally, uint64_t seed);

/** All of a run without errors: every rank gets every byte, within windows and bounds. */
void run_all(run_t *run, tally_t *tally, uint64_t seed);

/**
 * All of a run in which a call of a rank fails after `n` that do not: it ends with this error.
 * Unless its transport refuses every other rank ends, too. No rank ends without an error and
 * without every byte. Counts only runs in which it has failed.
 */
void run_failing(run_t *run, int rank, call_t call, int after, tally_t *tally, uint64_t seed);

/** All of a run that is given up after `n` rounds. */
void run_given_up(run_t *run, int n_rounds, tally_t *tally, uint64_t seed);

#endif
