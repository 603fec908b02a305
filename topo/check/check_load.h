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
 * it has passed; of n streams each edge has 1/n of that, and no rank has more than n edges (with
 * one stream, as many as it likes; in a plan by leaders, topo/trees/leaders.h, those inside its
 * host are not among them). Over each directed link either one rank alone sends, or there are no
 * more edges than streams, which is the message once, or all that is sent over it, at these speeds,
 * is together no faster than the link; with equal speeds that is the message once, too. Ranks on
 * one host reach each other without a link.
 *
 * Each violation is a fault in `diag` and PB_ERR_INPUT is returned. Flags in `broken` (NULL: not
 * wanted) each directed link over which the rule is broken; the others are set to 0. Room for
 * 2 * pb_network_size() flags. The plan must have passed pb_check_plan(). PB_ERR_NO_MEMORY.
 * O(edges * path length).
 */
int pb_check_load(const pb_placement_t *placement, const pb_plan_t *plan, char *broken,
                  pb_diag_t *diag);

#endif
