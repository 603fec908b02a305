#include "contrib/adaptive/search/anneal.h"

#include <stdlib.h>

#include "contrib/adaptive/search/anneal_internal.h"

void pb_anneal_defaults(pb_anneal_options_t *options)
{
    *options = (pb_anneal_options_t){
        .seed = 1,
        .degrees = PB_ANNEAL_DEGREES,
        .initial_temperature = PB_ANNEAL_INITIAL_TEMPERATURE,
        .minimum_temperature = PB_ANNEAL_MINIMUM_TEMPERATURE,
        .cooling_percent = PB_ANNEAL_COOLING_PERCENT,
        .transformations = PB_ANNEAL_TRANSFORMATIONS,
        .accepted = PB_ANNEAL_ACCEPTED,
        .accepted_percent = PB_ANNEAL_ACCEPTED_PERCENT,
        .good_percent = PB_ANNEAL_GOOD_PERCENT,
        .good_trees = PB_ANNEAL_GOOD_TREES,
        .random_runs = PB_ANNEAL_RANDOM_RUNS,
        .refine_runs = PB_ANNEAL_REFINE_RUNS,
        .window_percent = PB_ANNEAL_WINDOW_PERCENT,
        .n_pool_percents = PB_ANNEAL_N_POOL_PERCENTS,
        .pool_percents = PB_ANNEAL_POOL_PERCENTS,
        .max_pool = PB_ANNEAL_MAX_POOL,
        .max_levels = PB_ANNEAL_MAX_LEVELS,
    };
}

static bool within(int value, int low, int high)
{
    return value >= low && value <= high;
}

static bool are_sound(const pb_anneal_options_t *o)
{
    const int many = 1000000;
    bool good = o->budget >= 0 && within(o->degrees, 1, many) &&
                within(o->initial_temperature, o->minimum_temperature + 1, many) &&
                within(o->minimum_temperature, 1, many) && within(o->cooling_percent, 1, 99) &&
                within(o->transformations, 1, many) && within(o->accepted, 1, many) &&
                within(o->accepted_percent, 0, 100) && within(o->good_percent, 0, 1000) &&
                within(o->good_trees, 1, 4096) && within(o->random_runs, 1, many) &&
                within(o->refine_runs, 0, many) && within(o->window_percent, 0, many) &&
                within(o->n_pool_percents, 0, PB_ANNEAL_MAX_POOL_PERCENTS) &&
                within(o->max_pool, 1, PB_LINK_MATRIX_MAX_NODES) && within(o->max_levels, 0, 8);
    for (int i = 0; i < o->n_pool_percents && good; i++) {
        good = within(o->pool_percents[i], 0, 100);
    }
    return good;
}

static bool alloc_run(pb_anneal_run_t *run)
{
    const int n = run->costs->matrix->n_nodes;
    const pb_anneal_options_t *options = run->options;
    run->state = pb_tree_state_new(run->costs);
    run->tree = pb_tree_new(n, run->root);
    run->pool = pb_good_trees_new(n, options->good_trees, options->good_percent);
    run->refined = pb_good_trees_new(n, 1, 0);
    run->whole = pb_good_trees_new(n, 1, 0);
    run->way = malloc((size_t) n * sizeof(*run->way));
    return run->state != NULL && run->tree != NULL && run->pool != NULL && run->refined != NULL &&
           run->whole != NULL && run->way != NULL;
}

static void clear_run(pb_anneal_run_t *run)
{
    pb_tree_state_free(run->state);
    pb_tree_free(run->tree);
    pb_good_trees_free(run->pool);
    pb_good_trees_free(run->refined);
    pb_good_trees_free(run->whole);
    free(run->way);
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
    if (root < 0 || root >= costs->matrix->n_nodes || !are_sound(options)) {
        return PB_ERR_INPUT;
    }
    pb_anneal_run_t run = {
        .costs = costs, .options = options, .root = root, .random = pb_random_seed(options->seed)};
    run.start = options->now != NULL ? options->now(options->clock) : 0;
    int error = alloc_run(&run) ? anneal(&run, result) : PB_ERR_NO_MEMORY;
    clear_run(&run);
    return error;
}

void pb_anneal_clear(pb_anneal_result_t *result)
{
    pb_tree_free(result->tree);
    *result = (pb_anneal_result_t){.tree = NULL};
}
