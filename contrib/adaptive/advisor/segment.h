/* The segment size of trees, by their predicted times. */
#ifndef ADVISE_SEGMENT_H
#define ADVISE_SEGMENT_H

#include "contrib/adaptive/search/tree_cost.h"
#include "known_trees.h"

/** The cost in ns of n trees together: of the best of them, or of all as streams. */
typedef int advise_cost_together_t(const pb_tree_costs_t *costs, pb_tree_t *const *trees, int n,
                                   int64_t *cost_p);

/** The cost of the best of n trees; INT64_MAX if there is none. Errors as pb_tree_cost(). */
int advise_least_cost(const pb_tree_costs_t *costs, pb_tree_t *const *trees, int n,
                      int64_t *cost_p);

/**
 * The segment size with which the first n trees of `known` cost least, and their cost with it.
 * `segment`, if it is not 0, is the only one. Errors as pb_tree_costs_new() and `cost_together`.
 */
int advise_segment_choose(const struct advise_network *network, uint64_t bytes, uint32_t segment,
                          advise_cost_together_t *cost_together, const struct advise_known *known,
                          int n, uint32_t *segment_p, int64_t *cost_p);

#endif
