/*
 * Algorithm 2 extended to k children, for the constructions that build on it.
 */
#ifndef PB_KARY_H
#define PB_KARY_H

#include "topo/network/view.h"

/**
 * If the extension of Algorithm 2 to `fanout` >= 2 children gives a tree lower
 * than *height_p, sets the parents, indexed by rank, and *height_p. Otherwise both are
 * left alone. PB_ERR_NO_MEMORY.
 *
 * With H the height, G the number of ranks times the mean number of nested
 * subtrees with different ends that a rank is in, and P the ranks, making the
 * heights takes O(H P log P) for fanout 2 and O(H fanout G log P) else, cutting
 * O(P^2) at worst; memory is O(H P + G).
 */
int pb_kary_lower(const pb_view_t *view, int fanout, int *parent, int *height_p);

#endif
