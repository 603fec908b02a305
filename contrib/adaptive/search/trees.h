/* Trees over measured links that are made without a search. */
#ifndef PB_TREES_H
#define PB_TREES_H

#include "contrib/adaptive/search/tree_cost.h"
#include "topo/util/random.h"

/**
 * Mateescu's tree over all nodes (paper 4, sections 1 and 2.1): the shortest-path method, extended
 * by initiation costs. Of all nodes that have the message and all that have not, the pair with the
 * first arrival comes next, by the model without sharing. Then children are ordered by labels. With
 * several segments it is the tree that is fastest for the first of them. The caller frees it.
 * PB_ERR_NO_MEMORY, PB_ERR_INPUT (no such root). O(nodes^2 log nodes) time, O(nodes^2) memory.
 */
int pb_tree_mateescu(const pb_tree_costs_t *costs, int root, pb_tree_t **tree_p);

/**
 * MPICH-G2's multilevel tree (paper 4, sections 1 and 3.1). The root sends to one representative of
 * each other site. In each site that one sends to one of each other cluster, and there that one to
 * the other nodes, down binomial trees. The slowest links go first. The first node of a site or
 * cluster represents it, the root its own. The caller frees the tree. PB_ERR_NO_MEMORY,
 * PB_ERR_INPUT (no such root). O(nodes * clusters).
 */
int pb_tree_multilevel(const pb_link_matrix_t *matrix, int root, pb_tree_t **tree_p);

/**
 * Makes a random tree over the n nodes of `nodes` with the root nodes[0]. Each other node, in
 * random order, gets a random parent among those before it. Reorders nodes[1 .. n-1]. All child
 * indices are 0. O(nodes).
 */
void pb_tree_random(pb_random_t *random, int *nodes, int n, pb_tree_t *tree);

#endif
