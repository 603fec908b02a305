/*
 * The colouring of a plan, judged independently of how it was made.
 */
#ifndef PB_CHECK_PARITY_H
#define PB_CHECK_PARITY_H

#include "topo/network/placement.h"
#include "topo/trees/plan.h"
#include "topo/util/diag.h"

/**
 * Checks that no two edges of equal parity share a sender, a receiver or a
 * directed link, so that in slots of one segment time on equal links nothing
 * ever waits. Each violation is a fault in `diag`; PB_ERR_INPUT, also if a
 * stream has no colouring. PB_ERR_NO_MEMORY. O(edges * path length).
 */
int pb_check_parity(const pb_placement_t *placement, const pb_plan_t *plan, pb_diag_t *diag);

#endif
