/*
 * The flat tree (papers 1 and 2, section 3.1): the root sends to everyone, in
 * the depth-first order. There is one sender, so that nothing contends. O(ranks).
 */
#include "topo/trees/plan.h"

int pb_plan_flat(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_FLAT, 1);
    for (int i = 1; plan != NULL && i < view->n_ranks; i++) {
        plan->streams[0].parent[view->order[i]] = plan->root;
    }
    const int rc = plan != NULL ? pb_plan_link_children(plan, 0, view, NULL) : PB_ERR_NO_MEMORY;
    return pb_plan_end(plan, rc, plan_p);
}
