/*
 * The phases of a tree whose ranks send to one child after the other, as the binomial tree's do.
 */
#ifndef PB_PHASES_H
#define PB_PHASES_H

#include "test/topo/trees/tree_case.h"

/**
 * Tells whether a plan of one stream takes ceil(log2) phases of its members, and no directed link
 * has two transfers in any. Aborts if out of memory.
 */
bool phases_are_free(const tree_case_t *c, const pb_plan_t *plan);

#endif
