#include "known_trees.h"

#include <stdlib.h>

#include "contrib/adaptive/search/tree_multilevel.h"
#include "topo/trees/plan.h"

/** The slot of the next tree, which counts once a function has put one there. */
static pb_tree_t **next_known(struct advise_known *known)
{
    return &known->trees[known->n];
}

static int keep_known(struct advise_known *known, int error)
{
    known->n += error == PB_SUCCESS;
    return error;
}

int advise_tree_copy(const pb_tree_t *from, pb_tree_t **to_p)
{
    *to_p = pb_tree_new(from->n_nodes, from->root);
    if (*to_p == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    pb_tree_copy(*to_p, from);
    return PB_SUCCESS;
}

int advise_known_add_copy(struct advise_known *known, const pb_tree_t *tree)
{
    return keep_known(known, advise_tree_copy(tree, next_known(known)));
}

/** Adds a tree of a static plan. A kind that does not fit the network is ignored. */
static int add_plan(struct advise_known *known, const pb_view_t *view, pb_kind_t kind, int fanout)
{
    const pb_plan_options_t options = {.fanout = fanout};
    pb_plan_t *plan;
    int error = pb_plan_compute(view, kind, &options, &plan);
    if (error != PB_SUCCESS) {
        return error == PB_ERR_UNFIT ? PB_SUCCESS : error;
    }
    error = keep_known(known, pb_tree_from_plan(plan, 0, next_known(known)));
    pb_plan_free(plan);
    return error;
}

/** The trees of a kind that may be chosen and is one tree, with every fanout where it takes one. */
static int add_plans_of(struct advise_known *known, const pb_view_t *view, pb_kind_t kind)
{
    static const int fanouts[] = {2, 3, 4, 8};
    const pb_kind_row_t *row = pb_kind_row(kind);
    const size_t n_fanouts = row->takes_fanout ? sizeof fanouts / sizeof fanouts[0] : 1;
    int error = PB_SUCCESS;
    for (size_t i = 0; error == PB_SUCCESS && i < n_fanouts; i++) {
        if (row->auto_turn > 0 && !row->several_streams && !row->copies) {
            error = add_plan(known, view, kind, fanouts[i]);
        }
    }
    return error;
}

int advise_known_add_plans(struct advise_known *known, const struct advise_network *network,
                           int root)
{
    pb_view_t *view = NULL;
    if (network->placement == NULL) {
        return PB_SUCCESS;
    }
    int error = pb_view_new(network->placement, root, NULL, 0, &view);
    for (int kind = 0; error == PB_SUCCESS && kind < PB_KIND_COUNT; kind++) {
        error = add_plans_of(known, view, (pb_kind_t) kind);
    }
    pb_view_free(view);
    return error;
}

int advise_known_add_multilevel(struct advise_known *known, const pb_link_matrix_t *matrix,
                                int root)
{
    return keep_known(known, pb_tree_multilevel(matrix, root, next_known(known)));
}

void advise_known_clear(struct advise_known *known)
{
    for (int i = 0; i < known->n; i++) {
        pb_tree_free(known->trees[i]);
    }
    known->n = 0;
}

int advise_known_add_two_trees(struct advise_known *known, const struct advise_network *network,
                               int root)
{
    const pb_link_matrix_t *m = network->matrix;
    pb_network_t *one_switch = NULL;
    pb_placement_t *alone = NULL;
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    int error = PB_SUCCESS;
    if (network->placement == NULL) {
        error =
            pb_placement_one_switch((const char *const *) m->node, m->n_nodes, &one_switch, &alone);
    }
    if (error == PB_SUCCESS) {
        error = pb_view_new(alone != NULL ? alone : network->placement, root, NULL, 0, &view);
    }
    if (error == PB_SUCCESS) {
        error = pb_plan_compute(view, PB_KIND_TWOTREE, NULL, &plan);
    }
    for (int s = 0; error == PB_SUCCESS && s < plan->n_streams; s++) {
        error = keep_known(known, pb_tree_from_plan(plan, s, next_known(known)));
    }
    pb_plan_free(plan);
    pb_view_free(view);
    pb_placement_free(alone);
    pb_network_free(one_switch);
    return error;
}
