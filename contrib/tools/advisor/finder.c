#include "finder.h"

#include <stdlib.h>

#include "topo/search/anneal.h"
#include "topo/search/streams_cost.h"
#include "topo/search/tree_multilevel.h"
#include "topo/trees/plan.h"

/** Segment sizes to choose from: whole TCP segments less Open MPI's header, doubled. */
static const uint32_t segment_sizes[] = {1426,  2874,  5770,   11562,  23146,
                                         46314, 92650, 185322, 370666, 741354};

/** Trees to begin with, whose parents are borrowed by the annealer. */
enum { MOST_SEEDS = 48, MOST_PUSHED = 32 };

struct seeds {
    pb_tree_t *trees[MOST_SEEDS];
    int n;
    int n_plain; /**< the first ones: the multilevel tree, and those with a cluster pushed down */
};

/** The slot of the next tree, which counts once a function has put one there. */
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

/** The trees of a kind that may be chosen and is one tree, with every fanout where it takes one. */
static int add_plans_of(struct seeds *seeds, const pb_view_t *view, pb_kind_t kind)
{
    static const int fanouts[] = {2, 3, 4, 8};
    const pb_kind_row_t *row = pb_kind_row(kind);
    const size_t n_fanouts = row->takes_fanout ? sizeof fanouts / sizeof fanouts[0] : 1;
    int error = PB_SUCCESS;
    for (size_t i = 0; error == PB_SUCCESS && i < n_fanouts; i++) {
        if (row->auto_turn > 0 && !row->several_streams) {
            error = add_plan(seeds, view, kind, fanouts[i]);
        }
    }
    return error;
}

/** The static trees over the known network. */
static int add_plans(struct seeds *seeds, const struct advise_network *network, int root)
{
    pb_view_t *view = NULL;
    if (network->placement == NULL) {
        return PB_SUCCESS;
    }
    int error = pb_view_new(network->placement, root, NULL, 0, &view);
    for (int kind = 0; error == PB_SUCCESS && kind < PB_KIND_COUNT; kind++) {
        error = add_plans_of(seeds, view, (pb_kind_t) kind);
    }
    pb_view_free(view);
    return error;
}

/** All nodes, those of a cluster behind the others; the root stays at its position in front of
 * them.
 */
static void order_behind(const pb_link_matrix_t *m, int cluster, int *nodes)
{
    int n = 0;
    for (int last = 0; last < 2; last++) {
        for (int i = 0; i < m->n_nodes; i++) {
            if ((m->node_cluster[i] == cluster) == (last == 1)) {
                nodes[n++] = i;
            }
        }
    }
}

/** Puts a tree over nodes[0], nodes[1], ... in terms of the nodes themselves. */
static int rename_tree(const pb_tree_t *from, const int *nodes, pb_tree_t **to_p)
{
    *to_p = pb_tree_new(from->n_nodes, nodes[from->root]);
    if (*to_p == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < from->n_nodes; i++) {
        (*to_p)->parent[nodes[i]] = from->parent[i] >= 0 ? nodes[from->parent[i]] : -1;
        (*to_p)->child_index[nodes[i]] = from->child_index[i];
    }
    return PB_SUCCESS;
}

/**
 * The multilevel tree in which a cluster passes nothing on to others, if its site has another one
 * that can: what the paper's trees under load have in common (section 3.1, Figure 10).
 */
static int add_pushed(struct seeds *seeds, const pb_link_matrix_t *m, int root, int cluster)
{
    int *nodes = malloc((size_t) m->n_nodes * sizeof *nodes);
    pb_link_matrix_t *ordered = NULL;
    pb_tree_t *tree = NULL;
    int error = nodes != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY, first = 0;
    if (error == PB_SUCCESS) {
        order_behind(m, cluster, nodes);
        error = pb_link_matrix_select(m, nodes, m->n_nodes, &ordered);
    }
    while (error == PB_SUCCESS && nodes[first] != root) {
        first++;
    }
    if (error == PB_SUCCESS) {
        error = pb_tree_multilevel(ordered, first, &tree);
    }
    if (error == PB_SUCCESS) {
        error = keep_seed(seeds, rename_tree(tree, nodes, next_seed(seeds)));
    }
    pb_tree_free(tree);
    pb_link_matrix_free(ordered);
    free(nodes);
    return error;
}

static int add_all_pushed(struct seeds *seeds, const pb_link_matrix_t *m, int root)
{
    int error = PB_SUCCESS;
    for (int i = 0; i < m->n_clusters && i < MOST_PUSHED && error == PB_SUCCESS; i++) {
        if (i != m->node_cluster[root]) {
            error = add_pushed(seeds, m, root, i);
        }
    }
    seeds->n_plain = seeds->n;
    return error;
}

