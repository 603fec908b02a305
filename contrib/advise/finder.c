#include "finder.h"

#include <stdlib.h>

#include "topo/anneal.h"
#include "topo/plan.h"

/** Segment sizes to choose from: whole TCP segments less Open MPI's header, doubled. */
static const uint32_t segment_sizes[] = {1426,  2874,  5770,   11562,  23146,
                                         46314, 92650, 185322, 370666, 741354};

/** Trees to begin with, whose parents are borrowed by the annealer. */
enum { MOST_SEEDS = 16 };

struct seeds {
    pb_tree_t *trees[MOST_SEEDS];
    int n;
};

/** The place of the next tree, which counts once a function has put one there. */
static pb_tree_t **next_seed(struct seeds *seeds)
{
    return &seeds->trees[seeds->n];
}

static int keep_seed(struct seeds *seeds, int error)
{
    seeds->n += error == PB_SUCCESS;
    return error;
}

static int copy_tree(const pb_tree_t *from, pb_tree_t **to_p)
{
    *to_p = pb_tree_new(from->n_nodes, from->root);
    if (*to_p == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    pb_tree_copy(*to_p, from);
    return PB_SUCCESS;
}

/** One tree of a static plan. A kind that does not fit the network is left out. */
static int add_plan(struct seeds *seeds, const pb_view_t *view, pb_kind_t kind, int fanout)
{
    const pb_plan_options_t options = {.fanout = fanout};
    pb_plan_t *plan;
    int error = pb_plan_compute(view, kind, &options, &plan);
    if (error != PB_SUCCESS) {
        return error == PB_ERR_UNFIT ? PB_SUCCESS : error;
    }
    error = keep_seed(seeds, pb_tree_from_plan(plan, 0, next_seed(seeds)));
    pb_plan_free(plan);
    return error;
}

/** The static trees over the known network. */
static int add_plans(struct seeds *seeds, const struct advise_network *network, int root)
{
    static const struct {
        pb_kind_t kind;
        int fanout;
    } kinds[] = {{PB_KIND_CHAIN, 1}, {PB_KIND_BINARY, 2}, {PB_KIND_KARY, 2},     {PB_KIND_KARY, 3},
                 {PB_KIND_KARY, 4},  {PB_KIND_KARY, 8},   {PB_KIND_BINOMIAL, 2}, {PB_KIND_FLAT, 1}};
    pb_view_t *view;
    if (network->placement == NULL) {
        return PB_SUCCESS;
    }
    int error = pb_view_new(network->placement, root, NULL, 0, &view);
    for (size_t i = 0; error == PB_SUCCESS && i < sizeof kinds / sizeof kinds[0]; i++) {
        error = add_plan(seeds, view, kinds[i].kind, kinds[i].fanout);
        if (error != PB_SUCCESS) {
            pb_view_free(view);
            return error;
        }
    }
    if (error == PB_SUCCESS) {
        pb_view_free(view);
    }
    return error;
}

/** The multilevel tree comes first. */
static int make_seeds(const struct advise_network *network, const struct advise_wish *wish,
                      struct seeds *seeds)
{
    seeds->n = 0;
    int error = keep_seed(seeds, pb_tree_multilevel(network->matrix, wish->root, next_seed(seeds)));
    if (error == PB_SUCCESS && wish->method == ADVISE_ANNEALED) {
        error = add_plans(seeds, network, wish->root);
    }
    const pb_advice_tree_t *in_use = wish->in_use;
    if (error == PB_SUCCESS && wish->method == ADVISE_ANNEALED && in_use != NULL &&
        in_use->n_streams == 1) {
        error = keep_seed(seeds, copy_tree(in_use->streams[0], next_seed(seeds)));
    }
    return error;
}

static void free_seeds(struct seeds *seeds)
{
    for (int i = 0; i < seeds->n; i++) {
        pb_tree_free(seeds->trees[i]);
    }
    seeds->n = 0;
}

/* ---- segment sizes ---- */

/** The least cost of a seed, or of those up to `n` of them. */
static int least_cost(const pb_tree_costs_t *costs, const struct seeds *seeds, int n,
                      int64_t *cost_p)
{
    int error = PB_SUCCESS;
    *cost_p = INT64_MAX;
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        int64_t cost;
        error = pb_tree_cost(costs, seeds->trees[i], &cost);
        *cost_p = error == PB_SUCCESS && cost < *cost_p ? cost : *cost_p;
    }
    return error;
}

/** The segment size with which the best of the first n seeds is fastest. */
static int choose_segment(const struct advise_network *network, const struct advise_wish *wish,
                          const struct seeds *seeds, int n, uint32_t *segment_p, int64_t *cost_p)
{
    const size_t n_sizes = wish->segment > 0 ? 1 : sizeof segment_sizes / sizeof segment_sizes[0];
    const uint32_t *sizes = wish->segment > 0 ? &wish->segment : segment_sizes;
    int error = PB_SUCCESS;
    *cost_p = INT64_MAX;
    for (size_t i = 0; i < n_sizes && error == PB_SUCCESS && (i == 0 || sizes[i] < wish->bytes);
         i++) {
        pb_tree_costs_t *costs;
        int64_t cost;
        error = pb_tree_costs_new(network->matrix, network->share, wish->bytes, sizes[i], &costs);
        if (error == PB_SUCCESS) {
            error = least_cost(costs, seeds, n, &cost);
            pb_tree_costs_free(costs);
        }
        if (error == PB_SUCCESS && cost < *cost_p) {
            *cost_p = cost;
            *segment_p = sizes[i];
        }
    }
    return error;
}

