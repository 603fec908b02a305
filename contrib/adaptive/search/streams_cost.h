/*
 * The cost by measured links of a static plan of several trees that broadcast together, a stream of
 * segments each, such as the two trees. tree_cost.h is for one tree.
 *
 * Segment i goes down tree i mod n, so each tree carries 1/n of the segments. The trees share links
 * and senders. An edge has 1/k of a link that k edges of all trees use. A node initiates its sends
 * in all trees in turn. As in tree_cost.h, all edges are taken to send concurrently. Ours.
 */
#ifndef PB_STREAMS_COST_H
#define PB_STREAMS_COST_H

#include "contrib/adaptive/search/tree_cost.h"

/**
 * The cost in ns of n_streams trees over all nodes from one root, with children in the order of
 * their places. It is the time until the last segment of the last tree is everywhere. For one tree
 * in the order that pb_tree_cost() has put it into, the same as that says. PB_ERR_INPUT if one is
 * no tree over nodes of the matrix, or their roots differ; PB_ERR_NO_MEMORY. O(streams * nodes *
 * depth * (path + nodes)).
 */
int pb_streams_cost(const pb_tree_costs_t *costs, pb_tree_t *const *streams, int n_streams,
                    int64_t *cost_p);

#endif
