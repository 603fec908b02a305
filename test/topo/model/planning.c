#include "test/topo/model/planning.h"

#include <stdio.h>
#include <stdlib.h>

static pb_profile_ground_t *ground_of(const pb_placement_t *placement)
{
    pb_profile_ground_t *ground = pb_profile_ground_new(placement);
    if (ground == NULL) {
        abort();
    }
    return ground;
}

pb_profile_t planning_profile(const pb_placement_t *placement, const pb_plan_t *plan)
{
    pb_profile_t profile;
    pb_profile_ground_t *ground = ground_of(placement);
    pb_profile_plan(ground, plan, &profile);
    pb_profile_ground_free(ground);
    return profile;
}

pb_profile_t planning_fallback(const pb_placement_t *placement, int root)
{
    pb_profile_t profile;
    pb_profile_ground_t *ground = ground_of(placement);
    pb_profile_fallback(ground, root, &profile);
    pb_profile_ground_free(ground);
    return profile;
}

pb_planner_t *planning_new(const pb_placement_t *placement, const pb_model_t *model,
                           const pb_planner_options_t *options)
{
    pb_planner_t *planner = pb_planner_new();
    if (planner == NULL ||
        (options->connections > 0 &&
         pb_planner_reserve(planner, placement->n_ranks) != PB_SUCCESS) ||
        (!options->learns_nothing && pb_planner_reserve_learning(planner) != PB_SUCCESS)) {
        abort();
    }
    pb_planner_begin(planner, placement, model, options);
    return planner;
}

pb_planned_t planning_plan(pb_planner_t *planner, int root, uint64_t bytes)
{
    pb_planned_t planned;
    if (pb_planner_plan(planner, root, bytes, &planned) != PB_SUCCESS) {
        abort();
    }
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

pb_placement_t *planning_one_switch(int n_ranks, pb_network_t **network_p)
{
    pb_placement_t *placement;
    char(*names)[16] = calloc((size_t) n_ranks, sizeof(*names));
    const char **list = calloc((size_t) n_ranks, sizeof(*list));
    for (int i = 0; i < n_ranks; i++) {
        snprintf(names[i], sizeof(names[i]), "n%d", i);
        list[i] = names[i];
    }
    if (pb_placement_one_switch(list, n_ranks, network_p, &placement) != PB_SUCCESS) {
        abort();
    }
    free(list);
    free(names);
    return placement;
}
