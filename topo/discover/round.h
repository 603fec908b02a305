/*
 * Rounds: trials of many flows that are disjoint by the known cuts.
 */
#ifndef PB_ROUND_H
#define PB_ROUND_H

#include "topo/discover/gauge.h"

/**
 * Random flows: each host sends one and receives one at most. No cut has more flows in one
 * direction than it carries, or one where it carries less. Fills `flows`, with room for `most`, and
 * returns their number or PB_ERR_NO_MEMORY. O(hosts^2 * cuts).
 */
int pb_round_make(pb_gauge_t *gauge, const pb_cuts_t *cuts, int most, pb_flow_t *flows);

/**
 * The same, but only flows over one cut, which itself does not bound them: into its inside or out
 * of it.
 */
int pb_round_over(pb_gauge_t *gauge, const pb_cuts_t *cuts, int cut, bool inward, int most,
                  pb_flow_t *flows);

#endif
