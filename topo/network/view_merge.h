/*
 * Merged views: vertices joined by fast links, taken for one.
 */
#ifndef PB_VIEW_MERGE_H
#define PB_VIEW_MERGE_H

#include <stdbool.h>

#include "topo/network/view.h"

/**
 * The view in which each vertex v > 0 with joined[v] is one with its parent. A vertex of the result
 * has the node and speeds of the highest vertex that it is made of. It attaches the ranks of all,
 * in their order in `view`. Ranks keep their order but for that; the root stays first. The caller
 * frees the result, which does not refer to `view` itself. PB_ERR_NO_MEMORY. O(vertices + ranks).
 */
int pb_view_merge(const pb_view_t *view, const bool *joined, pb_view_t **merged_p);

#endif
