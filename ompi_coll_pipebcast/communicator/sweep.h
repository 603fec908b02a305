/*
 * Sweep of a communicator (engine/sweep.h), as a task (communicator/progress.h), and its verdict.
 * Between two broadcasts, only the verdict changes an answer of the planner, or how ranks are
 * served. communicator/sweep.c has what follows from what was measured, as a table.
 *
 * At most one sweep is under way on a communicator, and all it needs is allocated before the ranks
 * agree. Only blocking broadcasts are swept, and wait for a verdict. They follow each other in the
 * same order on all ranks, and may synchronize the ranks.
 *
 * The caller holds the module's lock, but for _construct(), _destruct(), _prepare() and
 * coll_pipebcast_note_end().
 */
#ifndef COLL_PIPEBCAST_SWEEP_H
#define COLL_PIPEBCAST_SWEEP_H

#include <stdbool.h>

#include "base/settings.h"
#include "communicator/progress.h"
#include "engine/schedule.h"
#include "engine/sweep.h"
#include "pml/transport.h"
#include "topo/model/planner.h"

typedef struct coll_pipebcast_sweep {
    struct coll_pipebcast_module *module; /**< that this is a part of */
    pb_schedule_t schedule;
    coll_pipebcast_task_t task; /**< the last sweep as one */
    bool is_task;               /**< from its start until the task has ended */
    pb_sweep_t sweep;
    pb_control_t control;
    uint8_t *children; /**< the sweep's room; NULL: no broadcast is swept */
    size_t bytes;      /**< of the message that is swept */
    bool is_passed;    /**< the fallback component served it */
    int n_unconnected; /**< connections that could not be made, when the broadcast ended */
} coll_pipebcast_sweep_t;

/** As a module is made, and goes. */
void coll_pipebcast_sweep_construct(coll_pipebcast_sweep_t *sweep,
                                    struct coll_pipebcast_module *module);
void coll_pipebcast_sweep_destruct(coll_pipebcast_sweep_t *sweep);

/** Has the memory for sweeps of the communicator. False if out of memory. */
bool coll_pipebcast_sweep_prepare(coll_pipebcast_sweep_t *sweep);

/** The ranks have agreed to serve: by that it is known how often to sweep. Rank 0 reports where
 * arrivals cannot be treated as the user has set. */
void coll_pipebcast_sweep_begin_serving(struct coll_pipebcast_module *module);

/**
 * Returns whether every broadcast is arrival-aware: the user has set it, and each rank may report
 * to the root directly. Valid once the ranks have agreed.
 */
bool coll_pipebcast_all_are_aware(const struct coll_pipebcast_module *module);

/**
 * A blocking broadcast that may be ours begins, on all ranks, and the last sweep's verdict is due:
 * waits for it, and acts on it. The lock is given up while it waits. The wait ends early if this
 * rank is lost. So it is where its part of the sweep ended without a verdict, as the communicator
 * was excluded meanwhile (base/compat.h): the others may have one.
 */
void coll_pipebcast_sweep_settle(struct coll_pipebcast_module *module);

/**
 * Counts a blocking broadcast of `bytes`; returns whether it is swept, alike on all ranks. `asked`:
 * the planner wants it; probes of a multicast group want it, too.
 */
bool coll_pipebcast_sweep_count(struct coll_pipebcast_module *module, size_t bytes, bool asked);

/**
 * The sweep of that broadcast begins, with a tag of its own for its messages. Returns the stream
 * along whose tree it travels. If it cannot, this rank is lost. The planned role is borrowed for
 * this call.
 */
int coll_pipebcast_sweep_begin(struct coll_pipebcast_module *module, const pb_planned_t *planned,
                               size_t bytes, int tag);

/**
 * This rank's part of the broadcast, at which it had arrived at this time of coll_pipebcast_now(),
 * is through. How long its process was in no broadcast of ours before that is added to `times`.
 */
void coll_pipebcast_sweep_end(struct coll_pipebcast_module *module, int64_t arrived,
                              const pb_sweep_times_t *times);

/** This process leaves a blocking broadcast of ours, of any communicator. For any thread. */
void coll_pipebcast_note_end(void);

#endif
