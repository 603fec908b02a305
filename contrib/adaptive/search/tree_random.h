/*
 * Random trees over measured nodes, from which annealing starts.
 */
#ifndef PB_TREE_RANDOM_H
#define PB_TREE_RANDOM_H

#include "contrib/adaptive/advice/tree.h"
#include "topo/util/random.h"

/**
 * Makes a random tree over the n nodes of `nodes` with the root nodes[0]. Each other node, in
 * random order, gets a random parent among those before it. Reorders nodes[1 .. n-1]. All child
 * indices are 0. O(nodes).
 */
void pb_tree_random(pb_random_t *random, int *nodes, int n, pb_tree_t *tree);

#endif
