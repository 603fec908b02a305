/*
 * Where the depth-first order of a view can be cut.
 *
 * The smallest subtree that holds the positions k - 1 and k says which transfers contend: see
 * algorithm2.c.
 */
#ifndef PB_ORDER_BOUNDS_H
#define PB_ORDER_BOUNDS_H

#include "topo/network/view.h"

/** Arrays of n_ranks entries; entry 0 is not set. */
typedef struct pb_order_bounds {
    int *common; /**< by position k: the vertex of the smallest subtree that holds k - 1 and k */
    int *first;  /**< by position k: the first position in it. The second one if a tree enters it
                      once (pb_view_enters_host()): no cut then separates its first rank, by which
                      it is entered, from the others */
} pb_order_bounds_t;

/** O(ranks + vertices). PB_ERR_NO_MEMORY. Free with pb_order_bounds_clear(). */
int pb_order_bounds_init(pb_order_bounds_t *bounds, const pb_view_t *view);
void pb_order_bounds_clear(pb_order_bounds_t *bounds);

#endif
