/*
 * Algorithm 2 of papers 1 and 2 line by line, with physical paths and sets of
 * edges: O(P^4) and slow, to compare with. Only that no rank sends into a host
 * twice is not printed, as the papers have one rank on each.
 */
#ifndef PB_LITERAL_ALGORITHM2_H
#define PB_LITERAL_ALGORITHM2_H

#include "topo/network/view.h"

/**
 * The printed algorithm on the depth-first order of the view. `parent` gets each
 * member's parent by rank (-1: none) and has room for the communicator. Returns
 * best[0][P-1]. Aborts if out of memory.
 */
int literal_algorithm2(const pb_view_t *view, int *parent);

#endif
