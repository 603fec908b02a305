#include "finder.h"

#include "contrib/adaptive/search/anneal.h"
#include "contrib/adaptive/search/streams_cost.h"
#include "known_trees.h"
#include "segment.h"

void advise_found_clear(struct advise_found *found)
{
    for (int s = 0; s < PB_ADVICE_MAX_STREAMS; s++) {
        pb_tree_free(found->streams[s]);
        found->streams[s] = NULL;
    }
    found->n_streams = 0;
}

/** Puts trees in the place of what was found: they are the list's no more. */
static void take(struct advise_known *trees, int first, int n, uint32_t segment, int64_t cost,
                 struct advise_found *found)
{
    advise_found_clear(found);
    for (int s = 0; s < n; s++) {
        found->streams[s] = trees->trees[first + s];
        trees->trees[first + s] = NULL;
    }
    found->n_streams = n;
    found->segment = segment;
    found->cost = cost;
}

/** Takes the best single tree of a list, and what it would cost. */
static int take_best(const struct advise_network *network, const struct advise_wish *wish,
                     struct advise_known *trees, struct advise_found *found)
{
    pb_tree_costs_t *costs = NULL;
    uint32_t segment = 0;
    int64_t least;
    int error = advise_segment_choose(network, wish->bytes, wish->segment, advise_least_cost, trees,
                                      trees->n, &segment, &least);
    if (error == PB_SUCCESS) {
        error = pb_tree_costs_new(network->matrix, network->share, wish->bytes, segment, &costs);
    }
    for (int i = 0; i < trees->n && error == PB_SUCCESS; i++) {
        int64_t cost;
        error = pb_tree_cost(costs, trees->trees[i], &cost);
        if (error == PB_SUCCESS && cost == least) {
            take(trees, i, 1, segment, cost, found);
            break;
        }
    }
    pb_tree_costs_free(costs);
    return error;
}

/* ---- the trees that are known ---- */

/** The multilevel tree, and what it costs. */
static int find_multilevel(const struct advise_network *network, const struct advise_wish *wish,
                           struct advise_found *found)
{
    struct advise_known trees = {.n = 0};
    int error = advise_known_add_multilevel(&trees, network->matrix, wish->root);
    if (error == PB_SUCCESS) {
        error = take_best(network, wish, &trees, found);
        found->multilevel = found->cost;
    }
    advise_known_clear(&trees);
    return error;
}

/** Mateescu's tree; with several segments it is the one that is the fastest for the first of them.
 */
static int find_mateescu(const struct advise_network *network, const struct advise_wish *wish,
                         struct advise_found *found)
{
    struct advise_known trees = {.n = 0};
    pb_tree_costs_t *costs;
    int error =
        pb_tree_costs_new(network->matrix, network->share, wish->bytes, found->segment, &costs);
    if (error == PB_SUCCESS) {
        error = pb_tree_mateescu(costs, wish->root, &trees.trees[0]);
        pb_tree_costs_free(costs);
    }
    if (error == PB_SUCCESS) {
        trees.n = 1;
        error = take_best(network, wish, &trees, found);
    }
    advise_known_clear(&trees);
    return error;
}

/** The best of the static trees takes the place of the one found, if it is better. */
static int compare_plans(const struct advise_network *network, const struct advise_wish *wish,
                         struct advise_found *found)
{
    struct advise_known trees = {.n = 0};
    int error = advise_known_add_copy(&trees, found->streams[0]);
    if (error == PB_SUCCESS) {
        error = advise_known_add_plans(&trees, network, wish->root);
    }
    if (error == PB_SUCCESS) {
        error = take_best(network, wish, &trees, found);
    }
    advise_known_clear(&trees);
    return error;
}

/**
 * Replaces the tree found by the streams of the two trees, if they are better; *cost_p is their
 * cost, INT64_MAX where there are none.
 */
static int compare_two_trees(const struct advise_network *network, const struct advise_wish *wish,
                             struct advise_found *found, int64_t *cost_p)
{
    struct advise_known trees = {.n = 0};
    uint32_t segment = 0;
    int64_t cost;
    int error = advise_known_add_two_trees(&trees, network, wish->root);
    *cost_p = INT64_MAX;
    if (error == PB_SUCCESS && trees.n > 1 && trees.n <= PB_ADVICE_MAX_STREAMS) {
        error = advise_segment_choose(network, wish->bytes, wish->segment, pb_streams_cost, &trees,
                                      trees.n, &segment, &cost);
        if (error == PB_SUCCESS) {
            *cost_p = cost;
        }
        if (error == PB_SUCCESS && cost < found->cost) {
            take(&trees, 0, trees.n, segment, cost, found);
        }
    }
    advise_known_clear(&trees);
    return error == PB_ERR_UNFIT ? PB_SUCCESS : error;
}

