/*
 * A broadcast tree over numbered nodes: who sends to whom, and in which order.
 *
 * Nodes are numbered as in the link matrix or the set of hosts that the tree is for. Some of them
 * may be outside of the tree, as in a tree over one pool of nodes.
 */
#ifndef PB_TREE_H
#define PB_TREE_H

#include <stdbool.h>

#include "topo/trees/plan.h"

/** The parent of a node that is not in the tree. */
#define PB_TREE_OUTSIDE (-2)

typedef struct pb_tree {
    int n_nodes; /**< of the matrix; at least 1 */
    int root;
    int *parent;      /**< by node; -1 for the root */
    int *child_index; /**< by node: its index among its parent's children, from 0; 0 for the root */
} pb_tree_t;

/** A tree of the root alone, with room for n_nodes. NULL if out of memory. */
pb_tree_t *pb_tree_new(int n_nodes, int root);
void pb_tree_free(pb_tree_t *tree);

/** A copy, which the caller frees. NULL if out of memory. */
pb_tree_t *pb_tree_copy(const pb_tree_t *tree);

/** Checks that `parent` is a tree from the root that reaches all its nodes: parents in range and in
 * the tree, no cycle. O(nodes). PB_ERR_INPUT, PB_ERR_NO_MEMORY. */
int pb_tree_check(const int *parent, int n_nodes, int root);

/** Checks that it is a tree from this root that reaches all of n_nodes. As above. */
int pb_tree_check_all(const pb_tree_t *tree, int n_nodes, int root);

/**
 * The tree of one stream of a plan whose ranks are the nodes. The caller frees it.
 * PB_ERR_INPUT if there is no such stream, PB_ERR_NO_MEMORY. O(ranks).
 */
int pb_tree_from_plan(const pb_plan_t *plan, int stream, pb_tree_t **tree_p);

#endif
