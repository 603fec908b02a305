/*
 * The cost of a broadcast tree by measured links.
 *
 * Mateescu's model, as paper 4 uses it (section 2.2). A node that has the whole message sends it to
 * its children in turn. A send takes its initiation cost s, and the node is then free for the next
 * one. The message needs the link's latency L and its size over the bandwidth, y. The k-th child
 * (from 1) of v has it k * s(v) + L + y after v. A node sends to its children in the order with the
 * least cost. Children with the longest time from the send to the last node below them come first
 * (Mateescu's labels, found from the leaves up).
 *
 * Beyond the paper (ours):
 *
 * - Sharing. An edge has 1/k of the capacity of a link that k edges of the tree use. So y is the
 *   largest of its own time and, over its links, k times the link's time for a segment. So all
 *   edges are taken to send concurrently, as in a pipeline; for one segment this is pessimistic.
 * - Segments. The first one takes the time above; each further one comes a period
 *   later. The period is the largest y of the tree, or initiation costs of one
 *   node's sends if they are more. The last segment counts as a full one.
 *
 * With one segment and nothing shared this is the paper's model.
 */
#ifndef PB_TREE_COST_H
#define PB_TREE_COST_H

#include <stdint.h>

#include "contrib/adaptive/advice/tree.h"
#include "contrib/adaptive/search/link_share.h"

/** A message that costs may be asked for, in bytes. */
#define PB_TREE_COST_MAX_BYTES (UINT64_C(1) << 40)

/** Costs of sends for one size of message. */
typedef struct pb_tree_costs {
    const pb_link_matrix_t *matrix; /**< borrowed */
    const pb_link_share_t *share;   /**< borrowed; NULL: nothing is shared */
    int64_t n_segments;             /**< at least 1 */
    int64_t *transfer;              /**< ns of one segment alone, at [from * n_nodes + to] */
    int64_t *link_time;             /**< by link: ns of one segment */
} pb_tree_costs_t;

/**
 * The costs of a message of `bytes`, cut into segments of `segment` bytes (0: not cut). The caller
 * frees them; matrix and share must outlive them. PB_ERR_NO_MEMORY, or PB_ERR_INPUT if bytes are
 * more than PB_TREE_COST_MAX_BYTES, a number is out of range, or the share has another number of
 * nodes. O(nodes^2 + links).
 */
int pb_tree_costs_new(const pb_link_matrix_t *matrix, const pb_link_share_t *share, uint64_t bytes,
                      uint64_t segment, pb_tree_costs_t **costs_p);
void pb_tree_costs_free(pb_tree_costs_t *costs);

/**
 * Computes the cost of a tree in ns and puts its children into the order for which
 * it holds. PB_ERR_INPUT if it is no tree over nodes of the matrix;
 * PB_ERR_NO_MEMORY. O(nodes * (path + children)).
 */
int pb_tree_cost(const pb_tree_costs_t *costs, pb_tree_t *tree, int64_t *cost_p);

/**
 * The cost by measured links of a static plan of several trees that broadcast together, such as the
 * two trees (ours). Segment i goes down tree i mod n. An edge has 1/k of a link that k edges of all
 * trees use. A node initiates its sends in all trees in turn. As above, all edges are taken to send
 * concurrently.
 *
 * The trees are over all nodes from one root, with children in the order of their places. The cost
 * in ns is the time until the last segment of the last tree is everywhere. For one tree in the
 * order that pb_tree_cost() has put it into, it is the same as that says. PB_ERR_INPUT if one is no
 * tree over nodes of the matrix, or their roots differ; PB_ERR_NO_MEMORY. O(streams * nodes * depth
 * * (path + nodes)).
 */
int pb_streams_cost(const pb_tree_costs_t *costs, pb_tree_t *const *streams, int n_streams,
                    int64_t *cost_p);

static inline int64_t pb_tree_costs_transfer(const pb_tree_costs_t *costs, int from, int to)
{
    return costs->transfer[(size_t) from * (size_t) costs->matrix->n_nodes + (size_t) to];
}

#endif
