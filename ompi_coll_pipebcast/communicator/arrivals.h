/*
 * How the ranks of a communicator arrive: some of its plain broadcasts are watched
 * (engine/arrival/watch.h), each by a fold (engine/arrival/fold.h) that goes on beside it as a task
 * (communicator/progress.h).
 *
 * At most one fold is under way on a communicator, and all it needs is allocated before the ranks
 * agree. Only blocking broadcasts are watched, and wait for a conclusion: they follow each other in
 * the same order on all ranks, and one of them may synchronise the ranks.
 *
 * All functions but the first three with the module's lock held.
 */
#ifndef COLL_PIPEBCAST_ARRIVALS_H
#define COLL_PIPEBCAST_ARRIVALS_H

#include <stdbool.h>

#include "communicator/progress.h"
#include "engine/arrival/fold.h"
#include "engine/arrival/shortfall.h"
#include "engine/arrival/watch.h"
#include "pml/control.h"
#include "topo/model/planner.h"

typedef struct coll_pipebcast_arrivals {
    struct coll_pipebcast_module *module; /**< of which this is a part */
    pb_watch_t watch;
    coll_pipebcast_task_t task; /**< the fold as one */
    bool is_task;               /**< from its start until the task has ended */
    pb_fold_t fold;
    pb_control_t control;
    int *children;            /**< the fold's room; NULL: no broadcast is watched */
    size_t bytes;             /**< of the watched broadcast */
    pb_shortfall_t shortfall; /**< of the broadcasts that this rank was root of */
    int64_t left; /**< coll_pipebcast_now() at the end of the broadcast before that; 0: none was */
} coll_pipebcast_arrivals_t;

/** As a module is made, and goes. */
void coll_pipebcast_arrivals_construct(coll_pipebcast_arrivals_t *arrivals,
                                       struct coll_pipebcast_module *module);
void coll_pipebcast_arrivals_destruct(coll_pipebcast_arrivals_t *arrivals);

/** Has the memory for watching broadcasts of the communicator. False if out of memory. */
bool coll_pipebcast_arrivals_prepare(coll_pipebcast_arrivals_t *arrivals);

/**
 * The ranks have agreed to serve: by what they have agreed on, it is known how often to watch. Rank
 * 0 reports where arrivals cannot be treated as the user has set.
 */
void coll_pipebcast_arrivals_begin_serving(struct coll_pipebcast_module *module);

/**
 * Whether every broadcast is arrival-aware: the user has set it, and ranks may report their
 * arrivals to the root directly. Once the ranks have agreed.
 */
bool coll_pipebcast_all_are_aware(const struct coll_pipebcast_module *module);

/**
 * A blocking broadcast that may be ours begins, alike on all ranks: waits for the conclusion of the
 * last fold if it is due, and acts on it. The lock is given up while it waits, which ends early
 * where this rank is lost.
 */
void coll_pipebcast_arrivals_settle(struct coll_pipebcast_module *module);

/**
 * Whether the next broadcast of the communicator, of `bytes`, is watched if it is a plain blocking
 * one, or one of the fallback component from which something is learnt. Alike on all ranks.
 */
bool coll_pipebcast_arrivals_is_next(struct coll_pipebcast_module *module, size_t bytes);

/** Such a broadcast of `bytes` begins: whether it is watched. Alike on all ranks. */
bool coll_pipebcast_arrivals_is_watched(struct coll_pipebcast_module *module, size_t bytes);

/**
 * The fold of a watched broadcast of `bytes` begins, with a tag of its own for its control
 * messages. Returns the stream along whose tree it travels. If it cannot, this rank is lost.
 */
int coll_pipebcast_arrivals_begin(struct coll_pipebcast_module *module, const pb_planned_t *planned,
                                  size_t bytes, int tag);

/**
 * This rank's part of the watched broadcast, at which it had arrived at this time of
 * coll_pipebcast_now(), is through. How long it was away before that is added to `times` here.
 */
void coll_pipebcast_arrivals_end(struct coll_pipebcast_module *module, int64_t arrived,
                                 const pb_fold_times_t *times);

/** This rank leaves a blocking broadcast of ours. */
void coll_pipebcast_arrivals_leave(struct coll_pipebcast_module *module);

#endif
