/*
 * The annealer on random networks. It finds the best of all trees where these can be counted. On
 * most grids it finds better trees than chance does, and than the comparison trees. It keeps to its
 * budget, does the same for the same seed, and makes trees that the checker and the simulator
 * accept. With an argument, that number of networks of
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/advice/host_plan.h"
#include "contrib/adaptive/search/anneal.h"
#include "contrib/adaptive/search/tree_multilevel.h"
#include "test/adaptive/search/literal_cost.h"
#include "test/adaptive/search/measured_case.h"
#include "test/tap.h"
#include "test/topo/check/completion.h"
#include "topo/check/checker.h"

enum { N_NODES = 64 };

/* A case and its shares. */
typedef struct problem {
    measured_case_t c;
    pb_link_share_t *share;
    pb_tree_costs_t *costs;
    pb_view_t *view; /* with a network */
} problem_t;

static void problem_init(problem_t *p, pb_random_t *random, measured_kind_t kind, int n_nodes,
                         uint64_t segment)
{
    *p = (problem_t){.share = NULL};
    measured_case_init(&p->c, random, kind, n_nodes);
    p->share = measured_share(&p->c);
    if (p->c.network != NULL) {
        must(pb_view_new(p->c.placement, p->c.root, NULL, 0, &p->view) == PB_SUCCESS);
    }
    must(pb_tree_costs_new(p->c.matrix, p->share, 1 << 20, segment, &p->costs) == PB_SUCCESS);
}

static void problem_clear(problem_t *p)
{
    pb_view_free(p->view);
    pb_tree_costs_free(p->costs);
    pb_link_share_free(p->share);
    measured_case_clear(&p->c);
}

static pb_anneal_options_t options_of(int64_t budget, uint64_t seed)
{
    pb_anneal_options_t options;
    pb_anneal_defaults(&options);
    options.budget = budget;
    options.seed = seed;
    return options;
}

static pb_anneal_result_t anneal(const problem_t *p, const pb_anneal_options_t *options)
{
    pb_anneal_result_t result;
    must(pb_anneal(p->costs, p->c.root, options, &result) == PB_SUCCESS);
    return result;
}

/* The cost of a comparison tree by the literal formula. Frees the tree. */
static int64_t take_cost(const problem_t *p, pb_tree_t *tree)
{
    const int64_t cost = literal_cost(p->costs, tree->parent, tree->root);
    pb_tree_free(tree);
    return cost;
}

/* Tells whether a cost is lower than the cost of each comparison tree. */
static bool beats_all(const problem_t *p, int64_t cost)
{
    pb_tree_t *tree;
    must(pb_tree_multilevel(p->c.matrix, p->c.root, &tree) == PB_SUCCESS);
    bool good = cost < take_cost(p, tree);
    must(pb_tree_mateescu(p->costs, p->c.root, &tree) == PB_SUCCESS);
    good = good && cost < take_cost(p, tree);
    return good;
}

/* Tells whether there is a tree from the root, and its cost is that by the literal formula. */
static bool is_right(const problem_t *p, const pb_anneal_result_t *result)
{
    const pb_tree_t *tree = result->tree;
    return pb_tree_check(tree->parent, tree->n_nodes, p->c.root) == PB_SUCCESS &&
           result->cost == literal_cost(p->costs, tree->parent, tree->root);
}

/* Tells whether the plan of the tree reaches all, and runs. */
static bool is_plan(const problem_t *p, const pb_tree_t *tree)
{
    pb_plan_t *plan;
    pb_check_t check;
    pb_diag_t diag;
    pb_diag_init(&diag);
    int host[N_NODES];
    for (int rank = 0; rank < tree->n_nodes; rank++) {
        host[rank] = rank;
    }
    if (pb_host_plan(p->view, host, tree->n_nodes, &tree, 1, &plan) != PB_SUCCESS) {
        return false;
    }
    bool good = pb_check_plan(p->c.placement, plan, NULL, &check, &diag) == PB_SUCCESS &&
                completion(p->c.placement, plan, 16) > 0;
    for (int i = 0; i < tree->n_nodes && good; i++) {
        const pb_stream_t *s = &plan->streams[0];
        good = i == tree->root ||
               s->child[s->first_child[tree->parent[i]] + tree->child_index[i]] == i;
    }
    pb_check_clear(&check);
    pb_plan_free(plan);
    pb_diag_clear(&diag);
    return good;
}

