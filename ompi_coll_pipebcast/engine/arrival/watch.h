/*
 * Which plain broadcasts of a communicator are watched: each of them has a fold
 * (engine/arrival/fold.h), and some broadcasts later all ranks wait for its conclusion, if it is
 * not there yet (ours).
 *
 * That serves two ends. The conclusion says how unevenly the ranks arrive; all ranks have it before
 * the same broadcast. And no root gets further ahead of a slow rank than by the broadcasts between
 * two folds and those until the conclusion is waited for. Within one broadcast a receiver's
 * acknowledgements bound what waits for it (engine/transfer.h), but nothing bounds thousands of
 * short ones: a root has sent each before anyone has received it.
 *
 * Broadcasts are counted by their weight: their bytes, and something for what a transport keeps
 * beside them. So at most PB_WATCH_BOUND waits at a slow rank, of broadcasts up to
 * PB_WATCH_MAX_WEIGHT; longer ones are PB_WATCH_LONG at most, of each of which the bound of one
 * broadcast (pb_transfer_limits_t.ahead) may wait.
 *
 * At the beginning of a communicator that is too seldom where ranks arrive unevenly from one
 * broadcast to the next: so of its first PB_WATCH_DENSE broadcasts those that are not watched
 * otherwise are watched *beside* them, by a second fold, for arrivals alone. Whichever of them is
 * the first uneven one, all ranks know before the second one after it.
 *
 * All that this depends on is alike on all ranks.
 */
#ifndef PB_ARRIVAL_WATCH_H
#define PB_ARRIVAL_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Weight from one fold to the next, at most. Its two messages of about 100 bytes for each edge of
 * the tree are far below 1 % of that, and so are their some microseconds of the time that it takes.
 */
#define PB_WATCH_INTERVAL (UINT64_C(1) << 20)

/**
 * Weight from a fold to the broadcast before which its conclusion is waited for, at most: 1 ms or
 * more at 10 Gbit/s, so that where no rank is late the conclusion is there, and no one waits.
 */
#define PB_WATCH_LAG (UINT64_C(1) << 20)

/** Of one broadcast at most, so that the lag is some broadcasts. */
#define PB_WATCH_MAX_WEIGHT (UINT64_C(1) << 18)

/** What waits at a slow rank is less than this. */
#define PB_WATCH_BOUND (PB_WATCH_INTERVAL + PB_WATCH_LAG + 2 * PB_WATCH_MAX_WEIGHT)
#define PB_WATCH_LONG ((PB_WATCH_INTERVAL + PB_WATCH_LAG) / PB_WATCH_MAX_WEIGHT)

/**
 * On slower links a MiB takes long, and a program whose ranks arrive unevenly would wait for its
 * help through many broadcasts. So a fold also begins after so many broadcasts that took so many
 * times as long as a short message, and its conclusion is waited for after so many: what a rank
 * does for a fold is to send and receive some short messages, of which each keeps it busy for less
 * than a tenth of the time that the message takes, so it is 1 % at most again; and a fold is up a
 * tree and down again in 2 log2 P such times, of which the lag is twice as much.
 */
#define PB_WATCH_FEWEST 4
#define PB_WATCH_FEWEST_LAG 2
#define PB_WATCH_INTERVAL_MESSAGES 50

/**
 * The next broadcast waits for the conclusion: where the one that is watched is the first from
 * which it follows how fast links are, and the next one would be planned as wrongly. That is once
 * for a communicator, and none that broadcasts only once waits. The next one then begins when the
 * last rank has been in the first, however late that is. Whatever the sizes, as what a fold takes
 * is less than what the better plan wins, of broadcasts one after the other from 4 KB on
 * (doc/results.md).
 */
#define PB_WATCH_SOON 1

/**
 * Broadcasts at the beginning that are all watched, but for the first and for those of less than
 * PB_WATCH_LEAST_BESIDE bytes: of these a fold is a half of a percent or less.
 */
#define PB_WATCH_DENSE 16
#define PB_WATCH_LEAST_BESIDE 32768

typedef struct pb_watch {
    uint64_t weight;  /**< of the broadcasts since the last one that was watched, that one too */
    int64_t time;     /**< that they take at least, in nanoseconds */
    uint32_t n;       /**< how many they are */
    uint32_t n_folds; /**< begun so far */
    bool is_open;     /**< the last fold's conclusion has not been taken */
    uint32_t
        asked_after;    /**< the next one is to be watched if it can; see pb_watch_ask(); else 0 */
    uint32_t due_after; /**< the same of the last one that was watched */
    int64_t short_message; /**< nanoseconds that one takes; 0: times are not known */
    int64_t mebibyte;      /**< nanoseconds that so many more bytes take */
    int64_t interval, lag; /**< nanoseconds of broadcasts: see above */
    uint32_t n_begun;      /**< plain broadcasts so far */
    bool is_open_beside;   /**< the conclusion of the fold beside the others has not been taken */
    uint32_t n_since;      /**< if so: broadcasts of any kind that began since */
} pb_watch_t;

/** What a broadcast of `bytes` weighs. */
uint64_t pb_watch_weight(size_t bytes);

/** A communicator's second broadcast is watched: the first opens connections. */
void pb_watch_init(pb_watch_t *watch);

/**
 * How long messages take between two of `n_ranks` ranks, in nanoseconds: a short one, and one of a
 * MiB more than that. Where this is not called, broadcasts are watched by their weight alone.
 */
void pb_watch_set_times(pb_watch_t *watch, int64_t short_message, int64_t mebibyte, int n_ranks);

/**
 * Whether the next broadcast is to be watched whatever the weight and time since the last one, as
 * something is learnt from it (topo/model/learner.h). Its conclusion is due `due_after` broadcasts
 * later: PB_WATCH_FEWEST_LAG, so that it travels beside a whole one and delays none, or
 * PB_WATCH_SOON. 0: it is not asked for. Counts until the next call.
 */
void pb_watch_ask(pb_watch_t *watch, uint32_t due_after);

/** Whether the conclusion of the last fold is to be taken before the next broadcast. */
bool pb_watch_is_due(const pb_watch_t *watch);

/** The conclusion was taken. */
void pb_watch_close(pb_watch_t *watch);

/** Whether the next plain broadcast is watched. */
bool pb_watch_is_next(const pb_watch_t *watch);

/** A plain broadcast of `bytes` begins: whether it is watched. */
bool pb_watch_begin(pb_watch_t *watch, size_t bytes);

/** One has begun that is not watched: whether it is watched beside others. */
bool pb_watch_begin_beside(pb_watch_t *watch, size_t bytes);

/** Whether plain broadcasts of `bytes` are all watched, as the communicator is young. */
bool pb_watch_is_dense(const pb_watch_t *watch, size_t bytes);

/**
 * A broadcast of any kind is about to begin: whether the conclusion of the fold beside the others
 * is to be taken before; then that is taken for done.
 */
bool pb_watch_take_beside(pb_watch_t *watch);

#endif
