/* Internals that the annealer's files share. One run is one call of pb_anneal(). */
#ifndef PB_ANNEAL_INTERNAL_H
#define PB_ANNEAL_INTERNAL_H

#include <stdbool.h>

#include "contrib/adaptive/search/anneal.h"
#include "contrib/adaptive/search/tree_state.h"
#include "contrib/adaptive/search/trees.h"

/** A deadline that never comes. */
#define PB_ANNEAL_NEVER INT64_MAX

/* ---- the good list (section 2.2) ----
 *
 * The trees found so far whose cost is within some percent of the best one's. Ours is bounded: of
 * more trees than it holds it keeps the best. */

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
    int *parents;          /**< memory of their parents */
} pb_good_trees_t;

/** An empty list of up to `capacity` >= 1 trees. NULL if out of memory. */
pb_good_trees_t *pb_good_trees_new(int n_nodes, int capacity, int percent);
void pb_good_trees_free(pb_good_trees_t *good);

static inline void pb_good_trees_clear(pb_good_trees_t *good)
{
    good->n = 0;
}

/** Takes the state's tree, of this cost, if it is good and not there yet. O(1) if it is not good
 * enough, else O(capacity + nodes). */
void pb_good_trees_offer(pb_good_trees_t *good, const pb_tree_state_t *state, int64_t cost);

/* ---- a run ---- */

typedef struct pb_anneal_run {
    const pb_tree_costs_t *costs;
    const pb_anneal_options_t *options;
    int root; /**< of the broadcast */
    pb_random_t random;
    int64_t start;            /**< the clock's time at the start */
    pb_tree_state_t *state;   /**< the tree being changed */
    pb_tree_t *tree;          /**< a random tree */
    pb_good_trees_t *pool;    /**< good trees of the pool being worked on, from random ones */
    pb_good_trees_t *refined; /**< the best tree of the pool from good ones */
    pb_good_trees_t *whole;   /**< the best tree over all nodes */
    int64_t n_transformations;
    int n_runs;
    int n_pools;
} pb_anneal_run_t;

/** Clock units since the start, or transformations. */
int64_t pb_anneal_elapsed(const pb_anneal_run_t *run);

/**
 * basicSA (the paper's Figure 1) on the state's tree, whose nodes are nodes[0 ..
 * n-1]. All trees that it makes, the first too, are offered to
 * `good`. Ends when the deadline has passed. Returns the cost of the best of them, ns.
 */
int64_t pb_anneal_basic(pb_anneal_run_t *run, const int *nodes, int n, int64_t deadline,
                        pb_good_trees_t *good);

/**
 * driverSA (Figure 2) over nodes[0 .. n-1], which it reorders: the tree's parents go
 * to parent[] by node. Returns the tree's root, which is `root` unless that is -1.
 * Ends when the deadline has passed, or if that is PB_ANNEAL_NEVER after the options'
 * numbers of runs. There is a tree even if it has passed before.
 */
int pb_anneal_drive(pb_anneal_run_t *run, int *nodes, int n, int root, int64_t deadline,
                    int *parent);

/**
 * clusteredSA (Figure 4) over all nodes, until the deadline (or PB_ANNEAL_NEVER). All
 * its trees are offered to run->whole. PB_ERR_NO_MEMORY.
 */
int pb_anneal_clusters(pb_anneal_run_t *run, int64_t deadline);

/**
 * Divides `n` nodes into pools that are well connected (paper 4, section 2.4). The bandwidth
 * between each two of a pool, both ways, is at least `percent` of the highest one in the set
 * (diagonals included). That is the division of the paper's Table 1; its text has the average over
 * a pool, which then is at least that too. A pool takes the first node that is left and then all
 * that fit, in their order. Fills pool[i] for nodes[i], pools being numbered from 0, and returns
 * their number. O(n * n).
 */
int pb_pools_form(const pb_link_matrix_t *matrix, const int *nodes, int n, int percent, int *pool);

#endif
