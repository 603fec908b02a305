/*
 * Schedule of a communicator's sweeps: which blocking broadcasts have one (engine/sweep.h), and how
 * many broadcasts later all ranks wait for its verdict (ours).
 *
 * So all ranks have the verdict before the same broadcast. No root gets further ahead of a slow
 * rank than by the broadcasts from one sweep to the next, and on to its verdict. Without a bound it
 * could: a root has sent short broadcasts before any rank has received them.
 *
 * Broadcasts are counted by their weight: their bytes, and an amount that a transport keeps for
 * each. So at most PB_SCHEDULE_BOUND waits at a slow rank, of broadcasts up to
 * PB_SCHEDULE_MAX_WEIGHT. There are at most PB_SCHEDULE_LONG longer ones, and each may have the
 * bound of one broadcast (pb_transfer_limits_t.ahead) waiting. All of that is alike on all ranks.
 */
#ifndef PB_SCHEDULE_H
#define PB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Weight from one sweep to the next, at most. Its two messages of about 100 bytes for each edge of
 * the tree are far below 1 % of that, in bytes and in time.
 */
#define PB_SCHEDULE_INTERVAL (UINT64_C(1) << 20)

/**
 * Weight from a sweep to the broadcast that waits for its verdict, at most. That is 1 ms or more at
 * 10 Gbit/s: if no rank is late, the verdict is there, and no one waits.
 */
#define PB_SCHEDULE_LAG (UINT64_C(1) << 20)

/** Weight of one broadcast, at most: the lag is then several broadcasts. */
#define PB_SCHEDULE_MAX_WEIGHT (UINT64_C(1) << 18)

/** Bytes that a transport and a rank keep in addition to each broadcast that waits, about as ob1.
 */
#define PB_SCHEDULE_WEIGHT_OF_ANY 256

/** Bound on the weight of the broadcasts that wait at a slow rank. */
#define PB_SCHEDULE_BOUND (PB_SCHEDULE_INTERVAL + PB_SCHEDULE_LAG + 2 * PB_SCHEDULE_MAX_WEIGHT)
#define PB_SCHEDULE_LONG ((PB_SCHEDULE_INTERVAL + PB_SCHEDULE_LAG) / PB_SCHEDULE_MAX_WEIGHT)

/**
 * On slower links a MiB takes long, and a program whose ranks arrive unevenly would wait long for
 * help. So a sweep also begins after PB_SCHEDULE_FEWEST broadcasts that took
 * PB_SCHEDULE_INTERVAL_MESSAGES times as long as a short message, or up to three more. Its verdict
 * is waited for after PB_SCHEDULE_FEWEST_LAG. The messages of a sweep are 1 % of that at most. A
 * sweep goes up a tree and down again in 2 log2 P such times, and the lag is twice as much.
 */
#define PB_SCHEDULE_FEWEST 4
#define PB_SCHEDULE_FEWEST_LAG 2
#define PB_SCHEDULE_INTERVAL_MESSAGES 50

typedef struct pb_schedule {
    uint64_t weight;       /**< of the broadcasts since the last one that was swept, that one too */
    int64_t time;          /**< that they take at least, in nanoseconds */
    uint32_t n;            /**< how many they are */
    uint32_t n_passed;     /**< and how many of them since enough time has passed */
    uint32_t n_sweeps;     /**< begun so far */
    bool is_open;          /**< the last verdict has not been taken */
    bool is_asked;         /**< that sweep was asked for */
    int64_t short_message; /**< nanoseconds that one takes; 0: times are not known */
    int64_t mebibyte;      /**< nanoseconds that 2^20 more bytes take */
    int64_t interval, lag; /**< nanoseconds of broadcasts: see above */
} pb_schedule_t;

/** The second broadcast is swept, if no other is asked for: the first opens connections. */
void pb_schedule_init(pb_schedule_t *schedule);

/**
 * Sets the times of messages between two of `n_ranks` ranks, in nanoseconds: of a short one, and of
 * one MiB more. Without this call, weight alone decides.
 */
void pb_schedule_set_times(pb_schedule_t *schedule, int64_t short_message, int64_t mebibyte,
                           int n_ranks);

/** Returns whether the verdict of the last sweep is due before the next broadcast. */
bool pb_schedule_is_due(const pb_schedule_t *schedule);

/** The verdict was taken. */
void pb_schedule_close(pb_schedule_t *schedule);

/**
 * Begins a blocking broadcast of `bytes`; returns whether it is swept. `asked`: it is to be swept,
 * if no verdict is to come. Its verdict is then due PB_SCHEDULE_FEWEST_LAG broadcasts later: the
 * sweep goes on next to a whole broadcast and delays none.
 */
bool pb_schedule_begin(pb_schedule_t *schedule, size_t bytes, bool asked);

#endif
