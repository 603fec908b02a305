#include "topo/network/walk.h"

#include <stdlib.h>
#include <string.h>

/** The ranks of the view, rising. */
static void list_members(const pb_view_t *view, int *members)
{
    int n = 0;
    for (int rank = 0; rank < view->placement->n_ranks; rank++) {
        if (view->position[rank] >= 0) {
            members[n++] = rank;
        }
    }
}

int pb_walk_new(const pb_view_t *view, int **order_p)
{
    const int n = view->n_ranks;
    int *order = malloc((size_t) n * sizeof(*order));
    pb_view_t *lowest = NULL;
    *order_p = NULL;
    if (order == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    list_members(view, order);
    const int rc = pb_view_new(view->placement, order[0], order, n, &lowest);
    if (rc != PB_SUCCESS) {
        free(order);
        return rc;
    }
    const int root = lowest->position[view->order[0]];
    memcpy(order, lowest->order + root, (size_t) (n - root) * sizeof(*order));
    memcpy(order + n - root, lowest->order, (size_t) root * sizeof(*order));
    pb_view_free(lowest);
    *order_p = order;
    return PB_SUCCESS;
}