/* ---- trees ---- */

static int anneal(const pb_tree_costs_t *costs, const struct advise_wish *wish,
                  const struct seeds *seeds, struct advise_found *found)
{
    const int *parents[MOST_SEEDS];
    pb_anneal_options_t options;
    pb_anneal_result_t result;
    pb_anneal_defaults(&options);
    options.seed = wish->seed;
    if (wish->budget > 0) {
        options.budget = wish->budget;
        options.now = wish->now;
        options.clock = wish->context;
    }
    for (int i = 0; i < seeds->n; i++) {
        parents[i] = seeds->trees[i]->parent;
    }
    const int error = pb_anneal(costs, wish->root, parents, seeds->n, &options, &result);
    if (error == PB_SUCCESS) {
        found->tree = result.tree;
        found->cost = result.cost;
        result.tree = NULL;
    }
    pb_anneal_clear(&result);
    return error;
}

static int make_tree(const pb_tree_costs_t *costs, const struct advise_wish *wish,
                     const struct seeds *seeds, struct advise_found *found)
{
    int error;
    if (wish->method == ADVISE_ANNEALED) {
        return anneal(costs, wish, seeds, found);
    }
    error = wish->method == ADVISE_MATEESCU ? pb_tree_mateescu(costs, wish->root, &found->tree)
                                            : copy_tree(seeds->trees[0], &found->tree);
    return error == PB_SUCCESS ? pb_tree_cost(costs, found->tree, &found->cost) : error;
}

/** Puts a copy of another tree in place of what was found. */
static int take_instead(const pb_tree_t *tree, uint32_t segment, int64_t cost,
                        struct advise_found *found)
{
    pb_tree_t *copy;
    const int error = copy_tree(tree, &copy);
    if (error == PB_SUCCESS) {
        pb_tree_free(found->tree);
        found->tree = copy;
        found->segment = segment;
        found->cost = cost;
    }
    return error;
}

/** What the tree in use would take now. */
static int cost_in_use(const struct advise_network *network, const struct advise_wish *wish,
                       int64_t *cost_p)
{
    pb_tree_costs_t *costs;
    pb_tree_t *tree = NULL;
    int error = pb_tree_costs_new(network->matrix, network->share, wish->bytes,
                                  wish->in_use->segment, &costs);
    if (error != PB_SUCCESS) {
        return error;
    }
    error = copy_tree(wish->in_use->streams[0], &tree);
    if (error == PB_SUCCESS) {
        error = pb_tree_cost(costs, tree, cost_p);
    }
    pb_tree_free(tree);
    pb_tree_costs_free(costs);
    return error;
}

/** The multilevel tree, or the tree in use, unless the one found is clearly better. */
static int prefer_known(const struct advise_network *network, const struct advise_wish *wish,
                        const pb_tree_t *multilevel, uint32_t of_multilevel,
                        struct advise_found *found)
{
    const pb_advice_tree_t *in_use = wish->in_use;
    int64_t cost;
    if (found->cost > found->multilevel / 100 * ADVISE_PLAIN_PERCENT) {
        return take_instead(multilevel, of_multilevel, found->multilevel, found);
    }
    if (in_use == NULL || in_use->n_streams != 1) {
        return PB_SUCCESS;
    }
    int error = cost_in_use(network, wish, &cost);
    if (error == PB_SUCCESS && found->cost > cost / 100 * ADVISE_WORTH_PERCENT) {
        error = take_instead(in_use->streams[0], in_use->segment, cost, found);
        found->kept = true;
    }
    return error;
}

int advise_find(const struct advise_network *network, const struct advise_wish *wish,
                struct advise_found *found)
{
    struct seeds seeds;
    pb_tree_costs_t *costs = NULL;
    uint32_t of_multilevel = 0;
    int64_t cost;
    *found = (struct advise_found){.tree = NULL};
    int error = make_seeds(network, wish, &seeds);
    if (error == PB_SUCCESS) {
        error = choose_segment(network, wish, &seeds, 1, &of_multilevel, &found->multilevel);
    }
    if (error == PB_SUCCESS) {
        error = choose_segment(network, wish, &seeds, seeds.n, &found->segment, &cost);
    }
    if (error == PB_SUCCESS) {
        error =
            pb_tree_costs_new(network->matrix, network->share, wish->bytes, found->segment, &costs);
    }
    if (error == PB_SUCCESS) {
        error = make_tree(costs, wish, &seeds, found);
    }
    if (error == PB_SUCCESS && wish->method == ADVISE_ANNEALED) {
        error = prefer_known(network, wish, seeds.trees[0], of_multilevel, found);
    }
    pb_tree_costs_free(costs);
    free_seeds(&seeds);
    if (error != PB_SUCCESS) {
        pb_tree_free(found->tree);
        found->tree = NULL;
    }
    return error;
}
