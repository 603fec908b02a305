#include "test/adaptive/search/literal_cost.h"

#include <stdlib.h>

#include "test/must.h"

typedef struct literal {
    const pb_tree_costs_t *costs;
    const int *parent;
    int n;
    int *n_edges; /* by link */
} literal_t;

static int64_t literal_y(const literal_t *l, int node)
{
    const pb_tree_costs_t *costs = l->costs;
    int64_t y = pb_tree_costs_transfer(costs, l->parent[node], node);
    int n = 0;
    const int *path =
        costs->share != NULL ? pb_link_share_path(costs->share, l->parent[node], node, &n) : NULL;
    for (int i = 0; i < n; i++) {
        const int64_t shared = l->n_edges[path[i]] * costs->link_time[path[i]];
        y = shared > y ? shared : y;
    }
    return y;
}

static int falling(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
    return x > y ? -1 : x < y;
}

/* The time from when a node has the first segment until all below it have. */
static int64_t literal_label(const literal_t *l, int node)
{
    int64_t *tails = must_zeroed((size_t) l->n, sizeof(*tails)), label = 0;
    int n = 0;
    for (int c = 0; c < l->n; c++) {
        if (l->parent[c] == node) {
            tails[n++] =
                pb_link_latency(l->costs->matrix, node, c) + literal_y(l, c) + literal_label(l, c);
        }
    }
    qsort(tails, (size_t) n, sizeof(*tails), falling);
    for (int k = 0; k < n; k++) {
        const int64_t end = (k + 1) * l->costs->matrix->startup[node] + tails[k];
        label = end > label ? end : label;
    }
    free(tails);
    return label;
}

static int64_t literal_period(const literal_t *l)
{
    int64_t period = 0;
    for (int i = 0; i < l->n; i++) {
        int64_t starts = 0;
        for (int c = 0; c < l->n; c++) {
            starts += l->parent[c] == i ? l->costs->matrix->startup[i] : 0;
        }
        const int64_t y = l->parent[i] >= 0 ? literal_y(l, i) : 0;
        period = starts > period ? starts : period;
        period = y > period ? y : period;
    }
    return period;
}

int64_t literal_cost(const pb_tree_costs_t *costs, const int *parent, int root)
{
    literal_t l = {.costs = costs, .parent = parent, .n = costs->matrix->n_nodes};
    l.n_edges =
        must_zeroed(costs->share != NULL ? (size_t) costs->share->n_links + 1 : 1, sizeof(int));
    for (int i = 0; i < l.n && costs->share != NULL; i++) {
        int n = 0;
        const int *path =
            parent[i] >= 0 ? pb_link_share_path(costs->share, parent[i], i, &n) : NULL;
        for (int k = 0; k < n; k++) {
            l.n_edges[path[k]]++;
        }
    }
    const int64_t cost = literal_label(&l, root) + (costs->n_segments - 1) * literal_period(&l);
    free(l.n_edges);
    return cost;
}
