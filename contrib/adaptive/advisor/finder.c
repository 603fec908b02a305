#include "finder.h"

#include "contrib/adaptive/search/anneal.h"
#include "contrib/adaptive/search/trees.h"
#include "topo/trees/plan.h"

/** Segment sizes to choose from: whole TCP segments less Open MPI's header, doubled. */
static const uint32_t segment_sizes[] = {1426,  2874,  5770,   11562,  23146,
                                         46314, 92650, 185322, 370666, 741354};

static const int fanouts[] = {2, 3, 4, 8};

enum {
    N_SIZES = sizeof segment_sizes / sizeof segment_sizes[0],
    N_FANOUTS = sizeof fanouts / sizeof fanouts[0],
    /** Besides static plans there are four candidates: see find_best(). */
    MOST_CANDIDATES = PB_KIND_COUNT * N_FANOUTS + 4
};

/** Trees to choose from; the first is the multilevel tree. */
struct candidates {
    const struct advise_network *network;
    const struct advise_wish *wish;
    struct advise_found all[MOST_CANDIDATES];
    int n;
};

void advise_found_clear(struct advise_found *found)
{
    for (int s = 0; s < PB_ADVICE_MAX_STREAMS; s++) {
        pb_tree_free(found->streams[s]);
        found->streams[s] = NULL;
    }
    found->n_streams = 0;
}

/* ---- costs ---- */

static int new_costs(const struct candidates *c, uint32_t segment, pb_tree_costs_t **costs_p)
{
    return pb_tree_costs_new(c->network->matrix, c->network->share, c->wish->bytes, segment,
                             costs_p);
}

/** Compares a candidate's cost with a segment size to its least one. A single tree's children are
 * then in the order for this size. */
static int weigh_one(const pb_tree_costs_t *costs, uint32_t segment, struct advise_found *candidate)
{
    int64_t cost;
    const int error = candidate->n_streams > 1
                          ? pb_streams_cost(costs, candidate->streams, candidate->n_streams, &cost)
                          : pb_tree_cost(costs, candidate->streams[0], &cost);
    if (error == PB_SUCCESS && cost < candidate->cost) {
        candidate->cost = cost;
        candidate->segment = segment;
    }
    return error;
}

/** Finds the least costs of the candidates from `first` on, and the segment sizes for them.
 * `segment`, if it is not 0, is the only one. */
static int weigh(struct candidates *c, int first, uint32_t segment)
{
    const uint32_t *sizes = segment > 0 ? &segment : segment_sizes;
    const int n_sizes = segment > 0 ? 1 : N_SIZES;
    int error = PB_SUCCESS;
    for (int i = 0; i < n_sizes && error == PB_SUCCESS && (i == 0 || sizes[i] < c->wish->bytes);
         i++) {
        pb_tree_costs_t *costs;
        error = new_costs(c, sizes[i], &costs);
        for (int k = first; k < c->n && error == PB_SUCCESS; k++) {
            error = weigh_one(costs, sizes[i], &c->all[k]);
        }
        pb_tree_costs_free(costs);
    }
    return error;
}

/** The cheapest of the first n; of equal ones that with the smallest segments. */
static int cheapest(const struct candidates *c, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++) {
        const struct advise_found *one = &c->all[i], *other = &c->all[best];
        if (one->cost < other->cost ||
            (one->cost == other->cost && one->segment < other->segment)) {
            best = i;
        }
    }
    return best;
}

/** Tells whether a cost is lower enough for a change of trees. */
static bool is_worth(int64_t cost, int64_t other)
{
    return cost <= other / 100 * ADVISE_WORTH_PERCENT;
}

/* ---- candidates ---- */

