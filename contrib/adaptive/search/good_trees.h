/*
 * The good list of paper 4 (section 2.2): the trees found so far whose cost is
 * within some percent of the best one's. Ours is bounded: of more trees than it
 * holds it keeps the best.
 */
#ifndef PB_GOOD_TREES_H
#define PB_GOOD_TREES_H

#include <stdbool.h>

#include "contrib/adaptive/search/tree_state.h"

typedef struct pb_good_tree {
    int64_t cost;
    uint64_t hash;
    int root;
    int *parent;
} pb_good_tree_t;

typedef struct pb_good_trees {
    int n_nodes, capacity, percent;
    int n;
    pb_good_tree_t *trees; /**< by rising cost; the first is the best of all that were offered */
} pb_good_trees_t;

/** An empty list of up to `capacity` >= 1 trees. NULL if out of memory. */
pb_good_trees_t *pb_good_trees_new(int n_nodes, int capacity, int percent);
void pb_good_trees_free(pb_good_trees_t *good);

static inline void pb_good_trees_clear(pb_good_trees_t *good)
{
    good->n = 0;
}

/**
 * Takes the state's tree, of this cost, if it is good and not there yet. Returns
 * whether it is the best so far. O(1) if it is not good enough, else O(capacity +
 * nodes).
 */
bool pb_good_trees_offer(pb_good_trees_t *good, const pb_tree_state_t *state, int64_t cost);

#endif
