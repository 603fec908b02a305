/*
 * What the ranks of a communicator want to be in force, and when they change to it, all before the
 * same broadcast (ours).
 *
 * What a rank wants may change at any time, without the others. So it travels as one number, in
 * the folds (engine/arrival/fold.h), whose conclusion brings back what all ranks wanted, if that
 * was the same. All of them take each conclusion before the same later broadcast, and act on what
 * it says alone, not on what they want by then: so whatever ranks want, and whenever that changes,
 * they have the same in force in each broadcast.
 *
 * Two folds of a communicator may be under way, and end in another order than they began: what an
 * older one says than the last one that was taken is passed over.
 *
 * Where no broadcast is watched for long, as each goes to groups of those who have arrived, or to
 * the fallback component while nothing is learnt, some have a *poll*: a fold for that alone. It is
 * waited for as late as a conclusion can be of use, so that hardly anyone waits: a root gets so
 * much ahead of a late rank, and no further.
 *
 * All fields are alike on all ranks between broadcasts.
 */
#ifndef PB_WANTED_H
#define PB_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Weight (engine/arrival/watch.h) of broadcasts that are not watched, from one poll to the next,
 * and until its conclusion is waited for. */
#define PB_WANTED_INTERVAL (UINT64_C(4) << 20)

/** Conclusions in a row by which ranks want different values, until that is reported: with one,
 * some ranks may just have been first. */
#define PB_WANTED_REPORT_AFTER 2

typedef struct pb_wanted {
    uint64_t in_force;
    uint32_t n_begun;     /**< folds */
    uint32_t newest;      /**< of those of which the conclusion was taken; 0: none was */
    uint32_t n_different; /**< conclusions in a row */
    uint64_t weight;      /**< of broadcasts that are not watched, since the last poll began */
    bool is_polling;      /**< the conclusion of the last poll has not been taken */
} pb_wanted_t;

/** What follows from a conclusion. */
typedef enum {
    PB_WANTED_STAYS,
    PB_WANTED_CHANGES, /**< to wanted->in_force */
    PB_WANTED_DIFFERS, /**< what is in force stays, and that is to be reported, once */
} pb_wanted_news_t;

/** This is in force, not PB_FOLD_DIFFERENT. */
void pb_wanted_init(pb_wanted_t *wanted, uint64_t in_force);

/** A fold begins: its number. */
uint32_t pb_wanted_begin(pb_wanted_t *wanted);

/** The conclusion of a fold is taken: `all` is what all ranks wanted, or PB_FOLD_DIFFERENT. */
pb_wanted_news_t pb_wanted_take(pb_wanted_t *wanted, uint32_t fold, uint64_t all);

/** A broadcast of `bytes` that is not watched begins: whether it has a poll. */
bool pb_wanted_polls(pb_wanted_t *wanted, size_t bytes);

/** A broadcast is about to begin: whether the conclusion of the last poll is to be taken before;
 * then that is taken for done. */
bool pb_wanted_take_poll(pb_wanted_t *wanted);

#endif
