/*
 * The annealer on random networks: no worse than any comparison tree whatever the
 * budget, the same for the same seed, and what it makes is a tree that the checker
 * and the simulator accept. With an argument, so many networks of 64 nodes instead
 * of the fewer that a test has time for.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/check/completion.h"
#include "test/topo/search/literal_cost.h"
#include "test/topo/search/measured_case.h"
#include "test/topo/search/tree_to_plan.h"
#include "topo/check/checker.h"
#include "topo/search/anneal.h"
#include "topo/search/tree_multilevel.h"

enum { N_NODES = 64, N_NETWORKS = 100, MAX_SEEDS = 8 };

/* A case, its shares, and our static trees for it. */
typedef struct problem {
    measured_case_t c;
    pb_link_share_t *share;
    pb_tree_costs_t *costs;
    pb_view_t *view; /* with a network */
    int n_seeds;
    pb_plan_t *plans[MAX_SEEDS];
    const int *seeds[MAX_SEEDS];
} problem_t;

static void must(int error)
{
    if (error != PB_SUCCESS) {
        abort();
    }
}

static void make_seeds(problem_t *p)
{
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_BINARY, PB_KIND_KARY, PB_KIND_BINOMIAL,
                                      PB_KIND_FLAT};
    must(pb_view_new(p->c.placement, p->c.root, NULL, 0, &p->view));
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        must(pb_plan_compute(p->view, kinds[i], NULL, &p->plans[i]));
        p->seeds[i] = p->plans[i]->streams[0].parent;
        p->n_seeds++;
    }
}

static void problem_init(problem_t *p, pb_random_t *random, measured_kind_t kind, int n_nodes,
                         uint64_t segment)
{
    *p = (problem_t){.share = NULL};
    measured_case_init(&p->c, random, kind, n_nodes);
    if (p->c.network != NULL) {
        must(pb_link_share_network(p->c.matrix, p->c.placement, &p->share));
        make_seeds(p);
    } else {
        must(pb_link_share_clusters(p->c.matrix, &p->share));
    }
    must(pb_tree_costs_new(p->c.matrix, p->share, 1 << 20, segment, &p->costs));
}

static void problem_clear(problem_t *p)
{
    for (int i = 0; i < p->n_seeds; i++) {
        pb_plan_free(p->plans[i]);
    }
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
    must(pb_anneal(p->costs, p->c.root, p->seeds, p->n_seeds, options, &result));
    return result;
}

/* The cost of a comparison tree by the literal formula. Frees the tree. */
static int64_t take_cost(const problem_t *p, pb_tree_t *tree)
{
    const int64_t cost = literal_cost(p->costs, tree->parent, tree->root);
    pb_tree_free(tree);
    return cost;
}

/* Whether a cost is no higher than that of each comparison tree. */
static bool beats_all(const problem_t *p, int64_t cost)
{
    pb_tree_t *tree;
    must(pb_tree_multilevel(p->c.matrix, p->c.root, &tree));
    bool good = cost <= take_cost(p, tree);
    must(pb_tree_mateescu(p->costs, p->c.root, &tree));
    good = good && cost <= take_cost(p, tree);
    for (int i = 0; i < p->n_seeds; i++) {
        good = good && cost <= literal_cost(p->costs, p->seeds[i], p->c.root);
    }
    return good;
}

/* Whether the plan of the tree reaches all, and runs. */
static bool is_plan(const problem_t *p, const pb_tree_t *tree)
{
    pb_plan_t *plan;
    pb_check_t check;
    pb_diag_t diag;
    pb_diag_init(&diag);
    if (tree_to_plan(tree, p->view, PB_KIND_FLAT, &plan) != PB_SUCCESS) {
        return false;
    }
    bool good = pb_check_plan(p->c.placement, plan, NULL, &check, &diag) == PB_SUCCESS &&
                completion(p->c.placement, plan, PB_SIMULATE_LINKS, 16) > 0;
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
    int n_good = 0, n_true = 0, n_plans = 0, n_better = 0, n_pooled = 0;
    for (int i = 0; i < n_networks; i++) {
        problem_t p;
        problem_init(&p, &random, kind, N_NODES, segment);
        pb_anneal_result_t result = anneal(&p, &options);
        n_good += beats_all(&p, result.cost);
        n_better += result.cost < result.start_cost;
        n_pooled += result.pooled_cost < result.start_cost;
        n_true += result.cost == literal_cost(p.costs, result.tree->parent, result.tree->root) &&
                  pb_tree_check(result.tree->parent, N_NODES, p.c.root) == PB_SUCCESS;
        n_plans += p.view == NULL || is_plan(&p, result.tree);
        pb_anneal_clear(&result);
        problem_clear(&p);
    }
    const char *name = measured_kind_name(kind);
    ok(n_good == n_networks, "%s, segments of %d: no worse than any comparison tree in %d of %d",
       name, (int) segment, n_good, n_networks);
    ok(n_better > 0, "%s: better than all of them in %d", name, n_better);
    ok(kind != MEASURED_GRID || n_pooled > n_networks / 2,
       "%s: pools alone are better than all of them in %d", name, n_pooled);
    ok(n_true == n_networks, "%s: the cost is that of the tree, which is one", name);
    ok(n_plans == n_networks, "%s: a plan can be made of it", name);
}

