/*
 * The order in which ranks usually arrive: who is usually late at the broadcasts of a root (ours).
 *
 * A root sees when ranks arrive at its arrival-aware broadcasts, and learns from that who is
 * usually late: its *habits*. A rank becomes so, and is it no more, by PB_ORDER_TIMES broadcasts in
 * a row that show it. When as many in a row were as learnt, that is, when nobody else was late and
 * most of these were, the header of the root's next one announces the *order* to all ranks: the set
 * of those who are usually late. Where ranks arrive at random there is none, whoever was late
 * several times by chance. The next PB_ORDER_LENGTH broadcasts of that root are in this order: the
 * others are served at once, as one group, of which they know without a message, and do not report
 * that they have arrived; those who are usually late report, and are served as ever. Nobody who is
 * in time waits for them, and they relay nothing to those who are. Then two broadcasts show again
 * how all ranks arrive.
 *
 * A set of more than half of the ranks is none, as the others would be too few to be worth it.
 *
 * Habits are the root's own. Orders are alike on all ranks between broadcasts: PB_ORDERS of them,
 * each in the place that follows from its root, so that what is replaced is alike, too. Both have
 * one bit or a few bytes for each rank: at 10,000 ranks 5 KB for the orders, 20 KB for the habits
 * of a rank that is root.
 */
#ifndef PB_ARRIVAL_ORDER_H
#define PB_ARRIVAL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Broadcasts in a row that make a habit. */
#define PB_ORDER_TIMES 3

/** Broadcasts in an order that was announced: who is late of a sudden holds others in so many. */
#define PB_ORDER_LENGTH 6

/** Roots whose orders are kept. */
#define PB_ORDERS 4

/* Sets of ranks: bit r % 8 of byte r / 8 is rank r. */

static inline size_t pb_order_bytes(int n_ranks)
{
    return ((size_t) n_ranks + 7) / 8;
}

static inline bool pb_order_has(const uint8_t *set, int rank)
{
    return (set[rank / 8] >> (rank % 8) & 1) != 0;
}

static inline void pb_order_add(uint8_t *set, int rank)
{
    set[rank / 8] = (uint8_t) (set[rank / 8] | 1u << (rank % 8));
}

/** Whether a set is an order for the broadcasts of a root: not empty, not too large, not the root.
 */
bool pb_order_is_one(const uint8_t *late, int n_ranks, int root);

/** What a root knows of a rank. */
typedef struct pb_arrival_habit {
    uint8_t is_late;    /**< usually */
    uint8_t n_contrary; /**< broadcasts in a row that were otherwise */
} pb_arrival_habit_t;

typedef struct pb_arrival_habits {
    int n_ranks;
    pb_arrival_habit_t *of; /**< indexed by rank; NULL: there is no memory for them (yet) */
    uint8_t *late;          /**< those who are usually late */
    uint8_t n_as_learnt;    /**< broadcasts in a row that were, and in which all ranks reported */
    bool is_seen;           /**< the last one was such that all ranks reported in it */
} pb_arrival_habits_t;

/** Nothing is known. Has the memory at the first call; false if out of memory. */
bool pb_arrival_habits_reserve(pb_arrival_habits_t *habits, int n_ranks);
void pb_arrival_habits_fini(pb_arrival_habits_t *habits);

/**
 * A broadcast of this root has ended at which the ranks of `late` were late. `is_in_order`: it was
 * in an order, and only those who are usually late have reported. O(n_ranks).
 */
void pb_arrival_habits_note(pb_arrival_habits_t *habits, const uint8_t *late, bool is_in_order);

/** What this root's next header announces, borrowed until the next note; NULL: nothing. O(n_ranks).
 */
const uint8_t *pb_arrival_habits_order(const pb_arrival_habits_t *habits, int root);

typedef struct pb_arrival_order {
    int root;
    int n_left;    /**< broadcasts that it still is for; 0: there is none */
    uint8_t *late; /**< those who are usually late */
} pb_arrival_order_t;

typedef struct pb_arrival_orders {
    int n_ranks;
    pb_arrival_order_t of[PB_ORDERS];
    uint8_t *room; /**< NULL: not initialised */
} pb_arrival_orders_t;

/** There are none. False if out of memory. */
bool pb_arrival_orders_init(pb_arrival_orders_t *orders, int n_ranks);
void pb_arrival_orders_fini(pb_arrival_orders_t *orders);

/** Those who are usually late at the broadcasts of a root, borrowed until the next change, or NULL.
 */
const uint8_t *pb_arrival_orders_find(const pb_arrival_orders_t *orders, int root);

/** The same for a broadcast of which all ranks know the one before it: one less is left. */
const uint8_t *pb_arrival_orders_take(pb_arrival_orders_t *orders, int root);

/** A broadcast of `root` has announced this order, or none (NULL). O(n_ranks). */
void pb_arrival_orders_set(pb_arrival_orders_t *orders, int root, const uint8_t *late);

/** Broadcasts are plain again. */
void pb_arrival_orders_clear(pb_arrival_orders_t *orders);

#endif
