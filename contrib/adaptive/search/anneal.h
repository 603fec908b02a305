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

#include <stdbool.h>
#include <stdint.h>

#include "contrib/adaptive/search/tree_cost.h"

/** The paper's parameters. */
#define PB_ANNEAL_INITIAL_TEMPERATURE 100
#define PB_ANNEAL_MINIMUM_TEMPERATURE 1
#define PB_ANNEAL_COOLING_PERCENT 80
#define PB_ANNEAL_TRANSFORMATIONS 80
#define PB_ANNEAL_ACCEPTED 20
#define PB_ANNEAL_ACCEPTED_PERCENT 3
#define PB_ANNEAL_GOOD_PERCENT 10
#define PB_ANNEAL_RANDOM_RUNS 50
#define PB_ANNEAL_REFINE_RUNS 25
#define PB_ANNEAL_WINDOW_PERCENT 150
#define PB_ANNEAL_POOL_PERCENTS                                                                    \
    {                                                                                              \
        10, 25, 50, 75                                                                             \
    }
#define PB_ANNEAL_N_POOL_PERCENTS 4
#define PB_ANNEAL_MAX_POOL 16

/** Ours. */
#define PB_ANNEAL_DEGREES 10000
#define PB_ANNEAL_GOOD_TREES 64
#define PB_ANNEAL_MAX_LEVELS 4

/** Pool sets that may be tried at each level. */
#define PB_ANNEAL_MAX_POOL_PERCENTS 8

/** Result of one run of basicSA in driverSA, for watchers of a search. */
typedef struct pb_anneal_seen {
    bool refines;              /**< it began with a good tree; else with a random one */
    int64_t n_transformations; /**< of the search, up to its end */
    int64_t cost;              /**< ns, of its best tree */
} pb_anneal_seen_t;

/** A clock's answer that ends the search, also one that has just begun. */
#define PB_ANNEAL_OVER INT64_MAX

typedef struct pb_anneal_options {
    uint64_t seed;

    /* The budget. Either clock units, if there is a clock, or transformations. */
    int64_t budget;              /**< 0: the paper's numbers of runs instead */
    int64_t (*now)(void *clock); /**< never goes back; PB_ANNEAL_OVER ends the search; NULL: none */
    void *clock;                 /**< what `now` is called with */

    /* Called after each run of basicSA in driverSA; NULL: nobody watches. */
    void (*watch)(void *watcher, const pb_anneal_seen_t *seen);
    void *watcher; /**< what `watch` is called with */

    /*
     * basicSA. The paper names no unit of its costs. Here `degrees` degrees of temperature are the
     * cost of the best tree of the run. At one degree a tree that costs 1 / degrees more is kept
     * with chance 1/e.
     */
    int degrees;
    int initial_temperature; /**< each temperature in percent of the one before */
    int minimum_temperature; /**< and at or below which it ends */
    int cooling_percent;     /**< of a temperature that the next one is */
    int transformations;     /**< at each temperature */
    int accepted;            /**< accepted ones that end a temperature early */
    int accepted_percent;    /**< fewer accepted, and no new best: basicSA ends early */

    /* driverSA. */
    int good_percent;   /**< a good tree costs at most this percentage more than the best */
    int good_trees;     /**< trees that the good list holds */
    int random_runs;    /**< part of the time left; without a better tree in it: refine */
    int refine_runs;    /**< basicSA on good trees, without a budget */
    int window_percent; /**< of the time left; as long without a better tree: refine */

    /* clusteredSA. */
    int n_pool_percents;
    int pool_percents[PB_ANNEAL_MAX_POOL_PERCENTS]; /**< of the best bandwidth, for one set each */
    int max_pool;   /**< nodes of a pool; smaller sets of nodes are not divided */
    int max_levels; /**< sets of pools' roots are divided no more often */
} pb_anneal_options_t;

typedef struct pb_anneal_result {
    pb_tree_t *tree;
    int64_t cost; /**< ns, as pb_tree_cost() has it */
    int64_t n_transformations;
    int n_runs;  /**< of basicSA */
    int n_pools; /**< of all pool sets, those of two nodes or less not counted */
} pb_anneal_result_t;

/** The constants above, seed 1, and no budget. */
void pb_anneal_defaults(pb_anneal_options_t *options);

/**
 * The best tree over all nodes that is found within the budget, from random ones. The
 * caller clears the result with pb_anneal_clear(), also after an error.
 *
 * With a clock the budget is overrun by loading a tree and a few transformations for each pool at
 * most. PB_ERR_INPUT if an option is out of range or there is no such root; PB_ERR_NO_MEMORY.
 */
int pb_anneal(const pb_tree_costs_t *costs, int root, const pb_anneal_options_t *options,
              pb_anneal_result_t *result);
void pb_anneal_clear(pb_anneal_result_t *result);

#endif
