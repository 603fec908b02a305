/*
 * Broadcast trees by simulated annealing (paper 4, sections 2.2 to 2.4).
 *
 * basicSA changes one tree again and again. A node on the way to the last leaf becomes the child of
 * a random other one. A tree that costs more is kept with a chance that falls with the temperature.
 * driverSA runs it on random trees, then on the best found (the good list). clusteredSA runs that
 * on pools of nodes that are well connected, and then on the pools' roots.
 *
 * Beyond the paper (ours): with several segments, half of the moved nodes are taken from the edges
 * that determine the period. The others are from the way to the last leaf. All is seeded, so that
 * with a budget counted in transformations a run can be repeated exactly.
 */
#ifndef PB_ANNEAL_H
#define PB_ANNEAL_H

#include <stdint.h>

#include "contrib/adaptive/search/tree_cost.h"

/**
 * basicSA, by the paper. It names no unit of its costs. Here PB_ANNEAL_DEGREES degrees of
 * temperature are the cost of the best tree of the run. At one degree a tree that costs 1 part in
 * as many more is kept with chance 1/e.
 */
#define PB_ANNEAL_INITIAL_TEMPERATURE 100
#define PB_ANNEAL_MINIMUM_TEMPERATURE 1
#define PB_ANNEAL_COOLING_PERCENT 80 /**< of a temperature that the next one is */
#define PB_ANNEAL_TRANSFORMATIONS 80 /**< at each temperature */
#define PB_ANNEAL_ACCEPTED 20        /**< accepted ones that end a temperature early */
#define PB_ANNEAL_ACCEPTED_PERCENT 3 /**< fewer, and no new best: basicSA ends early */
#define PB_ANNEAL_DEGREES 10000      /**< ours */

/** driverSA, by the paper. A good tree costs at most this percentage more than the best. */
#define PB_ANNEAL_GOOD_PERCENT 10
#define PB_ANNEAL_GOOD_TREES 64 /**< that the good list holds; ours */
#define PB_ANNEAL_RANDOM_RUNS 50
#define PB_ANNEAL_REFINE_RUNS 25
#define PB_ANNEAL_WINDOW_PERCENT 150 /**< of the time left, without a better tree: refine */

/** clusteredSA, by the paper: percentages of the best bandwidth, for one pool set each. */
#define PB_ANNEAL_POOL_PERCENTS                                                                    \
    {                                                                                              \
        10, 25, 50, 75                                                                             \
    }
#define PB_ANNEAL_N_POOL_PERCENTS 4
#define PB_ANNEAL_MAX_POOL 16  /**< nodes of a pool; smaller sets of nodes are not divided */
#define PB_ANNEAL_MAX_LEVELS 4 /**< sets of pools' roots are divided no more often; ours */

/** A clock's answer that ends the search, also one that has just begun. */
#define PB_ANNEAL_OVER INT64_MAX

typedef struct pb_anneal_options {
    uint64_t seed;
    /** Clock units, if there is a clock, or transformations. 0: the paper's numbers of runs. */
    int64_t budget;
    int64_t (*now)(void *clock); /**< never goes back; PB_ANNEAL_OVER ends the search; NULL: none */
    void *clock;                 /**< what `now` is called with */
} pb_anneal_options_t;

typedef struct pb_anneal_result {
    pb_tree_t *tree;
    int64_t cost; /**< ns, as pb_tree_cost() has it */
    int64_t n_transformations;
    int n_runs;  /**< of basicSA */
    int n_pools; /**< of all pool sets, those of two nodes or less not counted */
} pb_anneal_result_t;

/**
 * The best tree over all nodes that is found within the budget, from random ones. The
 * caller frees result->tree, which is NULL after an error.
 *
 * With a clock the budget is overrun by loading a tree and a few transformations for each pool at
 * most. PB_ERR_INPUT (no such root, or a negative budget), PB_ERR_NO_MEMORY.
 */
int pb_anneal(const pb_tree_costs_t *costs, int root, const pb_anneal_options_t *options,
              pb_anneal_result_t *result);

#endif