/** The multilevel tree comes first. */
static int make_seeds(const struct advise_network *network, const struct advise_wish *wish,
                      struct seeds *seeds)
{
    const pb_advice_tree_t *in_use = wish->in_use;
    *seeds = (struct seeds){.n_plain = 1};
    int error = keep_seed(seeds, pb_tree_multilevel(network->matrix, wish->root, next_seed(seeds)));
    if (error != PB_SUCCESS || wish->method != ADVISE_ANNEALED) {
        return error;
    }
    error = add_all_pushed(seeds, network->matrix, wish->root);
    if (error == PB_SUCCESS) {
        error = add_plans(seeds, network, wish->root);
    }
    if (error == PB_SUCCESS && in_use != NULL && in_use->n_streams == 1) {
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

/** The cost of the best of n trees. */
static int least_cost(const pb_tree_costs_t *costs, pb_tree_t *const *trees, int n, int64_t *cost_p)
{
    int error = PB_SUCCESS;
    *cost_p = INT64_MAX;
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        int64_t cost;
        error = pb_tree_cost(costs, trees[i], &cost);
        *cost_p = error == PB_SUCCESS && cost < *cost_p ? cost : *cost_p;
    }
    return error;
}

/** The cost of the first n trees together: of the best of them, or of all as streams. */
typedef int cost_together_t(const pb_tree_costs_t *costs, pb_tree_t *const *trees, int n,
                            int64_t *cost_p);

/** The segment size with which the first n seeds cost least, and their costs with it. */
static int choose_segment(const struct advise_network *network, const struct advise_wish *wish,
                          cost_together_t *cost_together, const struct seeds *seeds, int n,
                          uint32_t *segment_p, int64_t *cost_p)
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
            error = cost_together(costs, seeds->trees, n, &cost);
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
        found->streams[0] = result.tree;
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
    error = wish->method == ADVISE_MATEESCU
                ? pb_tree_mateescu(costs, wish->root, &found->streams[0])
                : copy_tree(seeds->trees[0], &found->streams[0]);
    return error == PB_SUCCESS ? pb_tree_cost(costs, found->streams[0], &found->cost) : error;
}

/** Replaces the tree that was found by a copy of another. */
static int take_instead(const pb_tree_t *tree, uint32_t segment, int64_t cost,
                        struct advise_found *found)
{
    pb_tree_t *copy;
    const int error = copy_tree(tree, &copy);
    if (error == PB_SUCCESS) {
        pb_tree_free(found->streams[0]);
        found->streams[0] = copy;
        found->segment = segment;
        found->cost = cost;
    }
    return error;
}

/** What a tree would take now. */
static int cost_of(const struct advise_network *network, uint64_t bytes, uint32_t segment,
                   const pb_tree_t *tree, int64_t *cost_p)
{
    pb_tree_costs_t *costs;
    pb_tree_t *copy = NULL;
    int error = pb_tree_costs_new(network->matrix, network->share, bytes, segment, &costs);
    if (error != PB_SUCCESS) {
        return error;
    }
    error = copy_tree(tree, &copy);
    if (error == PB_SUCCESS) {
        error = pb_tree_cost(costs, copy, cost_p);
    }
    pb_tree_free(copy);
    pb_tree_costs_free(costs);
    return error;
}

/** The first plain tree that is not clearly worse than the best. */
static int prefer_plain(const struct advise_network *network, const struct advise_wish *wish,
                        const struct seeds *seeds, struct advise_found *found)
{
    const int64_t best = found->cost;
    int error = PB_SUCCESS;
    for (int i = 1; i < seeds->n_plain && error == PB_SUCCESS; i++) {
        int64_t cost;
        error = cost_of(network, wish->bytes, found->segment, seeds->trees[i], &cost);
        if (error == PB_SUCCESS && best > cost / 100 * ADVISE_PLAIN_PERCENT) {
            return take_instead(seeds->trees[i], found->segment, cost, found);
        }
    }
    return error;
}

/** The multilevel tree, or the tree in use, or another plain one, unless the one found is clearly
 * better. */
static int prefer_known(const struct advise_network *network, const struct advise_wish *wish,
                        const struct seeds *seeds, uint32_t of_multilevel,
                        struct advise_found *found)
{
    const pb_advice_tree_t *in_use = wish->in_use;
    if (found->cost > found->multilevel / 100 * ADVISE_PLAIN_PERCENT) {
        return take_instead(seeds->trees[0], of_multilevel, found->multilevel, found);
    }
    if (in_use != NULL && in_use->n_streams == 1) {
        int64_t cost;
        const int error = cost_of(network, wish->bytes, in_use->segment, in_use->streams[0], &cost);
        if (error != PB_SUCCESS || found->cost > cost / 100 * ADVISE_WORTH_PERCENT) {
            found->kept = error == PB_SUCCESS;
            return error != PB_SUCCESS
                       ? error
                       : take_instead(in_use->streams[0], in_use->segment, cost, found);
        }
    }
    return prefer_plain(network, wish, seeds, found);
}

