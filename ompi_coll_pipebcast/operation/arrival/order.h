/*
 * Broadcasts in an order (engine/arrival/order.h): what all ranks plan for the group of those who
 * are not usually late.
 */
#ifndef COLL_PIPEBCAST_ARRIVAL_ORDER_H
#define COLL_PIPEBCAST_ARRIVAL_ORDER_H

#include "operation/operation.h"

/**
 * What `planned`, for all ranks, becomes for the group of the order of `call`: the same segments
 * and the same kind of tree, or a chain where that does not fit. Alike on its members. The role is
 * borrowed until the planner is asked again. With the module's lock held. O(ranks) where the last
 * group was the same; else as pb_planner_role(). PB_ERR_NO_MEMORY.
 */
int coll_pipebcast_plan_in_order(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                                 const pb_planned_t *planned, pb_planned_t *own);

#endif
