#include "topo/trees/order_bounds.h"

#include <stdlib.h>

#include "topo/util/error.h"

int pb_order_bounds_init(pb_order_bounds_t *bounds, const pb_view_t *view)
{
    size_t n = (size_t) view->n_ranks;
    bounds->common = malloc(n * sizeof(int));
    bounds->first = malloc(n * sizeof(int));
    bounds->depth = malloc((size_t) view->n_vertices * sizeof(int));
    if (bounds->common == NULL || bounds->first == NULL || bounds->depth == NULL) {
        pb_order_bounds_clear(bounds);
        return PB_ERR_NO_MEMORY;
    }
    bounds->depth[0] = 0;
    for (int v = 1; v < view->n_vertices; v++) {
        bounds->depth[v] = bounds->depth[view->vertices[v].parent] + 1;
    }
    /* Each climb leaves subtrees that the order never enters again, so that all
     * climbs together are O(vertices). */
    for (int k = 1; k < view->n_ranks; k++) {
        int v = view->attached[k - 1];
        while (view->vertices[v].end <= view->attached[k]) {
            v = view->vertices[v].parent;
        }
        bounds->common[k] = v;
        bounds->first[k] = view->vertices[v].first_rank + (v > 0 && pb_view_enters_host(view, v));
    }
    return PB_SUCCESS;
}

void pb_order_bounds_clear(pb_order_bounds_t *bounds)
{
    free(bounds->common);
    free(bounds->first);
    free(bounds->depth);
    *bounds = (pb_order_bounds_t){0};
}

int pb_order_bounds_cut(const pb_order_bounds_t *bounds, int low, int high)
{
    int best = low;
    for (int k = low + 1; k <= high; k++) {
        int gain = bounds->depth[bounds->common[best]] - bounds->depth[bounds->common[k]];
        int nearer = abs(low + high - 2 * best) - abs(low + high - 2 * k);
        if (gain > 0 || (gain == 0 && nearer > 0)) {
            best = k;
        }
    }
    return best;
}
