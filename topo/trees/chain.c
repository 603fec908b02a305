/*
 * Algorithm 1 (papers 1 and 2, section 4.1): in a depth-first order of the ranks, each receives
 * from the one before it. The chain enters and leaves each subtree once, hence each directed link
 * carries one edge at most (Lemma 2 and Theorem 1).
 *
 * The paper leaves open which subtree comes last. Links from the root to the chain's end carry the
 * message in one direction only, all others in both. So the chain ends as far from the root as it
 * can (ours). This leaves most to broadcasts of other communicators, and is the shortest way, too.
 * Among ends at the same distance the root's host picks one by a hash, so that communicators with
 * other roots spread over them.
 *
 * Where neighbors are to repeat, the order is the closed walk's, for which the same holds. A rank
 * has the same two neighbors on it for all roots.
 */
#include <stdlib.h>
#include <string.h>

#include "topo/network/walk.h"
#include "topo/trees/plan.h"
#include "topo/util/hash.h"

/** The vertex where the chain ends. depth: memory for a number of each vertex. */
static int choose_end(const pb_view_t *view, int *depth)
{
    int deepest = 0, n_deepest = 1;
    depth[0] = 0;
    for (int v = 1; v < view->n_vertices; v++) {
        depth[v] = depth[view->vertices[v].parent] + 1;
        n_deepest = depth[v] > deepest ? 1 : n_deepest + (depth[v] == deepest);
        deepest = depth[v] > deepest ? depth[v] : deepest;
    }
    /* By name: hosts that have read the same network from another source may number it otherwise.
     */
    const int host = view->placement->host[view->order[0]];
    const char *name = pb_network_node(view->placement->network, host)->name;
    const uint64_t hash = pb_hash_end(pb_hash_string(PB_HASH_START, name));
    int n_before = (int) (hash % (uint64_t) n_deepest), end = 0;
    while (depth[end] != deepest || n_before-- > 0) {
        end++;
    }
    return end;
}

/** Copies the ranks at positions [from, to) of the view to the end of an order of n. */
static int append(const pb_view_t *view, int *order, int n, int from, int to)
{
    memcpy(order + n, view->order + from, (size_t) (to - from) * sizeof(*order));
    return n + to - from;
}

/**
 * The ranks in a depth-first order whose last vertex is `end`. In each vertex above `end`, the
 * child towards it is visited after all others. path: memory for a number of each vertex.
 */
static void order_to(const pb_view_t *view, int end, int *path, int *order)
{
    int length = 0, n = 0;
    for (int v = end; v >= 0; v = view->vertices[v].parent) {
        path[length++] = v;
    }
    while (length-- > 1) {
        const pb_vertex_t *vertex = &view->vertices[path[length]];
        const pb_vertex_t *last = &view->vertices[path[length - 1]];
        n = append(view, order, n, vertex->first_rank, last->first_rank);
        n = append(view, order, n, last->end_rank, vertex->end_rank);
    }
    append(view, order, n, view->vertices[end].first_rank, view->vertices[end].end_rank);
}

/** The order of the ranks, n_ranks of them, to be freed. PB_ERR_NO_MEMORY. O(vertices + ranks). */
static int order_new(const pb_view_t *view, int **order_p)
{
    int *order = malloc((size_t) view->n_ranks * sizeof(*order));
    int *numbers = malloc((size_t) view->n_vertices * sizeof(*numbers));
    *order_p = order;
    if (order == NULL || numbers == NULL) {
        free(order);
        free(numbers);
        *order_p = NULL;
        return PB_ERR_NO_MEMORY;
    }
    const int end = choose_end(view, numbers);
    order_to(view, end, numbers, order);
    free(numbers);
    return PB_SUCCESS;
}

static int build(const pb_view_t *view, const int *order, pb_plan_t **plan_p)
{
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_CHAIN, 1);
    for (int i = 1; plan != NULL && i < view->n_ranks; i++) {
        plan->streams[0].parent[order[i]] = order[i - 1];
    }
    const int rc = plan != NULL ? pb_plan_link_children(plan, 0, view, NULL) : PB_ERR_NO_MEMORY;
    return pb_plan_end(plan, rc, plan_p);
}

int pb_plan_chain(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    int *order;
    *plan_p = NULL;
    int error = options->repeats ? pb_walk_new(view, &order) : order_new(view, &order);
    if (error == PB_SUCCESS) {
        error = build(view, order, plan_p);
    }
    free(order);
    return error;
}
