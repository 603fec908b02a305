/*
 * The multilevel tree of MPICH-G2 over measured links.
 */
#ifndef PB_TREE_MULTILEVEL_H
#define PB_TREE_MULTILEVEL_H

#include "contrib/adaptive/advice/tree.h"
#include "contrib/adaptive/search/link_matrix.h"

/**
 * MPICH-G2's multilevel tree (paper 4, sections 1 and 3.1). The root sends to one representative of
 * each other site. In each site that one sends to one of each other cluster, and there that one to
 * the other nodes, down binomial trees. The slowest links go first. The first node of a site or
 * cluster represents it, the root its own. The caller frees the tree. PB_ERR_NO_MEMORY,
 * PB_ERR_INPUT (no such root). O(nodes * clusters).
 */
int pb_tree_multilevel(const pb_link_matrix_t *matrix, int root, pb_tree_t **tree_p);

#endif
