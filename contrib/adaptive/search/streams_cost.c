#include "contrib/adaptive/search/tree_cost.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct work {
    const pb_tree_costs_t *costs;
    int *load;     /* by link: edges of all trees */
    int64_t *busy; /* by node: initiation costs of a segment in each tree */
} work_t;

/** Counts a tree's edges over the links, and what its nodes initiate. */
static void add_tree(work_t *work, const pb_tree_t *tree)
{
    const pb_link_share_t *share = work->costs->share;
    for (int node = 0; node < tree->n_nodes; node++) {
        const int parent = tree->parent[node];
        int n = 0;
        if (parent < 0) {
            continue;
        }
        work->busy[parent] += work->costs->matrix->startup[parent];
        const int *links = share != NULL ? pb_link_share_path(share, parent, node, &n) : NULL;
        for (int i = 0; i < n; i++) {
            work->load[links[i]]++;
        }
    }
}

/** Nanoseconds of a segment from one node to the other while all other edges send, too. */
static int64_t time_of(const work_t *work, int from, int to)
{
    const pb_link_share_t *share = work->costs->share;
    int64_t time = pb_tree_costs_transfer(work->costs, from, to);
    int n = 0;
    const int *links = share != NULL ? pb_link_share_path(share, from, to, &n) : NULL;
    for (int i = 0; i < n; i++) {
        const int64_t shared = work->load[links[i]] * work->costs->link_time[links[i]];
        time = shared > time ? shared : time;
    }
    return time;
}

/** Position of a node among its parent's children, from 1. */
static int turn_of(const pb_tree_t *tree, int node)
{
    int turn = 1;
    for (int other = 0; other < tree->n_nodes; other++) {
        turn += tree->parent[other] == tree->parent[node] &&
                tree->child_index[other] < tree->child_index[node];
    }
    return turn;
}

/** Time at which a node has the tree's first segment. O(depth * nodes). */
static int64_t reach(const work_t *work, const pb_tree_t *tree, int node)
{
    const pb_link_matrix_t *m = work->costs->matrix;
    int64_t time = 0;
    for (int at = node; at != tree->root; at = tree->parent[at]) {
        const int parent = tree->parent[at];
        time += turn_of(tree, at) * m->startup[parent] +
                m->latency[(size_t) parent * (size_t) m->n_nodes + (size_t) at] +
                time_of(work, parent, at);
    }
    return time;
}

/** The cost of one of the trees, which carries `n_segments`. */
static int64_t cost_of(const work_t *work, const pb_tree_t *tree, int64_t n_segments)
{
    int64_t first = 0, period = 0;
    for (int node = 0; node < tree->n_nodes; node++) {
        const int64_t time = reach(work, tree, node);
        const int64_t y = node != tree->root ? time_of(work, tree->parent[node], node) : 0;
        first = time > first ? time : first;
        period = y > period ? y : period;
        period = work->busy[node] > period ? work->busy[node] : period;
    }
    return first + (n_segments - 1) * period;
}

int pb_streams_cost(const pb_tree_costs_t *costs, pb_tree_t *const *streams, int n_streams,
                    int64_t *cost_p)
{
    int error = n_streams > 0 ? PB_SUCCESS : PB_ERR_INPUT;
    for (int s = 0; s < n_streams && error == PB_SUCCESS; s++) {
        error = pb_tree_check_all(streams[s], costs->matrix->n_nodes, streams[0]->root);
    }
    if (error != PB_SUCCESS) {
        return error;
    }
    const size_t n_links = costs->share != NULL ? (size_t) costs->share->n_links : 0;
    work_t work = {.costs = costs,
                   .load = calloc(n_links + 1, sizeof(*work.load)),
                   .busy = calloc((size_t) costs->matrix->n_nodes, sizeof(*work.busy))};
    const bool has_room = work.load != NULL && work.busy != NULL;
    *cost_p = 0;
    for (int s = 0; s < n_streams && has_room; s++) {
        add_tree(&work, streams[s]);
    }
    for (int s = 0; s < n_streams && s < costs->n_segments && has_room; s++) {
        const int64_t n_segments = (costs->n_segments - s + n_streams - 1) / n_streams;
        const int64_t cost = cost_of(&work, streams[s], n_segments);
        *cost_p = cost > *cost_p ? cost : *cost_p;
    }
    free(work.busy);
    free(work.load);
    return has_room ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}
