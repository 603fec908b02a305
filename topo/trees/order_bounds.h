/*
 * Where the depth-first order of a view can be cut.
 *
 * For consecutive positions i and i + 1, let V(i) be the smallest subtree that
 * holds both. All conflicts that Algorithm 2 and its extension have to avoid
 * follows from V(i) and from the first and last position under it.
 *
 * Both cut the ranks behind a rank i into ranges, of which i sends to the first
 * ranks, and may cut at k where first[k] is no more than the position at which the
 * range before begins. That is the rule of contention. Inside a host it is one
 * more, so that a range that begins with the host's first rank, as the first
 * there does of any i outside, is followed by no other one in the host: the
 * host is entered once (pb_view_enters_host()). An i inside has its first
 * range behind it, so that nothing changes for it.
 */
#ifndef PB_ORDER_BOUNDS_H
#define PB_ORDER_BOUNDS_H

#include "topo/network/view.h"

typedef struct pb_order_bounds {
    int *above; /**< by position i < n - 1: the vertex V(i) */
    int *last;  /**< by position i < n - 1: the last position under V(i) */
    int *first; /**< by position k > 0: the first position under V(k - 1), or the one after it
                     if V(k - 1) is a host or place that is entered once */
    int *depth; /**< by vertex: vertices above it */
} pb_order_bounds_t;

/** O(ranks + vertices). PB_ERR_NO_MEMORY. Free with pb_order_bounds_clear(). */
int pb_order_bounds_init(pb_order_bounds_t *bounds, const pb_view_t *view);
void pb_order_bounds_clear(pb_order_bounds_t *bounds);

/**
 * The cut k in [low, high], low >= 1, such that V(k - 1) is nearest to the root,
 * so that a transfer from before k to k crosses as few vertices as possible;
 * of several, the one nearest to the middle of the range. O(high - low).
 */
int pb_order_bounds_cut(const pb_order_bounds_t *bounds, int low, int high);

#endif
