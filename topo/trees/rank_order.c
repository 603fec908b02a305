/*
 * Trees that ignore the network, as libraries without topology build them
 * (papers 1 and 2, section 5): a chain root, root + 1, ... modulo P, and the
 * complete binary tree in which the k-th rank after the root has children 2k+1
 * and 2k+2. In a subset the ranks that take part are counted, in the same
 * cyclic order. They contend on most networks: they are here to compare with.
 */
#include <stdlib.h>

#include "topo/trees/plan.h"

/* The members of the view in cyclic order of rank, from the root on. */
static int *members_from_root(const pb_view_t *view)
{
    int *members = malloc((size_t) view->n_ranks * sizeof(*members));
    if (members == NULL) {
        return NULL;
    }
    int n = view->placement->n_ranks, n_members = 0, rank = view->order[0];
    for (int i = 0; i < n; i++) {
        if (view->position[rank] >= 0) {
            members[n_members++] = rank;
        }
        rank = rank + 1 < n ? rank + 1 : 0;
    }
    return members;
}

/* The k-th member's parent is the ((k - 1) / fanout)-th. O(communicator). */
static int complete_tree(const pb_view_t *view, pb_kind_t kind, int fanout, pb_plan_t **plan_p)
{
    int error = PB_ERR_NO_MEMORY;
    int *members = members_from_root(view);
    int *order = calloc((size_t) view->placement->n_ranks, sizeof(*order));
    pb_plan_t *plan = pb_plan_new(view, kind, 1);
    if (members != NULL && order != NULL && plan != NULL) {
        for (int k = 1; k < view->n_ranks; k++) {
            plan->streams[0].parent[members[k]] = members[(k - 1) / fanout];
            order[members[k]] = k;
        }
        error = pb_plan_link_children(plan, 0, view, order);
    }
    free(members);
    free(order);
    return pb_plan_end(plan, error, plan_p);
}

int pb_plan_rank_chain(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    return complete_tree(view, PB_KIND_RANK_CHAIN, 1, plan_p);
}

int pb_plan_rank_binary(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    return complete_tree(view, PB_KIND_RANK_BINARY, 2, plan_p);
}
