/*
 * The rule of contention-freedom: load against capacity. As checker.h it walks physical paths
 * itself and shares no code with constructions.
 */
#ifndef PB_CHECK_LOAD_H
#define PB_CHECK_LOAD_H

#include "topo/check/checker.h"

/**
 * The rule of contention-freedom (papers 1 and 2, section 3; for several streams and links of
 * unequal speed, ours). A rank sends to one child at a time, at the speed of the slowest link that
 * the message has passed. With n streams each edge has 1/n of that speed, and no rank has more than
 * n edges. With one stream their number is free; a plan by leaders (topo/trees/leaders.h) does not
 * count edges inside a host. A directed link keeps the rule in one of three ways: one rank alone
 * sends over it, or it carries the message once. Or the sum of its edges' speeds is at most its
 * own. Ranks on one host reach each other without a link.
 *
 * Each violation is an error in `diag` and PB_ERR_INPUT is returned. Sets `broken` (NULL: not
 * wanted; room for 2 * pb_network_size() flags) to 1 for each directed link that breaks the rule,
 * to 0 for others. The plan must have passed pb_check_plan(). PB_ERR_NO_MEMORY. O(edges * path
 * length).
 */
int pb_check_load(const pb_placement_t *placement, const pb_plan_t *plan, char *broken,
                  pb_diag_t *diag);

#endif
