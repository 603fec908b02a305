/*
 * Functions that tests of choosing, planning and predicting share.
 */
#ifndef PB_TEST_PLANNING_H
#define PB_TEST_PLANNING_H

#include "topo/model/planner.h"
#include "topo/model/profile.h"

/** The profile of a plan, on a ground of its own. */
pb_profile_t planning_profile(const pb_placement_t *placement, const pb_plan_t *plan);

/** Profile of the fallback component. */
pb_profile_t planning_fallback(const pb_placement_t *placement, int root);

/** A planner that has begun; with a bound on connections where the options have one. */
pb_planner_t *planning_new(const pb_placement_t *placement, const pb_model_t *model,
                           const pb_planner_options_t *options, bool learns);

/** Plan of a broadcast. */
pb_planned_t planning_plan(pb_planner_t *planner, int root, uint64_t bytes);

/** Tells whether two plans, or two ranks' plans, are the same but for the roles. */
bool planning_is_same(const pb_planned_t *a, const pb_planned_t *b);

bool planning_is_multicast(const pb_planned_t *planned);

/** A planner for each rank of a placement, and who has been whose neighbor in their plans. */
typedef struct planning_ranks {
    int n;
    pb_planner_t **planners;
    char *are; /**< by rank and rank; see tree_case_most_marked() */
} planning_ranks_t;

/** Ranks that plan by these options, rank 1 without memory for what is kept. */
planning_ranks_t planning_ranks_new(const pb_placement_t *placement, const pb_model_t *model,
                                    const pb_planner_options_t *options);
void planning_ranks_clear(planning_ranks_t *ranks);

/** All plan one broadcast: whether alike, and with roles that are those of one plan. */
bool planning_ranks_plan(planning_ranks_t *ranks, int root, uint64_t bytes, pb_planned_t *planned);

#endif