/* ---- the annealed tree ---- */

static int anneal(const struct advise_network *network, const struct advise_wish *wish,
                  uint32_t segment, struct advise_known *trees)
{
    pb_tree_costs_t *costs;
    pb_anneal_options_t options;
    pb_anneal_result_t result;
    pb_anneal_defaults(&options);
    options.seed = wish->seed;
    if (wish->transformations > 0) {
        options.budget = wish->transformations;
    } else if (wish->budget > 0) {
        options.budget = wish->budget;
        options.now = wish->now;
        options.clock = wish->context;
    }
    int error = pb_tree_costs_new(network->matrix, network->share, wish->bytes, segment, &costs);
    if (error != PB_SUCCESS) {
        return error;
    }
    error = pb_anneal(costs, wish->root, &options, &result);
    if (error == PB_SUCCESS) {
        trees->trees[trees->n++] = result.tree;
        result.tree = NULL;
    }
    pb_anneal_clear(&result);
    pb_tree_costs_free(costs);
    return error;
}

/** Tells whether a cost is lower enough for a change of trees. */
static bool is_worth(int64_t cost, int64_t other)
{
    return cost <= other / 100 * ADVISE_WORTH_PERCENT;
}

/** The annealed tree takes the place of what was found, if it is clearly better. */
static int compare_annealed(const struct advise_network *network, const struct advise_wish *wish,
                            uint32_t segment, struct advise_found *found)
{
    struct advise_known trees = {.n = 0};
    struct advise_found annealed = {.n_streams = 0};
    int error = anneal(network, wish, segment, &trees);
    if (error == PB_SUCCESS) {
        error = take_best(network, wish, &trees, &annealed);
    }
    if (error == PB_SUCCESS && is_worth(annealed.cost, found->cost)) {
        annealed.multilevel = found->multilevel;
        advise_found_clear(found);
        *found = annealed;
        annealed = (struct advise_found){.n_streams = 0};
    }
    advise_found_clear(&annealed);
    advise_known_clear(&trees);
    return error;
}

/* ---- the tree in use ---- */

/** The tree in use stays, unless what was found is clearly better. */
static int compare_in_use(const struct advise_network *network, const struct advise_wish *wish,
                          struct advise_found *found)
{
    struct advise_known trees = {.n = 0};
    const uint32_t segment = wish->in_use->segment;
    uint32_t same;
    int64_t cost;
    int error = advise_known_add_copy(&trees, wish->in_use->streams[0]);
    if (error == PB_SUCCESS) {
        error = advise_segment_choose(network, wish->bytes, segment, advise_least_cost, &trees, 1,
                                      &same, &cost);
    }
    if (error == PB_SUCCESS && !is_worth(found->cost, cost)) {
        take(&trees, 0, 1, segment, cost, found);
        found->kept = true;
    }
    advise_known_clear(&trees);
    return error;
}

/** The same of two trees, whose streams follow from the network. */
static int compare_streams_in_use(const struct advise_network *network,
                                  const struct advise_wish *wish, int64_t of_two_trees,
                                  struct advise_found *found)
{
    if (found->n_streams > 1) {
        found->kept = true;
        return PB_SUCCESS;
    }
    if (of_two_trees == INT64_MAX || is_worth(found->cost, of_two_trees)) {
        return PB_SUCCESS;
    }
    found->cost = INT64_MAX;
    found->kept = true;
    return compare_two_trees(network, wish, found, &of_two_trees);
}

/* ---- all ---- */

static int find_best(const struct advise_network *network, const struct advise_wish *wish,
                     struct advise_found *found)
{
    const pb_advice_tree_t *in_use = wish->in_use;
    int64_t of_two_trees = INT64_MAX;
    uint32_t segment = 0;
    int error = compare_plans(network, wish, found);
    if (error == PB_SUCCESS) {
        segment = found->segment;
        error = compare_two_trees(network, wish, found, &of_two_trees);
    }
    if (error == PB_SUCCESS) {
        error = compare_annealed(network, wish, segment, found);
    }
    if (error != PB_SUCCESS || in_use == NULL) {
        return error;
    }
    return in_use->n_streams > 1 ? compare_streams_in_use(network, wish, of_two_trees, found)
                                 : compare_in_use(network, wish, found);
}

int advise_find(const struct advise_network *network, const struct advise_wish *wish,
                struct advise_found *found)
{
    *found = (struct advise_found){.n_streams = 0};
    int error = find_multilevel(network, wish, found);
    if (error == PB_SUCCESS && wish->method == ADVISE_MATEESCU) {
        error = find_mateescu(network, wish, found);
    }
    if (error == PB_SUCCESS && wish->method == ADVISE_ANNEALED) {
        error = find_best(network, wish, found);
    }
    if (error != PB_SUCCESS) {
        advise_found_clear(found);
    }
    return error;
}
