#include "topo/trees/order_bounds.h"

#include <stdlib.h>

#include "topo/util/error.h"

int pb_order_bounds_init(pb_order_bounds_t *bounds, const pb_view_t *view)
{
    size_t n = (size_t) view->n_ranks;
    bounds->common = malloc(n * sizeof(int));
    bounds->first = malloc(n * sizeof(int));
    if (bounds->common == NULL || bounds->first == NULL) {
        pb_order_bounds_clear(bounds);
        return PB_ERR_NO_MEMORY;
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
    *bounds = (pb_order_bounds_t){0};
}
