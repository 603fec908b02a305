/*
 * How the ranks of a communicator arrive: some of its plain broadcasts are watched
 * (engine/arrival/watch.h), each by a fold (engine/arrival/fold.h) that goes on beside it as a task
 * (communicator/progress.h).
 *
 * At most two folds are under way on a communicator, and all they need is allocated before the
 * ranks agree. Only blocking broadcasts are watched, and wait for a conclusion: they follow each
 * other in the same order on all ranks, and one of them may synchronise the ranks.
 *
 * All functions but the first three with the module's lock held.
 */
#ifndef COLL_PIPEBCAST_ARRIVALS_H
#define COLL_PIPEBCAST_ARRIVALS_H

#include <stdbool.h>

#include "base/settings.h"
#include "communicator/opening.h"
#include "communicator/progress.h"
#include "engine/arrival/fold.h"
#include "engine/arrival/shortfall.h"
#include "engine/arrival/watch.h"
#include "pml/control.h"
#include "topo/model/planner.h"

/** A watched broadcast. */
typedef struct coll_pipebcast_watched {
    struct coll_pipebcast_module *module; /**< of which this is a part */
    coll_pipebcast_task_t task;           /**< the fold as one */
    bool is_task;                         /**< from its start until the task has ended */
    bool is_beside;                       /**< for arrivals alone: nothing is learnt from it */
    pb_fold_t fold;
    pb_control_t control;
    uint8_t *children; /**< the fold's room; NULL: no broadcast is watched */
    int root;
    size_t bytes;
    pb_planner_report_t prediction; /**< at the root, of one that is watched beside others */
} coll_pipebcast_watched_t;

typedef struct coll_pipebcast_arrivals {
    struct coll_pipebcast_module *module; /**< of which this is a part */
    pb_watch_t watch;
    coll_pipebcast_watched_t watched; /**< the last one */
    coll_pipebcast_watched_t beside;  /**< the last one that was watched beside others */
    coll_pipebcast_opening_t opening;
    pb_shortfall_t shortfall; /**< of the broadcasts that this rank was root of */
} coll_pipebcast_arrivals_t;

/** As a module is made, and goes. */
void coll_pipebcast_arrivals_construct(coll_pipebcast_arrivals_t *arrivals,
                                       struct coll_pipebcast_module *module);
void coll_pipebcast_arrivals_destruct(coll_pipebcast_arrivals_t *arrivals);

/** Has the memory for watching broadcasts of the communicator. False if out of memory. */
bool coll_pipebcast_arrivals_prepare(coll_pipebcast_arrivals_t *arrivals);

/**
 * The ranks have agreed to serve: by what they have agreed on, it is known how often to watch.
 */
void coll_pipebcast_arrivals_begin_serving(struct coll_pipebcast_module *module);

/**
 * Whether every broadcast by these settings is arrival-aware: the user has set it, and ranks may
 * report their arrivals to the root directly. Once the ranks have agreed.
 */
bool coll_pipebcast_all_are_aware(const struct coll_pipebcast_module *module,
                                  const coll_pipebcast_settings_t *settings);

/** Rank 0 reports where arrivals cannot be treated as the user has set. */
void coll_pipebcast_arrivals_report_limits(const struct coll_pipebcast_module *module);

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

/**
 * Such a broadcast of `bytes` begins, which is `ours` or the fallback component's: NULL, or what it
 * is watched by, for coll_pipebcast_arrivals_begin(). Alike on all ranks.
 */
coll_pipebcast_watched_t *coll_pipebcast_arrivals_watch(struct coll_pipebcast_module *module,
                                                        size_t bytes, bool ours);

/**
 * The fold of a watched broadcast of `bytes` begins, with a tag of its own for its control
 * messages. Returns the stream along whose tree it travels. If it cannot, this rank is lost. The
 * planner may be asked, so that the planned role is not borrowed any more.
 */
int coll_pipebcast_arrivals_begin(coll_pipebcast_watched_t *watched, const pb_planned_t *planned,
                                  int root, size_t bytes, int tag);

/**
 * This rank's part of the watched broadcast, at which it had arrived at this time of
 * coll_pipebcast_now(), is through. How long its process was in no broadcast of ours before that is
 * added to `times` here.
 */
void coll_pipebcast_arrivals_end(coll_pipebcast_watched_t *watched, int64_t arrived,
                                 const pb_fold_times_t *times);

/** This process leaves a blocking broadcast of ours, of any communicator. For any thread. */
void coll_pipebcast_arrivals_leave(void);

#endif
