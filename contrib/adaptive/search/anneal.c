#include "contrib/adaptive/search/anneal.h"

#include <stdlib.h>

#include "contrib/adaptive/search/anneal_internal.h"

static bool alloc_run(pb_anneal_run_t *run)
{
    const int n = run->costs->matrix->n_nodes;
    run->state = pb_tree_state_new(run->costs);
    run->tree = pb_tree_new(n, run->root);
    run->pool = pb_good_trees_new(n, PB_ANNEAL_GOOD_TREES, PB_ANNEAL_GOOD_PERCENT);
    run->refined = pb_good_trees_new(n, 1, 0);
    run->whole = pb_good_trees_new(n, 1, 0);
    return run->state != NULL && run->tree != NULL && run->pool != NULL && run->refined != NULL &&
           run->whole != NULL;
}

static void clear_run(pb_anneal_run_t *run)
{
    pb_tree_state_free(run->state);
    pb_tree_free(run->tree);
    pb_good_trees_free(run->pool);
    pb_good_trees_free(run->refined);
    pb_good_trees_free(run->whole);
}

static int anneal(pb_anneal_run_t *run, pb_anneal_result_t *result)
{
    const int64_t budget = run->options->budget;
    const int error = pb_anneal_clusters(run, budget > 0 ? budget : PB_ANNEAL_NEVER);
    if (error != PB_SUCCESS) {
        return error;
    }
    const pb_good_tree_t *best = &run->whole->trees[0];
    pb_tree_state_load(run->state, best->parent, best->root);
    pb_tree_state_store(run->state, run->tree);
    result->cost = best->cost;
    result->n_transformations = run->n_transformations;
    result->n_runs = run->n_runs;
    result->n_pools = run->n_pools;
    result->tree = run->tree;
    run->tree = NULL;
    return PB_SUCCESS;
}

int pb_anneal(const pb_tree_costs_t *costs, int root, const pb_anneal_options_t *options,
              pb_anneal_result_t *result)
{
    *result = (pb_anneal_result_t){.tree = NULL};
    if (root < 0 || root >= costs->matrix->n_nodes || options->budget < 0) {
        return PB_ERR_INPUT;
    }
    pb_anneal_run_t run = {
        .costs = costs, .options = options, .root = root, .random = pb_random_seed(options->seed)};
    run.start = options->now != NULL ? options->now(options->clock) : 0;
    int error = alloc_run(&run) ? anneal(&run, result) : PB_ERR_NO_MEMORY;
    clear_run(&run);
    return error;
}
