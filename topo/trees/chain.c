/*
 * Algorithm 1 (papers 1 and 2, section 4.1). The view's order of ranks is the
 * depth-first order that the algorithm computes, so that each rank receives
 * from the one before it. The chain enters and leaves each subtree once, hence
 * each directed link carries one edge at most (Lemma 2 and Theorem 1).
 *
 * Where neighbours are to repeat, the order is the closed walk's, for which the same holds: a rank
 * has the same two neighbours on it for all roots.
 */
#include <stdlib.h>

#include "topo/network/walk.h"
#include "topo/trees/plan.h"

static int build(const pb_view_t *view, const int *order, pb_plan_t **plan_p)
{
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_CHAIN, 1);
    if (plan == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int *parent = plan->streams[0].parent;
    for (int i = 1; i < view->n_ranks; i++) {
        parent[order[i]] = order[i - 1];
    }
    int error = pb_plan_link_children(plan, 0, view, NULL);
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}

int pb_plan_chain(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    int *walk = NULL;
    *plan_p = NULL;
    int error = options->repeats ? pb_walk_new(view, &walk) : PB_SUCCESS;
    if (error == PB_SUCCESS) {
        error = build(view, walk != NULL ? walk : view->order, plan_p);
    }
    free(walk);
    return error;
}
