/*
 * A plan of a tree, so that the simulator and the checker can judge trees that were searched for.
 */
#ifndef PB_TEST_TREE_TO_PLAN_H
#define PB_TEST_TREE_TO_PLAN_H

#include "contrib/adaptive/advice/tree.h"
#include "topo/trees/plan.h"

/**
 * The plan, of one stream and named `kind`, in which rank i of the view's
 * placement is node i. The caller frees it. PB_ERR_INPUT if the tree is not one
 * over exactly the view's ranks from its root, PB_ERR_NO_MEMORY. O(n log n).
 */
int tree_to_plan(const pb_tree_t *tree, const pb_view_t *view, pb_kind_t kind, pb_plan_t **plan_p);

#endif
