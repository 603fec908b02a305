#include "topo/trees/order_bounds.h"

#include <stdlib.h>

#include "topo/util/error.h"

int pb_order_bounds_init(pb_order_bounds_t *bounds, const pb_view_t *view)
{
    size_t n = (size_t) view->n_ranks;
    bounds->above = malloc(n * sizeof(int));
    bounds->last = malloc(n * sizeof(int));
    bounds->first = malloc(n * sizeof(int));
    bounds->depth = malloc((size_t) view->n_vertices * sizeof(int));
    if (bounds->above == NULL || bounds->last == NULL || bounds->first == NULL ||
        bounds->depth == NULL) {
        pb_order_bounds_clear(bounds);
        return PB_ERR_NO_MEMORY;
    }
    bounds->depth[0] = 0;
    for (int v = 1; v < view->n_vertices; v++) {
        bounds->depth[v] = bounds->depth[view->vertices[v].parent] + 1;
    }
    /* Each climb leaves subtrees that the order never enters again, so that all
     * climbs together are O(vertices). */
    for (int i = 0; i + 1 < view->n_ranks; i++) {
        int v = view->attached[i];
        while (view->vertices[v].end <= view->attached[i + 1]) {
            v = view->vertices[v].parent;
        }
        bounds->above[i] = v;
        bounds->last[i] = view->vertices[v].end_rank - 1;
        bounds->first[i + 1] =
            view->vertices[v].first_rank + (v > 0 && pb_view_enters_host(view, v));
    }
    return PB_SUCCESS;
}

void pb_order_bounds_clear(pb_order_bounds_t *bounds)
{
    free(bounds->above);
    free(bounds->last);
    free(bounds->first);
    free(bounds->depth);
    *bounds = (pb_order_bounds_t){0};
}

int pb_order_bounds_cut(const pb_order_bounds_t *bounds, int low, int high)
{
    int best = low;
    for (int k = low + 1; k <= high; k++) {
        int gain = bounds->depth[bounds->above[best - 1]] - bounds->depth[bounds->above[k - 1]];
        int nearer = abs(low + high - 2 * best) - abs(low + high - 2 * k);
        if (gain > 0 || (gain == 0 && nearer > 0)) {
            best = k;
        }
    }
    return best;
}
