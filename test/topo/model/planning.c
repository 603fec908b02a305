#include "test/topo/model/planning.h"

#include <stdlib.h>

#include "test/must.h"

pb_profile_t planning_profile(const pb_placement_t *placement, const pb_plan_t *plan)
{
    pb_profile_t profile;
    pb_profile_ground_t *ground = must_have(pb_profile_ground_new(placement));
    pb_profile_plan(ground, plan, &profile);
    pb_profile_ground_free(ground);
    return profile;
}

pb_profile_t planning_fallback(const pb_placement_t *placement, int root)
{
    pb_profile_t profile;
    pb_profile_ground_t *ground = must_have(pb_profile_ground_new(placement));
    pb_profile_fallback(ground, root, &profile);
    pb_profile_ground_free(ground);
    return profile;
}

pb_planner_t *planning_new(const pb_placement_t *placement, const pb_model_t *model,
                           const pb_planner_options_t *options, bool learns)
{
    pb_planner_t *planner = must_have(pb_planner_new(placement->n_ranks, learns));
    pb_planner_begin(planner, placement, model, options);
    return planner;
}

pb_planned_t planning_plan(pb_planner_t *planner, int root, uint64_t bytes)
{
    pb_planned_t planned;
    must(pb_planner_plan(planner, root, bytes, false, &planned) == PB_SUCCESS);
    return planned;
}

bool planning_is_same(const pb_planned_t *a, const pb_planned_t *b)
{
    return a->fallback == b->fallback && a->kind == b->kind && a->is_trial == b->is_trial &&
           a->segment_size == b->segment_size && a->begins_to_repeat == b->begins_to_repeat;
}

bool planning_is_multicast(const pb_planned_t *planned)
{
    return !planned->fallback && planned->kind == PB_KIND_MULTICAST;
}

planning_ranks_t planning_ranks_new(const pb_placement_t *placement, const pb_model_t *model,
                                    const pb_planner_options_t *options)
{
    const size_t n = (size_t) placement->n_ranks;
    planning_ranks_t ranks = {placement->n_ranks, must_zeroed(n, sizeof(*ranks.planners)),
                              must_zeroed(n, n)};
    for (int rank = 0; rank < ranks.n; rank++) {
        pb_planner_options_t own = *options;
        own.rank = rank;
        own.memory = rank != 1 ? 1 << 20 : 0;
        ranks.planners[rank] = planning_new(placement, model, &own, false);
    }
    return ranks;
}

void planning_ranks_clear(planning_ranks_t *ranks)
{
    for (int rank = 0; rank < ranks->n; rank++) {
        pb_planner_free(ranks->planners[rank]);
    }
    free(ranks->planners);
    free(ranks->are);
}

bool planning_ranks_plan(planning_ranks_t *ranks, int root, uint64_t bytes, pb_planned_t *planned)
{
    bool good = true;
    int n_edges = 0;
    for (int rank = 0; rank < ranks->n; rank++) {
        char *are = ranks->are + (size_t) rank * (size_t) ranks->n;
        const pb_planned_t own = planning_plan(ranks->planners[rank], root, bytes);
        const pb_role_t *role = own.role;
        *planned = rank == 0 ? own : *planned;
        good = good && own.is_known && planning_is_same(&own, planned) &&
               (role == NULL) == own.fallback &&
               (role == NULL || (role->n_parents == 0) == (rank == root));
        for (int i = 0; role != NULL && i < role->n_parents; i++, n_edges--) {
            are[role->parent[i]] = 1;
        }
        for (int i = 0; role != NULL && i < role->n_children; i++, n_edges++) {
            are[role->child[i]] = 1;
        }
    }
    return good && n_edges == 0;
}
