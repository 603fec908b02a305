/*
 * basicSA: one tree, changed again and again.
 */
#include "contrib/adaptive/search/anneal_internal.h"

/* Transformations between two looks at the clock. */
#define MOVES_PER_LOOK 16

int64_t pb_anneal_elapsed(const pb_anneal_run_t *run)
{
    const pb_anneal_options_t *options = run->options;
    if (options->now == NULL) {
        return run->n_transformations;
    }
    const int64_t now = options->now(options->clock);
    return now == PB_ANNEAL_OVER ? PB_ANNEAL_OVER : now - run->start;
}

/* ---- one transformation ---- */

/* Values to undo a transformation. */
typedef struct change {
    int node, from; /* the node that was moved, and its parent before */
    int branch;     /* its child that took its place; -1: none */
} change_t;

static int node_on_critical_way(pb_anneal_run_t *run)
{
    const pb_tree_state_t *state = run->state;
    int n = 0, node = state->critical[state->root];
    for (int at = node; at >= 0; at = state->critical[at]) {
        n++;
    }
    for (int i = pb_random_below(&run->random, n); i > 0; i--) {
        node = state->critical[node];
    }
    return node;
}

/* The link whose sharing makes the edge as slow as it is; -1 if it is the edge itself. */
static int slowest_link(const pb_tree_state_t *state, int edge)
{
    const pb_tree_costs_t *costs = state->costs;
    int n = 0, slowest = -1;
    const int *path = costs->share != NULL
                          ? pb_link_share_path(costs->share, state->parent[edge], edge, &n)
                          : NULL;
    int64_t time = pb_tree_costs_transfer(costs, state->parent[edge], edge);
    for (int i = 0; i < n; i++) {
        const int64_t shared = state->n_edges[path[i]] * costs->link_time[path[i]];
        if (shared > time) {
            time = shared;
            slowest = path[i];
        }
    }
    return slowest;
}

/* A node whose edge helps to determine the period, which computing the cost brings
 * up to date. */
static int node_on_period(pb_anneal_run_t *run)
{
    pb_tree_state_t *state = run->state;
    pb_tree_state_cost(state);
    if (state->busiest >= 0 && state->n_children[state->busiest] > 0) {
        int node = state->first_child[state->busiest];
        for (int i = pb_random_below(&run->random, state->n_children[state->busiest]); i > 0; i--) {
            node = state->next[node];
        }
        return node;
    }
    if (state->slowest < 0) {
        return node_on_critical_way(run);
    }
    const int link = slowest_link(state, state->slowest);
    if (link < 0) {
        return state->slowest;
    }
    int use = state->first_use[link];
    for (int i = pb_random_below(&run->random, state->n_edges[link]); i > 0; i--) {
        use = state->next_use[use];
    }
    return use / state->max_path;
}

static int node_to_move(pb_anneal_run_t *run)
{
    if (run->costs->n_segments > 1 && pb_random_below(&run->random, 2) == 1) {
        return node_on_period(run);
    }
    return node_on_critical_way(run);
}

/* Makes a node the child of another. If that is below it, the branch that it is on
 * first takes the node's place. */
static change_t transform(pb_anneal_run_t *run, const int *nodes, int n)
{
    pb_tree_state_t *state = run->state;
    const int node = node_to_move(run);
    change_t change = {.node = node, .from = state->parent[node], .branch = -1};
    int to;
    do {
        to = nodes[pb_random_below(&run->random, n)];
    } while (to == node || to == change.from);
    if (pb_tree_state_is_below(state, to, node)) {
        change.branch = to;
        while (state->parent[change.branch] != node) {
            change.branch = state->parent[change.branch];
        }
        pb_tree_state_move(state, change.branch, change.from);
    }
    pb_tree_state_move(state, node, to);
    return change;
}

static void undo(pb_tree_state_t *state, const change_t *change)
{
    pb_tree_state_move(state, change->node, change->from);
    if (change->branch >= 0) {
        pb_tree_state_move(state, change->branch, change->node);
    }
}

/* ---- chance ---- */