static void test_quality(measured_kind_t kind, uint64_t segment, int n_networks)
{
    pb_random_t random = pb_random_seed(8000 + (uint64_t) kind);
    const pb_anneal_options_t options = options_of(20000, 5);
    int n_better = 0, n_true = 0, n_plans = 0;
    for (int i = 0; i < n_networks; i++) {
        problem_t p;
        problem_init(&p, &random, kind, N_NODES, segment);
        pb_anneal_result_t result = anneal(&p, &options);
        n_better += beats_all(&p, result.cost);
        n_true += is_right(&p, &result);
        n_plans += p.view == NULL || is_plan(&p, result.tree);
        pb_anneal_clear(&result);
        problem_clear(&p);
    }
    const char *name = measured_kind_name(kind);
    ok(n_better > (kind == MEASURED_GRID ? n_networks / 2 : 0),
       "%s, segments of %d: better than the multilevel tree and Mateescu's in %d of %d", name,
       (int) segment, n_better, n_networks);
    ok(n_true == n_networks, "%s: the cost is that of the tree, which is one", name);
    ok(n_plans == n_networks, "%s: a plan can be made of it", name);
}

/** The least cost of all trees over the nodes of a small case. */
static int64_t least_cost(const problem_t *p)
{
    int parent[8] = {0};
    const int n = p->costs->matrix->n_nodes;
    int64_t least = INT64_MAX;
    parent[p->c.root] = -1;
    while (true) {
        if (pb_tree_check(parent, n, p->c.root) == PB_SUCCESS) {
            const int64_t cost = literal_cost(p->costs, parent, p->c.root);
            least = cost < least ? cost : least;
        }
        int node = 0; /* the digit of a number that counts up */
        while (node < n && (node == p->c.root || parent[node] == n - 1)) {
            parent[node] = node == p->c.root ? -1 : 0;
            node++;
        }
        if (node == n) {
            return least;
        }
        parent[node]++;
    }
}

/** The best of all trees, which it finds from random ones. */
static void test_optimum(measured_kind_t kind, uint64_t segment)
{
    enum { N_SMALL = 6, N = 24 };
    pb_random_t random = pb_random_seed(8600 + (uint64_t) kind);
    int n_found = 0;
    for (int i = 0; i < N; i++) {
        problem_t p;
        problem_init(&p, &random, kind, N_SMALL, segment);
        const int64_t least = least_cost(&p);
        const pb_anneal_options_t options = options_of(20000, 5);
        pb_anneal_result_t result = anneal(&p, &options);
        n_found += result.cost == least;
        pb_anneal_clear(&result);
        problem_clear(&p);
    }
    ok(n_found >= N - 2, "%s: of all trees over %d nodes the best, from random ones, in %d of %d",
       measured_kind_name(kind), N_SMALL, n_found, N);
}

/** Annealing alone, against as many random trees as it has looked at. */
static void test_chance(measured_kind_t kind)
{
    enum { N_LARGE = 24, N = 10, BUDGET = 20000 };
    pb_random_t random = pb_random_seed(8700 + (uint64_t) kind);
    int n_better = 0;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        problem_t p;
        problem_init(&p, &random, kind, N_LARGE, 8192);
        const pb_anneal_options_t options = options_of(BUDGET, 5);
        pb_anneal_result_t result = anneal(&p, &options);
        pb_tree_t *tree = pb_tree_new(N_LARGE, p.c.root);
        int64_t least = INT64_MAX;
        for (int k = 0; k < BUDGET; k++) {
            int64_t cost;
            measured_random_tree(&random, p.c.root, tree);
            must(pb_tree_cost(p.costs, tree, &cost) == PB_SUCCESS);
            least = cost < least ? cost : least;
        }
        n_better += result.cost < least;
        sum += (double) result.cost / (double) least;
        pb_tree_free(tree);
        pb_anneal_clear(&result);
        problem_clear(&p);
    }
    ok(n_better == N && sum < 0.9 * N,
       "%s: without any tree to begin with %.2f times the best of as many random ones",
       measured_kind_name(kind), sum / N);
}

static bool same_result(const pb_anneal_result_t *a, const pb_anneal_result_t *b)
{
    const size_t size = (size_t) a->tree->n_nodes * sizeof(int);
    return a->cost == b->cost && a->n_transformations == b->n_transformations &&
           memcmp(a->tree->parent, b->tree->parent, size) == 0 &&
           memcmp(a->tree->child_index, b->tree->child_index, size) == 0;
}

