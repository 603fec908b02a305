/*
 * What tests of choosing, planning and predicting share.
 */
#ifndef PB_TEST_PLANNING_H
#define PB_TEST_PLANNING_H

#include "topo/model/planner.h"
#include "topo/model/profile.h"

/** The profile of a plan, on a ground of its own. */
pb_profile_t planning_profile(const pb_placement_t *placement, const pb_plan_t *plan);

/** That of the fallback component. */
pb_profile_t planning_fallback(const pb_placement_t *placement, int root);

/** A planner that has begun; with a bound on connections where the options have one, learning if
 * they do not keep it from that. */
pb_planner_t *planning_new(const pb_placement_t *placement, const pb_model_t *model,
                           const pb_planner_options_t *options);

/** How a broadcast is planned. */
pb_planned_t planning_plan(pb_planner_t *planner, int root, uint64_t bytes);

/** Whether two plans, or two ranks' plans, are the same but for the roles. */
bool planning_is_same(const pb_planned_t *a, const pb_planned_t *b);

bool planning_is_multicast(const pb_planned_t *planned);

/** `n_ranks` hosts, one rank on each, on one switch. */
pb_placement_t *planning_one_switch(int n_ranks, pb_network_t **network_p);

#endif
