/*
 * Trees whose neighbours repeat for all roots, on random networks, over all ranks or some, also
 * with levels inside hosts: few neighbours, and everything else that the kinds promise.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/phases.h"
#include "topo/check/checker.h"
#include "topo/network/walk.h"

static const pb_plan_options_t repeating = {.fanout = 3, .repeats = true};

/** Who was a neighbour of whom in the plans of a case; by rank and rank. */
typedef struct neighbours {
    int n_ranks;
    char *are;
} neighbours_t;

static void add_plan(neighbours_t *neighbours, const pb_plan_t *plan)
{
    const size_t n = (size_t) neighbours->n_ranks;
    for (int s = 0; s < plan->n_streams; s++) {
        for (size_t rank = 0; rank < n; rank++) {
            const int parent = plan->streams[s].parent[rank];
            if (parent >= 0) {
                neighbours->are[rank * n + (size_t) parent] = 1;
                neighbours->are[(size_t) parent * n + rank] = 1;
            }
        }
    }
}

static int most_neighbours(const neighbours_t *neighbours)
{
    const size_t n = (size_t) neighbours->n_ranks;
    int most = 0;
    for (size_t rank = 0; rank < n; rank++) {
        int sum = 0;
        for (size_t peer = 0; peer < n; peer++) {
            sum += neighbours->are[rank * n + peer];
        }
        most = sum > most ? sum : most;
    }
    return most;
}

static neighbours_t no_neighbours(int n_ranks)
{
    const neighbours_t none = {n_ranks, calloc((size_t) n_ranks, (size_t) n_ranks)};
    if (none.are == NULL) {
        abort();
    }
    return none;
}

/** No directed link carries two edges. */
static bool links_carry_one(const tree_case_t *c, const pb_plan_t *plan)
{
    pb_check_t check;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const bool good = pb_check_plan(c->placement, plan, c->members, &check, &diag) == PB_SUCCESS &&
                      check.max_edges <= 1 && check.height == plan->n_members - 1;
    pb_check_clear(&check);
    pb_diag_clear(&diag);
    return good;
}

static bool is_right(const tree_case_t *c, const pb_plan_t *plan)
{
    return plan->kind == PB_KIND_CHAIN
               ? tree_case_judge(c, plan, 1, TREE_CASE_ONE_SENDER) && links_carry_one(c, plan)
               : tree_case_judge(c, plan, 32, TREE_CASE_ANY) && phases_are_free(c, plan);
}

/** The plans of a kind from every root of the case: how many are wrong, and who are neighbours. */
static int plan_all_roots(const tree_case_t *c, pb_kind_t kind, neighbours_t *neighbours)
{
    int n_wrong = 0;
    for (int i = 0; i < c->view->n_ranks; i++) {
        tree_case_t at = *c;
        pb_plan_t *plan = NULL;
        at.root = c->view->order[i];
        if (pb_view_new(c->placement, at.root, c->view->order, c->view->n_ranks, &at.view) !=
                PB_SUCCESS ||
            pb_plan_compute(at.view, kind, &repeating, &plan) != PB_SUCCESS) {
            abort();
        }
        n_wrong += plan->root != at.root || !is_right(&at, plan);
        add_plan(neighbours, plan);
        pb_plan_free(plan);
        pb_view_free(at.view);
    }
    return n_wrong;
}

static void test_shape(pb_shape_t shape, pb_kind_t kind)
{
    static const tree_case_size_t sizes[] = {{20, 40, 1, 0, true}, {6, 10, 8, 0, true}};
    pb_random_t random = pb_random_seed(4200 + (uint64_t) shape);
    const int n_trials = tap_trials(200, 60);
    int n_wrong = 0, n_too_many = 0, n_exact = 0, n_located = 0;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, sizes[i % 2]);
        n_located += i % 4 == 3 && tree_case_locate(&c, &random);
        neighbours_t neighbours = no_neighbours(c.placement->n_ranks);
        n_wrong += plan_all_roots(&c, kind, &neighbours);
        const int most = most_neighbours(&neighbours);
        n_too_many += most > pb_kind_neighbours(kind, c.view->n_ranks);
        n_exact += most == pb_kind_neighbours(kind, c.view->n_ranks);
        free(neighbours.are);
        tree_case_clear(&c);
    }
    const char *name = pb_shape_name(shape), *tree = pb_kind_name(kind);
    ok(n_wrong == 0, "%s: %s from all roots is as it should be, but for %d", name, tree, n_wrong);
    ok(n_too_many == 0, "%s: %s has no more neighbours than its kind says, but for %d of %d", name,
       tree, n_too_many, n_trials);
    ok(n_exact > n_trials / 2, "%s: and as many in %d", name, n_exact);
    ok(n_located > 0, "%s: %d cases with levels inside hosts", name, n_located);
}

/** The neighbours that a rank has in one plan, counted by marking them. */
static void test_counting(void)
{
    pb_random_t random = pb_random_seed(77);
    int n_wrong = 0;
    for (int i = 0; i < 200; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT),
                       (tree_case_size_t){1 + i % 8, 40, 3, 0, true});
        for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
            pb_plan_t *plan = NULL;
            neighbours_t neighbours = no_neighbours(c.placement->n_ranks);
            if (pb_plan_compute(c.view, (pb_kind_t) kind, NULL, &plan) == PB_SUCCESS) {
                add_plan(&neighbours, plan);
                n_wrong += pb_plan_most_neighbours(plan) != most_neighbours(&neighbours);
            }
            pb_plan_free(plan);
            free(neighbours.are);
        }
        tree_case_clear(&c);
    }
    ok(n_wrong == 0, "neighbours in plans of all kinds are counted right, but for %d", n_wrong);
}

static void test_kinds(void)
{
    ok(pb_kind_neighbours(PB_KIND_CHAIN, 64) == 2 && pb_kind_neighbours(PB_KIND_CHAIN, 2) == 1 &&
           pb_kind_neighbours(PB_KIND_CHAIN, 1) == 0,
       "a chain that repeats has two neighbours");
    ok(pb_kind_neighbours(PB_KIND_BINOMIAL, 64) == 12 &&
           pb_kind_neighbours(PB_KIND_BINOMIAL, 65) == 14 &&
           pb_kind_neighbours(PB_KIND_BINOMIAL, 4) == 3,
       "a binomial tree that repeats has two for each phase");
    ok(pb_kind_neighbours(PB_KIND_TWOTREE, 64) == 63, "others may come to have all");
}

/** Where the root's host has several ranks, the walk goes round it as it does elsewhere. */
static void test_walk(void)
{
    static const char *const names[] = {"a", "b", "c"};
    pb_network_t *network = pb_network_one_switch(names, 3);
    pb_placement_t *placement = pb_placement_new(network, 6);
    static const int hosts[] = {0, 0, 1, 1, 2, 2}, wanted[] = {3, 4, 5, 0, 1, 2};
    memcpy(placement->host, hosts, sizeof(hosts));
    pb_view_t *view;
    int *order = NULL;
    ok(pb_view_new(placement, 3, NULL, 0, &view) == PB_SUCCESS &&
           pb_walk_new(view, &order) == PB_SUCCESS && memcmp(order, wanted, sizeof(wanted)) == 0,
       "the walk from rank 3 ends beside it");
    free(order);
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
}

int main(void)
{
    test_walk();
    test_kinds();
    test_counting();
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        test_shape((pb_shape_t) shape, PB_KIND_CHAIN);
        test_shape((pb_shape_t) shape, PB_KIND_BINOMIAL);
    }
    return tap_done();
}
