/*
 * The annealer on random networks. It finds the best of all trees where these can be counted. On
 * most grids it finds better trees than chance does, and than the comparison trees. It keeps to its
 * budget, and does the same for the same seed. Usage: test_anneal [NETWORKS]
 */
#include <stdlib.h>

#include "contrib/adaptive/search/anneal.h"
#include "contrib/adaptive/search/trees.h"
#include "test/adaptive/search/literal_cost.h"
#include "test/adaptive/search/measured_case.h"
#include "test/tap.h"

enum { N_NODES = 64 };

/* A case and its shares. */
typedef struct problem {
    measured_case_t c;
    pb_link_share_t *share;
    pb_tree_costs_t *costs;
} problem_t;

static void problem_init(problem_t *p, pb_random_t *random, measured_kind_t kind, int n_nodes,
                         uint64_t segment)
{
    *p = (problem_t){.share = NULL};
    measured_case_init(&p->c, random, kind, n_nodes);
    p->share = measured_share(&p->c);
    must(pb_tree_costs_new(p->c.matrix, p->share, 1 << 20, segment, &p->costs) == PB_SUCCESS);
}

static void problem_clear(problem_t *p)
{
    pb_tree_costs_free(p->costs);
    pb_link_share_free(p->share);
    measured_case_clear(&p->c);
}

static pb_anneal_options_t options_of(int64_t budget, uint64_t seed)
{
    return (pb_anneal_options_t){.budget = budget, .seed = seed};
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

static void test_quality(measured_kind_t kind, uint64_t segment, int n_networks)
{
    pb_random_t random = pb_random_seed(8000 + (uint64_t) kind);
    const pb_anneal_options_t options = options_of(20000, 5);
    int n_better = 0, n_true = 0;
    for (int i = 0; i < n_networks; i++) {
        problem_t p;
        problem_init(&p, &random, kind, N_NODES, segment);
        pb_anneal_result_t result = anneal(&p, &options);
        n_better += beats_all(&p, result.cost);
        n_true += is_right(&p, &result);
        pb_tree_free(result.tree);
        problem_clear(&p);
    }
    const char *name = measured_kind_name(kind);
    ok(n_better > (kind == MEASURED_GRID ? n_networks / 2 : 0),
       "%s, segments of %d: better than the multilevel tree and Mateescu's in %d of %d", name,
       (int) segment, n_better, n_networks);
    ok(n_true == n_networks, "%s: the cost is that of the tree, which is one", name);
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
        pb_tree_free(result.tree);
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
        pb_tree_free(result.tree);
        problem_clear(&p);
    }
    ok(n_better == N && sum < 0.9 * N,
       "%s: without any tree to begin with %.2f times the best of as many random ones",
       measured_kind_name(kind), sum / N);
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
               result.n_runs >= result.n_pools * (PB_ANNEAL_RANDOM_RUNS + PB_ANNEAL_REFINE_RUNS),
           "%d runs on %d pools", result.n_runs, result.n_pools);
        pb_tree_free(result.tree);
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
    pb_tree_free(result.tree);
    result = anneal(&p, &options);
    ok(result.n_transformations > 1000, "and again");
    pb_tree_free(result.tree);
    clock = PB_ANNEAL_OVER;
    result = anneal(&p, &options);
    ok(is_right(&p, &result), "over before it begins: a tree, and its cost");
    pb_tree_free(result.tree);
    problem_clear(&p);
}

/** The same seed finds the same tree, with a search that is as it was.
 * A change of the search changes these rows. */
static void test_seeds(void)
{
    static const struct {
        measured_kind_t kind;
        int n_nodes;
        uint64_t segment, seed;
        int64_t budget, cost, n_transformations;
    } rows[] = {{MEASURED_UNIFORM, 24, 0, 7, 0, 7788126641, 309853},
                {MEASURED_UNIFORM, 24, 0, 8, 0, 8635460782, 310304},
                {MEASURED_UNIFORM, 24, 8192, 5, 10000, 2152428620, 9600},
                {MEASURED_UNIFORM, 48, 8192, 1, 3000, 3644380999, 3008},
                {MEASURED_GRID, 32, 8192, 5, 3000, 409244598, 3008},
                {MEASURED_GRID, 64, 8192, 1, 30000, 373797272, 30009},
                {MEASURED_NETWORK, 48, 8192, 7, 0, 7637251941, 81612}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pb_random_t random = pb_random_seed(8800);
        problem_t p;
        problem_init(&p, &random, rows[i].kind, rows[i].n_nodes, rows[i].segment);
        const pb_anneal_options_t options = options_of(rows[i].budget, rows[i].seed);
        pb_anneal_result_t result = anneal(&p, &options);
        ok(result.cost == rows[i].cost && result.n_transformations == rows[i].n_transformations,
           "%s, %d nodes, seed %d: %lld ns after %lld transformations",
           measured_kind_name(rows[i].kind), rows[i].n_nodes, (int) rows[i].seed,
           (long long) result.cost, (long long) result.n_transformations);
        pb_tree_free(result.tree);
        problem_clear(&p);
    }
}

static void test_small(void)
{
    for (int n = 1; n <= 5; n++) {
        pb_random_t random = pb_random_seed(8400);
        problem_t p;
        problem_init(&p, &random, MEASURED_UNIFORM, n, 0);
        const pb_anneal_options_t options = options_of(1000, 7);
        pb_anneal_result_t result = anneal(&p, &options);
        ok(is_right(&p, &result), "%d nodes", n);
        pb_tree_free(result.tree);
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
    test_seeds();
    test_budgets();
    test_clock();
    test_small();
    test_bad_input();
    return tap_done();
}
