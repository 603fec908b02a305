/*
 * A series of broadcasts by multicast of ranks in one process: engine/multicast/datagrams.h in
 * memory, and words by control.h. Each rank goes from broadcast to broadcast by itself,
 * after random delays. Datagrams are lost, delayed, reordered, repeated and damaged; a full
 * buffer drops them. Inside hosts pieces go over the world of world.h.
 *
 * What must hold at any time is checked at any time: see `breach`.
 */
#ifndef PB_TEST_GROUP_H
#define PB_TEST_GROUP_H

#include "engine/multicast/part.h"
#include "test/engine/control.h"
#include "test/topo/check/random_network.h"
#include "topo/trees/role.h"

/** A datagram in a rank's buffer or on its way there. */
typedef struct packet {
    int due;     /**< the round in which it is there */
    bool is_own; /**< of the rank itself */
    size_t length;
    uint8_t *bytes;
} packet_t;

/** A rank's datagrams; the interface first. */
typedef struct memory_datagrams {
    pb_datagrams_t interface;
    struct group *group;
    int rank;
    int n;             /**< in the buffer or on their way */
    int n_others;      /**< of these: of other ranks */
    packet_t *packets; /**< these */
    uint8_t *taken;    /**< the bytes of the last one that was taken in */
    uint32_t n_dropped;
    int leaves; /**< the round in which what was sent has left */
} memory_datagrams_t;

/** One rank in one broadcast. */
typedef struct member {
    pb_role_t *role;
    int wait; /**< rounds after its last broadcast until it comes */
    bool has_begun, is_through, is_free, is_over; /**< is_free: the call has returned */
    int result;
    int begun, ended; /**< rounds */
    bool has_inside, inside_is_through;
    pb_transfer_t inside; /**< of pieces */
    pb_multicast_part_t part;
} member_t;

typedef struct broadcast {
    member_t *members; /**< by rank */
    controls_t words;  /**< over the world that has the members' data; pieces go over it, too */
} broadcast_t;

typedef struct group {
    uint64_t seed;
    pb_random_t random;
    int n_ranks, n_broadcasts;
    uint32_t payload, window;
    broadcast_t *broadcasts;
    pb_multicast_t *multicasts;    /**< by rank */
    memory_datagrams_t *datagrams; /**< by rank */
    int *current; /**< by rank: the broadcast at which it is or to which it will come */
    int *since;   /**< by rank: the round in which its last call returned */
    int round;

    /* Events, in parts of a thousand for each datagram and receiver. */
    int lost, repeated, damaged, foreign;
    int last_lost;         /**< of these: datagrams that are a broadcast's last */
    int delay;             /**< rounds that a datagram takes, at most */
    int capacity;          /**< of each buffer, in datagrams */
    int task_percent;      /**< of the rounds in which a rank that computes makes progress */
    int overlap;           /**< broadcasts that a rank may have begun and not ended; 1: blocking */
    bool never_detaches;   /**< calls last until parts are over */
    int deaf;              /**< a rank that has no datagrams; -1: none */
    int mute;              /**< a rank that cannot send to the group; -1: none */
    pb_datagrams_t **real; /**< by rank: other datagrams than those in memory; NULL: none */

    bool is_prompt; /**< words are there in the next round */
    bool may_fail, has_failed, is_cancelled;
    int most_parts;   /**< of one rank together */
    size_t most_kept; /**< bytes of copies of one rank together */
    int most_waiting; /**< datagrams of others in a buffer, or on their way there */
    int n_breaches;
    char breach[200]; /**< the first */
} group_t;

/** Broadcasts of random sizes from random roots down random trees. Aborts if out of memory. */
group_t *group_new(uint64_t seed, int n_ranks, int n_broadcasts, uint32_t payload, uint32_t window,
                   size_t max_bytes);
void group_free(group_t *group);

/** Gives one broadcast another root and size. Before group_run(). */
void group_set(group_t *group, int broadcast, int root, size_t total);

/** The same down a chain in rank order from its root. */
void group_set_chain(group_t *group, int broadcast, int root, size_t total);

/**
 * Places the ranks on hosts: one of each hears datagrams, and broadcasts go by leaders, where that
 * applies, and in random pieces inside hosts. The placement has the group's ranks. Before
 * group_run(), and after all others have been set.
 */
void group_place(group_t *group, const pb_placement_t *placement);

/** A word fails at a rank, after `n` that do not. Before group_run(). Before group_run(). */
void group_fail(group_t *group, control_failure_t failure, int broadcast, int rank, int after);

/** Makes frames carry checksums. Before group_run(). */
void group_use_checksums(group_t *group);

/** Runs `n` rounds, or until all parts of all ranks are over; tells whether they are. */
bool group_run(group_t *group, int max_rounds);

/** Ends all parts, as a caller does who learns of an error elsewhere. */
void group_cancel(group_t *group);

/** Words that were sent and not received, and requests that were not given back. */
int group_left(const group_t *group);

/** Notes a breach of a contract. */
void group_breach(group_t *group, const char *what, int rank);

/** The sum of a counter over all ranks, by its offset in pb_multicast_counters_t. */
uint64_t group_sum(const group_t *group, size_t offset);
#define group_count(group, counter) group_sum(group, offsetof(pb_multicast_counters_t, counter))

#endif