/** Trees that cost more are kept while it is hot: better than to keep none, in as many steps. */
static void test_climbing(void)
{
    enum { N = 12, N_LARGE = 24 };
    pb_random_t random = pb_random_seed(8800);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        problem_t p;
        problem_init(&p, &random, MEASURED_UNIFORM, N_LARGE, 8192);
        pb_anneal_options_t options = options_of(10000, 5);
        pb_anneal_result_t annealed = anneal(&p, &options);
        options.degrees = 1000000; /* nothing is that hot */
        pb_anneal_result_t climbed = anneal(&p, &options);
        sum += (double) annealed.cost / (double) climbed.cost;
        pb_anneal_clear(&annealed);
        pb_anneal_clear(&climbed);
        problem_clear(&p);
    }
    ok(sum < 0.95 * N, "uniform: annealing finds %.3f times the cost of hill climbing", sum / N);
}

/* The mean cost with the pool sets of `n` percentages. */
static double mean_cost(measured_kind_t kind, int max_pool, const int *percents, int n)
{
    enum { N = 8, N_LARGE = 32 };
    pb_random_t random = pb_random_seed(8850);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        problem_t p;
        problem_init(&p, &random, kind, N_LARGE, 8192);
        pb_anneal_options_t options = options_of(3000, 5);
        options.max_pool = max_pool;
        options.n_pool_percents = n;
        memcpy(options.pool_percents, percents, (size_t) n * sizeof(*percents));
        pb_anneal_result_t result = anneal(&p, &options);
        sum += (double) result.cost;
        pb_anneal_clear(&result);
        problem_clear(&p);
    }
    return sum / N;
}

static void test_pool_sets(void)
{
    static const int rising[] = {10, 25, 50, 75}, falling[] = {75, 50, 25, 10}, ends[] = {10, 75};
    const double order =
        mean_cost(MEASURED_UNIFORM, 2, rising, 4) / mean_cost(MEASURED_UNIFORM, 2, falling, 4);
    ok(order > 0.8 && order < 1.25, "the best pool set counts, not the first: %.3f", order);
    const double large =
        mean_cost(MEASURED_GRID, 8, ends, 2) / mean_cost(MEASURED_GRID, 8, ends, 1);
    ok(large < 0.75, "a pool set with a large pool is dropped: %.3f times the cost with it", large);
}

/* A budget of a few transformations, of more, and the paper's numbers of runs. */
static void test_budgets(void)
{
    static const int64_t budgets[] = {1, 100, 3000, 50000, 0};
    enum { N_BUDGETS = sizeof(budgets) / sizeof(budgets[0]) };
    pb_random_t random = pb_random_seed(8200);
    problem_t p;
    problem_init(&p, &random, MEASURED_GRID, 24, 8192);
    for (int i = 0; i < N_BUDGETS; i++) {
        const pb_anneal_options_t options = options_of(budgets[i], 7);
        pb_anneal_result_t result = anneal(&p, &options);
        ok(is_right(&p, &result), "a budget of %lld: a tree, and its cost", (long long) budgets[i]);
        ok(budgets[i] == 0 || result.n_transformations < budgets[i] + 32,
           "and %lld transformations", (long long) result.n_transformations);
        ok(budgets[i] > 0 ||
               result.n_runs >= result.n_pools * (options.random_runs + options.refine_runs),
           "%d runs on %d pools", result.n_runs, result.n_pools);
        pb_anneal_clear(&result);
    }
    problem_clear(&p);
}

/* A clock that goes on by one at each look, until it is over. */
static int64_t ticks(void *clock)
{
    int64_t *ticks_p = clock;
    *ticks_p += *ticks_p != PB_ANNEAL_OVER;
    return *ticks_p;
}

static void test_clock(void)
{
    pb_random_t random = pb_random_seed(8300);
    problem_t p;
    problem_init(&p, &random, MEASURED_NETWORK, 30, 8192);
    int64_t clock = 1000;
    pb_anneal_options_t options = options_of(500, 7);
    options.now = ticks;
    options.clock = &clock;
    pb_anneal_result_t result = anneal(&p, &options);
    ok(clock >= 1500 && clock < 1500 + 50, "it ends soon after its time: %lld", (long long) clock);
    ok(result.n_transformations > 1000 && is_right(&p, &result), "with a tree");
    pb_anneal_clear(&result);
    result = anneal(&p, &options);
    ok(result.n_transformations > 1000, "and again");
    pb_anneal_clear(&result);
    clock = PB_ANNEAL_OVER;
    result = anneal(&p, &options);
    ok(is_right(&p, &result), "over before it begins: a tree, and its cost");
    pb_anneal_clear(&result);
    problem_clear(&p);
}

