/*
 * A series of arrival-aware broadcasts of ranks in one process: engine/arrival/ in memory,
 * over a world (world.h) and control messages (control.h) for each broadcast. Each rank goes from
 * broadcast to broadcast by itself, after random delays. So some are ahead of others by as much as
 * the engine lets them.
 *
 * What must hold at any time is checked at any time: see `breach`.
 */
#ifndef PB_TEST_ARRIVALS_H
#define PB_TEST_ARRIVALS_H

#include "control.h"
#include "engine/arrival/receiver.h"
#include "engine/arrival/root.h"

struct pb_arrival_caller {
    struct arrivals *arrivals;
    int broadcast;
    int rank;
    pb_role_t *role;
    int *order;
};

/** One broadcast. */
typedef struct broadcast {
    world_t *world;
    int root;
    bool is_aware; /**< is arrival-aware */
    bool is_decided;
    controls_t controls;
    pb_arrival_caller_t *callers;
    pb_arrival_root_t at_root;
    pb_arrival_receiver_t *receivers;
    int *late;          /**< by rank: rounds after its last broadcast until it comes */
    int *groups_before; /**< by rank: number of groups that are formed before it comes */
    bool *has_begun;    /**< by rank */
    int *errors;        /**< by rank: the result */
    int *begun, *ended; /**< by rank: the rounds of its arrival and of its exit */
} broadcast_t;

typedef struct arrivals {
    pb_random_t random;
    pb_network_t *network;
    pb_placement_t *placement;
    int n_ranks;
    int n_broadcasts;
    broadcast_t *broadcasts;
    int64_t now;       /**< nanoseconds; a round is 1000 */
    int64_t expected;  /**< what roots are told that a message takes */
    bool is_auto;      /**< modes decide which broadcasts are arrival-aware */
    bool unasked;      /**< arrival_nb */
    bool is_cancelled; /* some parts were: what is sent to them may be left */
    bool in_turn;      /**< each rank moves once in a round, else as chance has it */
    int kind;          /**< of all groups' trees; -1: a random one */
    pb_transfer_limits_t limits;
    pb_arrival_mode_t *modes;
    pb_arrival_credit_t *credits;
    int *current; /**< by rank: the broadcast it is at or will come to */
    int *since;   /**< by rank: the round in which its last one ended */
    int round;
    int memory_after;      /**< 0: the role cannot be had; n: the n-th allocation after it fails */
    int n_groups;          /**< of all roots */
    int most_taken;        /**< by a root in one call */
    int n_root_calls;      /**< until all ARRIVED messages of a broadcast were taken in */
    int most_ahead;        /**< broadcasts that a rank was ahead of another */
    uint64_t most_waiting; /**< bytes that waited at a rank that had not arrived */
    int n_breaches;
    char breach[200]; /**< the first */
} arrivals_t;

/** Broadcasts of random sizes from random roots on a random network of `n_ranks` ranks. */
arrivals_t *arrivals_new_of(uint64_t seed, int n_ranks, int n_broadcasts);

/** Broadcasts of random sizes from random roots on a random network, by at most max_ranks. */
arrivals_t *arrivals_new(uint64_t seed, int max_ranks, int n_broadcasts);
void arrivals_free(arrivals_t *arrivals);

/** Runs rounds until all ranks are through, or `n` rounds; tells whether they are. */
bool arrivals_run(arrivals_t *arrivals, int max_rounds);

/** Notes what is wrong. */
void arrivals_breach(arrivals_t *arrivals, const char *what, int rank);

#endif
