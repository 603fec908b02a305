/*
 * Algorithm 1 (papers 1 and 2, section 4.1). The view's order of ranks is the
 * depth-first order that the algorithm computes, so that each rank receives
 * from the one before it. The chain enters and leaves each subtree once, hence
 * each directed link carries one edge at most (Lemma 2 and Theorem 1).
 */
#include "topo/trees/plan.h"

int pb_plan_chain(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    *plan_p = NULL;
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_CHAIN, 1);
    if (plan == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int *parent = plan->streams[0].parent;
    for (int i = 1; i < view->n_ranks; i++) {
        parent[view->order[i]] = view->order[i - 1];
    }
    int error = pb_plan_link_children(plan, 0, view, NULL);
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}
