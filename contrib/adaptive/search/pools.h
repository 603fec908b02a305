/*
 * Pools: nodes that are well connected to one another (paper 4, section 2.4).
 */
#ifndef PB_POOLS_H
#define PB_POOLS_H

#include "contrib/adaptive/search/link_matrix.h"

/**
 * Divides `n` nodes into pools. The bandwidth between each two of a pool, both ways, is at least
 * `percent` of the highest one in the set (diagonals included). That is the division of the paper's
 * Table 1; its text has the average over a pool, which then is at least that too. A pool takes the
 * first node that is left and then all that fit, in their order. Fills pool[i] for nodes[i], pools
 * being numbered from 0, and returns their number. O(n * n).
 */
int pb_pools_form(const pb_link_matrix_t *matrix, const int *nodes, int n, int percent, int *pool);

#endif