static bool same_result(const pb_anneal_result_t *a, const pb_anneal_result_t *b)
{
    const size_t size = (size_t) a->tree->n_nodes * sizeof(int);
    return a->cost == b->cost && a->n_transformations == b->n_transformations &&
           memcmp(a->tree->parent, b->tree->parent, size) == 0 &&
           memcmp(a->tree->child_index, b->tree->child_index, size) == 0;
}

static void test_seeds(void)
{
    pb_random_t random = pb_random_seed(8100);
    problem_t p;
    problem_init(&p, &random, MEASURED_UNIFORM, 40, 8192);
    const pb_anneal_options_t first = options_of(10000, 5), second = options_of(10000, 6);
    pb_anneal_result_t a = anneal(&p, &first), b = anneal(&p, &first), c = anneal(&p, &second);
    ok(same_result(&a, &b), "the same seed, the same tree");
    ok(!same_result(&a, &c), "another seed, another tree");
    pb_anneal_clear(&a);
    pb_anneal_clear(&b);
    pb_anneal_clear(&c);
    problem_clear(&p);
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
        ok(beats_all(&p, result.cost), "a budget of %lld: no worse than any comparison tree",
           (long long) budgets[i]);
        ok(budgets[i] == 0 || result.n_transformations < budgets[i] + 32,
           "and %lld transformations", (long long) result.n_transformations);
        ok(budgets[i] > 0 ||
               result.n_runs >= result.n_pools * (options.random_runs + options.refine_runs),
           "%d runs on %d pools", result.n_runs, result.n_pools);
        pb_anneal_clear(&result);
    }
    problem_clear(&p);
}

/* A clock that goes on by one at each look. */
static int64_t ticks(void *clock)
{
    int64_t *ticks_p = clock;
    return ++*ticks_p;
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
    ok(result.n_transformations > 1000 && beats_all(&p, result.cost), "with a good tree");
    pb_anneal_clear(&result);
    clock = 1000;
    pb_anneal_result_t again = anneal(&p, &options);
    ok(again.n_transformations > 1000, "and again");
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
        ok(beats_all(&p, result.cost), "%d nodes in pools of one", n);
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
    const int *const cycle = (int[]){-1, 2, 3, 1}, *const outside = (int[]){-1, 0, 0, -2};
    p.c.root = 0;
    ok(pb_anneal(p.costs, 4, NULL, 0, &options, &result) == PB_ERR_INPUT, "no such root");
    ok(pb_anneal(p.costs, 0, &cycle, 1, &options, &result) == PB_ERR_INPUT && result.tree == NULL,
       "a seed with a cycle");
    ok(pb_anneal(p.costs, 0, &outside, 1, &options, &result) == PB_ERR_INPUT,
       "a seed that does not reach all");
    options.cooling_percent = 100;
    ok(pb_anneal(p.costs, 0, NULL, 0, &options, &result) == PB_ERR_INPUT,
       "a temperature that never falls");
    options = options_of(-1, 7);
    ok(pb_anneal(p.costs, 0, NULL, 0, &options, &result) == PB_ERR_INPUT, "a negative budget");
    problem_clear(&p);
}

int main(int argc, char **argv)
{
    const int n_networks = argc > 1 ? atoi(argv[1]) : N_NETWORKS;
    test_quality(MEASURED_NETWORK, 8192, n_networks * 2 / 5);
    test_quality(MEASURED_GRID, 8192, n_networks * 2 / 5);
    test_quality(MEASURED_UNIFORM, 8192, n_networks / 5);
    test_quality(MEASURED_NETWORK, 0, n_networks / 5);
    test_seeds();
    test_budgets();
    test_clock();
    test_small();
    test_bad_input();
    return tap_done();
}