/** Adds a tree, which is the list's then; NULL: out of memory. */
static int add_tree(struct candidates *c, pb_tree_t *tree)
{
    if (tree == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    c->all[c->n++] = (struct advise_found){.n_streams = 1, .streams = {tree}, .cost = INT64_MAX};
    return PB_SUCCESS;
}

static int add_multilevel(struct candidates *c)
{
    pb_tree_t *tree;
    const int error = pb_tree_multilevel(c->network->matrix, c->wish->root, &tree);
    return error == PB_SUCCESS ? add_tree(c, tree) : error;
}

/** Adds Mateescu's tree; with several segments it is the fastest one for the first of them. */
static int add_mateescu(struct candidates *c, uint32_t segment)
{
    pb_tree_costs_t *costs;
    pb_tree_t *tree;
    int error = new_costs(c, segment, &costs);
    if (error == PB_SUCCESS) {
        error = pb_tree_mateescu(costs, c->wish->root, &tree);
        pb_tree_costs_free(costs);
    }
    return error == PB_SUCCESS ? add_tree(c, tree) : error;
}

static int add_annealed(struct candidates *c, uint32_t segment)
{
    const struct advise_wish *wish = c->wish;
    pb_tree_costs_t *costs;
    pb_anneal_options_t options = {.seed = wish->seed, .budget = wish->transformations};
    pb_anneal_result_t result;
    if (wish->transformations == 0) {
        options.budget = wish->budget;
        options.now = wish->now;
        options.clock = wish->context;
    }
    int error = new_costs(c, segment, &costs);
    if (error != PB_SUCCESS) {
        return error;
    }
    error = pb_anneal(costs, wish->root, &options, &result);
    pb_tree_costs_free(costs);
    return error == PB_SUCCESS ? add_tree(c, result.tree) : error;
}

/** Adds a static plan, one tree or several. */
static int add_plan(struct candidates *c, const pb_view_t *view, pb_kind_t kind, int fanout)
{
    const pb_plan_options_t options = {.fanout = fanout};
    struct advise_found *candidate = &c->all[c->n];
    pb_plan_t *plan;
    int error = pb_plan_compute(view, kind, &options, &plan);
    if (error != PB_SUCCESS) {
        return error;
    }
    *candidate = (struct advise_found){.n_streams = plan->n_streams, .cost = INT64_MAX};
    c->n++;
    for (int s = 0; error == PB_SUCCESS && s < plan->n_streams; s++) {
        error = pb_tree_from_plan(plan, s, &candidate->streams[s]);
    }
    pb_plan_free(plan);
    return error;
}

/** Adds the trees of a kind that may be chosen and is one tree, with all fanouts that it takes. */
static int add_plans_of(struct candidates *c, const pb_view_t *view, pb_kind_t kind)
{
    const pb_kind_row_t *row = pb_kind_row(kind);
    const int n = row->auto_turn <= 0 || row->several_streams || row->copies ? 0
                  : row->takes_fanout                                        ? N_FANOUTS
                                                                             : 1;
    int error = PB_SUCCESS;
    for (int i = 0; error == PB_SUCCESS && i < n; i++) {
        error = add_plan(c, view, kind, fanouts[i]);
    }
    return error;
}

/** Adds the static plans of one tree, where there is a topology, and *n_single_p has how many
 * candidates there are then. Adds the two trees. */
static int add_plans(struct candidates *c, int *n_single_p)
{
    pb_view_t *view = NULL;
    int error = pb_view_new(c->network->placement, c->wish->root, NULL, 0, &view);
    for (int kind = 0;
         error == PB_SUCCESS && c->network->one_switch == NULL && kind < PB_KIND_COUNT; kind++) {
        error = add_plans_of(c, view, (pb_kind_t) kind);
    }
    *n_single_p = c->n;
    if (error == PB_SUCCESS) {
        error = add_plan(c, view, PB_KIND_TWOTREE, 0);
    }
    pb_view_free(view);
    return error;
}

/* ---- the choice ---- */

/** The tree in use stays unless the best one is clearly better; `two` are the two trees, or -1. */
static int compare_in_use(struct candidates *c, int two, int *best_p)
{
    const pb_advice_tree_t *in_use = c->wish->in_use;
    const uint32_t segment = c->wish->segment > 0 ? c->wish->segment : in_use->segment;
    int error = PB_SUCCESS, kept = two;
    if (in_use->n_streams == 1) {
        kept = c->n;
        error = add_tree(c, pb_tree_copy(in_use->streams[0]));
        error = error == PB_SUCCESS ? weigh(c, kept, segment) : error;
    }
    if (error == PB_SUCCESS && kept >= 0 &&
        (*best_p == kept || !is_worth(c->all[*best_p].cost, c->all[kept].cost))) {
        c->all[kept].kept = true;
        *best_p = kept;
    }
    return error;
}

/** The best static tree, the two trees if they are better, then the annealed tree if it is clearly
 * better, and the tree in use. */
static int find_best(struct candidates *c, int *best_p)
{
    int n_single, two = -1;
    int error = add_plans(c, &n_single);
    if (error == PB_SUCCESS) {
        error = weigh(c, 1, c->wish->segment);
    }
    if (error != PB_SUCCESS) {
        return error;
    }
    *best_p = cheapest(c, n_single);
    const uint32_t segment = c->all[*best_p].segment;
    if (c->n > n_single && c->all[n_single].n_streams > 1) {
        two = n_single;
        *best_p = c->all[two].cost < c->all[*best_p].cost ? two : *best_p;
    }
    const int annealed = c->n;
    error = add_annealed(c, segment);
    if (error == PB_SUCCESS) {
        error = weigh(c, annealed, c->wish->segment);
    }
    if (error == PB_SUCCESS && is_worth(c->all[annealed].cost, c->all[*best_p].cost)) {
        *best_p = annealed;
    }
    return error == PB_SUCCESS && c->wish->in_use != NULL ? compare_in_use(c, two, best_p) : error;
}

static int choose(struct candidates *c, int *best_p)
{
    int error = add_multilevel(c);
    if (error == PB_SUCCESS) {
        error = weigh(c, 0, c->wish->segment);
    }
    if (error == PB_SUCCESS && c->wish->method == ADVISE_MATEESCU) {
        *best_p = 1;
        error = add_mateescu(c, c->all[0].segment);
        error = error == PB_SUCCESS ? weigh(c, 1, c->wish->segment) : error;
    }
    if (error == PB_SUCCESS && c->wish->method == ADVISE_ANNEALED) {
        error = find_best(c, best_p);
    }
    return error;
}

int advise_find(const struct advise_network *network, const struct advise_wish *wish,
                struct advise_found *found)
{
    struct candidates c = {.network = network, .wish = wish};
    int best = 0;
    int error = choose(&c, &best);
    *found = (struct advise_found){.n_streams = 0};
    if (error == PB_SUCCESS) {
        /* Its children are in the order for the last segment size that was tried. */
        error = weigh(&c, best, c.all[best].segment);
    }
    if (error == PB_SUCCESS) {
        *found = c.all[best];
        found->multilevel = c.all[0].cost;
        c.all[best] = (struct advise_found){.n_streams = 0};
    }
    for (int i = 0; i < c.n; i++) {
        advise_found_clear(&c.all[i]);
    }
    return error;
}