/* exp(-x / 2^16) * 2^32, in integers, so that every host decides alike. The
 * factors are exp(-2^k / 2^16) for the bits k of x. */
static uint64_t exp_of_minus(uint32_t x)
{
    static const uint32_t factors[] = {
        4294901760U, 4294836226U, 4294705160U, 4294443040U, 4293918848U, 4292870656U, 4290775039U,
        4286586875U, 4278222805U, 4261543595U, 4228380000U, 4162825044U, 4034748382U, 3790295335U,
        3344923893U, 2605029347U, 1580030169U, 581260615U,  78665070U,   1440801U,    483U};
    uint64_t value = UINT64_C(1) << 32;
    if (x >> (sizeof(factors) / sizeof(factors[0])) != 0) {
        return 0;
    }
    for (int k = 0; x >> k != 0; k++) {
        if (x >> k & 1) {
            value = value * factors[k] >> 32;
        }
    }
    return value;
}

/* Tells whether a tree that costs `more` is kept all the same, at `temperature` degrees. */
static bool is_kept(pb_anneal_run_t *run, int64_t more, int64_t best, double temperature)
{
    const double degrees = (double) more * PB_ANNEAL_DEGREES / ((double) best + 1);
    const double x = degrees / temperature * 65536;
    const uint64_t drawn = pb_random_next(&run->random) >> 32;
    return x < UINT32_MAX && drawn < exp_of_minus((uint32_t) x);
}

/* ---- basicSA ---- */

typedef struct basic {
    pb_anneal_run_t *run;
    pb_good_trees_t *good;
    const int *nodes;
    int n;
    int64_t deadline;
    int64_t cost; /* of the state's tree */
    int64_t best; /* the least so far */
    int64_t n_since_look;
    bool is_over; /* the deadline has passed */
} basic_t;

static void look_at_clock(basic_t *b)
{
    if (b->n_since_look++ % MOVES_PER_LOOK == 0) {
        b->is_over = pb_anneal_elapsed(b->run) >= b->deadline;
    }
}

/* One transformation, kept or undone. Returns whether it was kept. */
static bool step(basic_t *b, double temperature, bool *best_found_p)
{
    const change_t change = transform(b->run, b->nodes, b->n);
    const int64_t cost = pb_tree_state_cost(b->run->state);
    b->run->n_transformations++;
    pb_good_trees_offer(b->good, b->run->state, cost);
    if (cost < b->best) {
        b->best = cost;
        *best_found_p = true;
    } else if (cost > b->cost && !is_kept(b->run, cost - b->cost, b->best, temperature)) {
        undo(b->run->state, &change);
        return false;
    }
    b->cost = cost;
    return true;
}

/* All transformations at one temperature. Returns whether to go on with the next. */
static bool anneal_at(basic_t *b, double temperature)
{
    bool best_found = false;
    int n_accepted = 0;
    for (int i = 0; i < PB_ANNEAL_TRANSFORMATIONS && n_accepted < PB_ANNEAL_ACCEPTED; i++) {
        look_at_clock(b);
        if (b->is_over) {
            return false;
        }
        n_accepted += step(b, temperature, &best_found);
    }
    return best_found || 100 * n_accepted >= PB_ANNEAL_ACCEPTED_PERCENT * PB_ANNEAL_TRANSFORMATIONS;
}

int64_t pb_anneal_basic(pb_anneal_run_t *run, const int *nodes, int n, int64_t deadline,
                        pb_good_trees_t *good)
{
    const int64_t cost = pb_tree_state_cost(run->state);
    basic_t b = {.run = run,
                 .good = good,
                 .nodes = nodes,
                 .n = n,
                 .deadline = deadline,
                 .cost = cost,
                 .best = cost};
    pb_good_trees_offer(good, run->state, cost);
    run->n_runs++;
    if (n < 3) {
        return cost; /* there is no other tree from this root */
    }
    double degrees = PB_ANNEAL_INITIAL_TEMPERATURE;
    while (degrees > PB_ANNEAL_MINIMUM_TEMPERATURE && anneal_at(&b, degrees)) {
        degrees = degrees * PB_ANNEAL_COOLING_PERCENT / 100;
    }
    return b.best;
}
