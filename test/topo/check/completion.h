/*
 * Time of a plan in the simulator, for tests and benchmarks of trees.
 */
#ifndef PB_TEST_COMPLETION_H
#define PB_TEST_COMPLETION_H

#include "topo/check/simulator.h"
#include "topo/network/placement.h"
#include "topo/trees/plan.h"

/** Segment times until the last rank has all; -1 if it cannot be run. */
double completion(const pb_placement_t *placement, const pb_plan_t *plan, int n_segments);

#endif