/* Facts of a search that a watcher saw. */
typedef struct seen {
    int n_random, n_refines;
    int64_t n_transformations, best;
    bool is_in_order; /* good trees after random ones, transformations rise */
    bool are_good;    /* no run that refined ended with a tree that was not good */
} seen_t;

static void see(void *watcher, const pb_anneal_seen_t *run)
{
    seen_t *seen = watcher;
    seen->is_in_order = seen->is_in_order && run->n_transformations > seen->n_transformations &&
                        (run->refines || seen->n_refines == 0);
    seen->n_transformations = run->n_transformations;
    seen->n_random += !run->refines;
    seen->n_refines += run->refines;
    seen->are_good = seen->are_good && (!run->refines || run->cost <= seen->best / 10 * 11 + 11);
    seen->best = run->cost < seen->best ? run->cost : seen->best;
}

static void test_watch(void)
{
    pb_random_t random = pb_random_seed(8450);
    problem_t p;
    problem_init(&p, &random, MEASURED_UNIFORM, 24, 0);
    seen_t seen = {.best = INT64_MAX, .is_in_order = true, .are_good = true};
    pb_anneal_options_t options = options_of(0, 7);
    options.n_pool_percents = 0;
    const pb_anneal_options_t unseen = options;
    options.watch = see;
    options.watcher = &seen;
    pb_anneal_result_t result = anneal(&p, &options), again = anneal(&p, &unseen);
    options.seed++;
    options.watch = NULL;
    pb_anneal_result_t other = anneal(&p, &options);
    ok(seen.n_random == 50 && seen.n_refines == 25,
       "a watcher sees the paper's numbers of runs: %d and %d", seen.n_random, seen.n_refines);
    ok(seen.is_in_order && seen.n_transformations == result.n_transformations,
       "random ones first, up to the last transformation");
    ok(seen.best == result.cost && seen.are_good,
       "the best that it sees is the result, and good trees do not get worse");
    ok(same_result(&result, &again), "the same seed, the same tree, whether it is watched or not");
    ok(!same_result(&result, &other), "another seed, another tree");
    pb_anneal_clear(&other);
    pb_anneal_clear(&result);
    pb_anneal_clear(&again);
    problem_clear(&p);
}

static void test_small(void)
{
    for (int n = 1; n <= 5; n++) {
        pb_random_t random = pb_random_seed(8400);
        problem_t p;
        problem_init(&p, &random, MEASURED_UNIFORM, n, 0);
        pb_anneal_options_t options = options_of(1000, 7);
        options.max_pool = 1;
        pb_anneal_result_t result = anneal(&p, &options);
        ok(is_right(&p, &result), "%d nodes in pools of one", n);
        pb_anneal_clear(&result);
        problem_clear(&p);
    }
}

static void test_bad_input(void)
{
    pb_random_t random = pb_random_seed(8500);
    problem_t p;
    pb_anneal_result_t result;
    problem_init(&p, &random, MEASURED_UNIFORM, 4, 0);
    pb_anneal_options_t options = options_of(1000, 7);
    p.c.root = 0;
    ok(pb_anneal(p.costs, 4, &options, &result) == PB_ERR_INPUT && result.tree == NULL,
       "no such root");
    options.cooling_percent = 100;
    ok(pb_anneal(p.costs, 0, &options, &result) == PB_ERR_INPUT, "a temperature that never falls");
    options = options_of(1000, 7);
    options.initial_temperature = options.minimum_temperature;
    ok(pb_anneal(p.costs, 0, &options, &result) == PB_ERR_INPUT, "a temperature that is the last");
    options = options_of(-1, 7);
    ok(pb_anneal(p.costs, 0, &options, &result) == PB_ERR_INPUT, "a negative budget");
    problem_clear(&p);
}

int main(int argc, char **argv)
{
    const int n_networks = argc > 1 ? atoi(argv[1]) : tap_trials(100, 40);
    test_quality(MEASURED_NETWORK, 8192, n_networks * 2 / 5);
    test_quality(MEASURED_GRID, 8192, n_networks * 2 / 5);
    test_quality(MEASURED_UNIFORM, 8192, n_networks / 5);
    test_quality(MEASURED_NETWORK, 0, n_networks / 5);
    for (int kind = 0; kind < MEASURED_COUNT; kind++) {
        test_optimum((measured_kind_t) kind, 8192);
        test_chance((measured_kind_t) kind);
    }
    test_optimum(MEASURED_UNIFORM, 0);
    test_climbing();
    test_pool_sets();
    test_budgets();
    test_clock();
    test_watch();
    test_small();
    test_bad_input();
    return tap_done();
}