/* ---- several streams ---- */

void advise_found_clear(struct advise_found *found)
{
    for (int s = 0; s < PB_ADVICE_MAX_STREAMS; s++) {
        pb_tree_free(found->streams[s]);
        found->streams[s] = NULL;
    }
    found->n_streams = 0;
}

/** The streams of the two trees over the network, or over one switch where none is known. */
static int make_two_trees(const struct advise_network *network, int root, struct seeds *streams)
{
    const pb_link_matrix_t *m = network->matrix;
    pb_network_t *one_switch = NULL;
    pb_placement_t *alone = NULL;
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    int error = PB_SUCCESS;
    if (network->placement == NULL) {
        error =
            pb_placement_one_switch((const char *const *) m->node, m->n_nodes, &one_switch, &alone);
    }
    if (error == PB_SUCCESS) {
        error = pb_view_new(alone != NULL ? alone : network->placement, root, NULL, 0, &view);
    }
    if (error == PB_SUCCESS) {
        error = pb_plan_compute(view, PB_KIND_TWOTREE, NULL, &plan);
    }
    for (int s = 0; error == PB_SUCCESS && s < plan->n_streams; s++) {
        error = keep_seed(streams, pb_tree_from_plan(plan, s, next_seed(streams)));
    }
    pb_plan_free(plan);
    pb_view_free(view);
    pb_placement_free(alone);
    pb_network_free(one_switch);
    return error;
}

/** Whether the streams take the place of the tree: if they are clearly faster; where they are in
 * use so far, unless the tree is. */
static bool prefers_streams(const struct advise_wish *wish, int64_t of_streams, int64_t of_tree)
{
    return wish->in_use != NULL && wish->in_use->n_streams > 1
               ? of_tree > of_streams / 100 * ADVISE_WORTH_PERCENT
               : of_streams <= of_tree / 100 * ADVISE_PLAIN_PERCENT;
}

/** The static plan of two trees, where that is predicted to be faster than the tree found. */
static int prefer_streams(const struct advise_network *network, const struct advise_wish *wish,
                          struct advise_found *found)
{
    struct seeds streams = {.n = 0};
    uint32_t segment = 0;
    int64_t cost = INT64_MAX;
    int error = make_two_trees(network, wish->root, &streams);
    if (error == PB_SUCCESS) {
        error =
            choose_segment(network, wish, pb_streams_cost, &streams, streams.n, &segment, &cost);
    }
    if (error == PB_SUCCESS && streams.n > 1 && streams.n <= PB_ADVICE_MAX_STREAMS &&
        prefers_streams(wish, cost, found->cost)) {
        advise_found_clear(found);
        for (int s = 0; s < streams.n; s++) {
            found->streams[s] = streams.trees[s];
        }
        found->n_streams = streams.n;
        found->segment = segment;
        found->cost = cost;
        found->kept = wish->in_use != NULL && wish->in_use->n_streams > 1;
        streams.n = 0;
    }
    free_seeds(&streams);
    return error == PB_ERR_UNFIT ? PB_SUCCESS : error;
}

int advise_find(const struct advise_network *network, const struct advise_wish *wish,
                struct advise_found *found)
{
    struct seeds seeds;
    pb_tree_costs_t *costs = NULL;
    uint32_t of_multilevel = 0;
    int64_t cost;
    *found = (struct advise_found){.n_streams = 0};
    int error = make_seeds(network, wish, &seeds);
    if (error == PB_SUCCESS) {
        error = choose_segment(network, wish, least_cost, &seeds, 1, &of_multilevel,
                               &found->multilevel);
    }
    if (error == PB_SUCCESS) {
        error = choose_segment(network, wish, least_cost, &seeds, seeds.n, &found->segment, &cost);
    }
    if (error == PB_SUCCESS) {
        error =
            pb_tree_costs_new(network->matrix, network->share, wish->bytes, found->segment, &costs);
    }
    if (error == PB_SUCCESS) {
        error = make_tree(costs, wish, &seeds, found);
    }
    if (error == PB_SUCCESS && wish->method == ADVISE_ANNEALED) {
        error = prefer_known(network, wish, &seeds, of_multilevel, found);
    }
    found->n_streams = 1;
    if (error == PB_SUCCESS && wish->method == ADVISE_ANNEALED) {
        error = prefer_streams(network, wish, found);
    }
    pb_tree_costs_free(costs);
    free_seeds(&seeds);
    if (error != PB_SUCCESS) {
        advise_found_clear(found);
    }
    return error;
}
