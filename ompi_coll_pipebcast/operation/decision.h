/*
 * Decision on a broadcast: whether pipebcast takes it, and by which plan. The communicator's
 * planner (topo/model/planner.h) answers that; where this rank is in trouble, it is lost.
 */
#ifndef COLL_PIPEBCAST_DECISION_H
#define COLL_PIPEBCAST_DECISION_H

#include "operation/operation.h"

typedef struct coll_pipebcast_decision {
    bool ours;
    coll_pipebcast_reason_t reason; /**< why not */
    pb_planned_t planned;           /**< also where the fallback component is faster */
} coll_pipebcast_decision_t;

/**
 * Decides for a call that may be ours, and whether it is swept; alike on all ranks, lost ones
 * included. *decision is zero. With the lock held; the role is borrowed until the planner is asked
 * again. An error: this rank is lost, and the others have a broadcast of ours. If the others' may
 * be the fallback component's, which does not hear of lost ranks, the job ends: ranks would wait
 * without end.
 */
int coll_pipebcast_decide(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call,
                          coll_pipebcast_decision_t *decision);

/**
 * Gives the role of a further start of a persistent broadcast: in the tree and segment size of
 * `decided`, whatever was learned since. Starts may come between different broadcasts on different
 * ranks, so they cannot be decided anew. The role is borrowed, too.
 */
int coll_pipebcast_decide_again(coll_pipebcast_module_t *module, int root,
                                const pb_planned_t *decided, pb_planned_t *planned);

#endif
