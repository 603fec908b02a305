/*
 * The cost of a tree, computed anew as contrib/adaptive/search/tree_cost.h's text says, for tests.
 */
#ifndef PB_LITERAL_COST_H
#define PB_LITERAL_COST_H

#include "contrib/adaptive/search/tree_cost.h"

/** The cost in ns of a tree with these parents. Aborts if out of memory. */
int64_t literal_cost(const pb_tree_costs_t *costs, const int *parent, int root);

#endif
