/*
 * Two contention-free trees at half rate each: full bandwidth at logarithmic
 * depth. After the two-tree of Sanders, Speck and Traeff (2009), made for
 * switch trees (ours, see twotree_internal.h).
 */
#ifndef PB_TWOTREE_H
#define PB_TWOTREE_H

#include "topo/plan.h"

int pb_plan_twotree(const pb_view_t *view, pb_plan_t **plan_p);

#endif
