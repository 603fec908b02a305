/*
 * Trees that are known without a search, with which the annealed tree is compared.
 */
#ifndef ADVISE_KNOWN_TREES_H
#define ADVISE_KNOWN_TREES_H

#include "contrib/adaptive/advice/tree.h"
#include "knowledge.h"

/** More than all functions below add to one list. */
enum { ADVISE_MOST_KNOWN = 16 };

/** To be cleared. Each function below adds trees over all nodes of the network. */
struct advise_known {
    pb_tree_t *trees[ADVISE_MOST_KNOWN]; /**< owned */
    int n;
};

void advise_known_clear(struct advise_known *known);

/** A copy of a tree, which the caller frees. PB_ERR_NO_MEMORY. */
int advise_tree_copy(const pb_tree_t *from, pb_tree_t **to_p);

/** A copy of another tree. PB_ERR_NO_MEMORY. */
int advise_known_add_copy(struct advise_known *known, const pb_tree_t *tree);

/** MPICH-G2's tree. PB_ERR_NO_MEMORY, PB_ERR_INPUT (no such root). */
int advise_known_add_multilevel(struct advise_known *known, const pb_link_matrix_t *matrix,
                                int root);

/** The static plans that are one tree, where the network is known. PB_ERR_NO_MEMORY. */
int advise_known_add_plans(struct advise_known *known, const struct advise_network *network,
                           int root);

/**
 * The streams of the two trees over the network, or over one switch where none is known: trees that
 * belong together. PB_ERR_NO_MEMORY.
 */
int advise_known_add_two_trees(struct advise_known *known, const struct advise_network *network,
                               int root);

#endif
