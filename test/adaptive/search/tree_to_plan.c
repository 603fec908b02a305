#include "test/adaptive/search/tree_to_plan.h"

#include <stdbool.h>

#include "topo/util/error.h"

static bool covers(const pb_tree_t *tree, const pb_view_t *view)
{
    bool good = tree->n_nodes == view->placement->n_ranks && tree->root == view->order[0];
    for (int i = 0; i < tree->n_nodes && good; i++) {
        good = (tree->parent[i] == PB_TREE_OUTSIDE) == (view->position[i] < 0);
    }
    return good;
}

int tree_to_plan(const pb_tree_t *tree, const pb_view_t *view, pb_kind_t kind, pb_plan_t **plan_p)
{
    *plan_p = NULL;
    int error =
        covers(tree, view) ? pb_tree_check(tree->parent, tree->n_nodes, tree->root) : PB_ERR_INPUT;
    if (error != PB_SUCCESS) {
        return error;
    }
    pb_plan_t *plan = pb_plan_new(view, kind, 1);
    if (plan == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < tree->n_nodes; i++) {
        plan->streams[0].parent[i] = tree->parent[i] >= 0 ? tree->parent[i] : -1;
    }
    error = pb_plan_link_children(plan, 0, view, tree->child_index);
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}
