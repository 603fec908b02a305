/*
 * Annealed trees against every comparison tree, on random networks: none may be predicted to be
 * slower than the best of them. By hand, for the bar of 100 networks of 64 nodes within a second
 * each:
 *
 *   test_annealed [NODES [NETWORKS [SECONDS]]]
 *
 * Without SECONDS the budget is work, a number of transformations, so that the result is the same
 * everywhere. Half of the networks are clusters of which only the links between nodes are known,
 * the others are known switches, whose cables the predictions let messages share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "test/tap.h"
#include "test/topo/measured_case.h"
#include "topo/anneal.h"
#include "topo/plan.h"
#include "topo/view.h"

/** About what a second does for 64 nodes on a machine of 2020. */
#define WORK INT64_C(200000)

#define BYTES (1 << 20)
#define SEGMENT 8192

enum { N_PLANS = 5, N_NAMES = N_PLANS + 2, MAX_NODES = 1024 };

static const pb_kind_t kinds[N_PLANS] = {PB_KIND_CHAIN, PB_KIND_BINARY, PB_KIND_KARY,
                                         PB_KIND_BINOMIAL, PB_KIND_FLAT};

static int64_t now(void *clock)
{
    struct timespec t;
    (void) clock;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static void must(int error)
{
    if (error != PB_SUCCESS) {
        printf("Bail out! %s\n", pb_error_text(error));
        exit(EXIT_FAILURE);
    }
}

/** Where nothing is known of switches: all nodes on one, in the order of their numbers. */
static pb_placement_t *on_one_switch(int n_nodes, pb_network_t **network_p)
{
    static char names[MAX_NODES][8];
    const char *list[MAX_NODES];
    for (int i = 0; i < n_nodes; i++) {
        snprintf(names[i], sizeof(names[i]), "n%d", i);
        list[i] = names[i];
    }
    *network_p = pb_network_one_switch(list, n_nodes);
    pb_placement_t *placement = *network_p != NULL ? pb_placement_new(*network_p, n_nodes) : NULL;
    must(placement != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY);
    for (int i = 0; i < n_nodes; i++) {
        placement->machine[i] = pb_network_find(*network_p, names[i]);
    }
    return placement;
}

/** The trees of static plans, which are oblivious of what was measured. */
static void make_plans(const measured_case_t *c, pb_tree_t **trees)
{
    pb_network_t *one_switch = NULL;
    pb_placement_t *placement = c->placement;
    pb_view_t *view;
    if (placement == NULL) {
        placement = on_one_switch(c->matrix->n_nodes, &one_switch);
    }
    must(pb_view_new(placement, c->root, NULL, 0, &view));
    for (int i = 0; i < N_PLANS; i++) {
        pb_plan_t *plan;
        must(pb_plan_compute(view, kinds[i], NULL, &plan));
        must(pb_tree_from_plan(plan, 0, &trees[i]));
        pb_plan_free(plan);
    }
    pb_view_free(view);
    if (one_switch != NULL) {
        pb_placement_free(placement);
        pb_network_free(one_switch);
    }
}

/** One network: its line of a table; whether the annealed tree is no worse than any. */
static bool compare(const measured_case_t *c, const pb_link_share_t *share,
                    const pb_anneal_options_t *options)
{
    pb_tree_t *trees[N_NAMES];
    const int *seeds[N_PLANS];
    pb_tree_costs_t *costs;
    pb_anneal_result_t result;
    bool is_best = true;
    make_plans(c, trees);
    must(pb_tree_costs_new(c->matrix, share, BYTES, SEGMENT, &costs));
    must(pb_tree_multilevel(c->matrix, c->root, &trees[N_PLANS]));
    must(pb_tree_mateescu(costs, c->root, &trees[N_PLANS + 1]));
    for (int i = 0; i < N_PLANS; i++) {
        seeds[i] = trees[i]->parent;
    }
    must(pb_anneal(costs, c->root, seeds, N_PLANS, options, &result));
    /* What it says the tree costs is not taken for granted. */
    int64_t annealed;
    must(pb_tree_cost(costs, result.tree, &annealed));
    printf("# %9.1f", (double) annealed / 1e6);
    for (int i = 0; i < N_NAMES; i++) {
        int64_t cost;
        must(pb_tree_cost(costs, trees[i], &cost));
        printf(" %9.1f", (double) cost / 1e6);
        is_best = is_best && annealed <= cost;
        pb_tree_free(trees[i]);
    }
    pb_anneal_clear(&result);
    pb_tree_costs_free(costs);
    return is_best;
}

static bool compare_one(int number, int n_nodes, const pb_anneal_options_t *options)
{
    pb_random_t random = pb_random_seed(77000 + (uint64_t) number);
    const measured_kind_t kind = number % 2 == 0 ? MEASURED_GRID : MEASURED_NETWORK;
    measured_case_t c;
    pb_link_share_t *share = NULL;
    measured_case_init(&c, &random, kind, n_nodes);
    if (c.network != NULL) {
        must(pb_link_share_network(c.matrix, c.placement, &share));
    }
    const bool is_best = compare(&c, share, options);
    printf("  network %d, %s\n", number, c.network != NULL ? "known switches" : "clusters");
    pb_link_share_free(share);
    measured_case_clear(&c);
    return is_best;
}

int main(int argc, char **argv)
{
    const int n_nodes = argc > 1 ? atoi(argv[1]) : 24;
    const int n_networks = argc > 2 ? atoi(argv[2]) : 6;
    const double seconds = argc > 3 ? atof(argv[3]) : 0;
    int n_best = 0;
    pb_anneal_options_t options;
    pb_anneal_defaults(&options);
    options.budget = argc > 1 ? WORK : WORK / 10;
    if (n_nodes < 16 || n_nodes > MAX_NODES || n_networks < 1 || seconds < 0) {
        fprintf(stderr, "usage: test_annealed [NODES [NETWORKS [SECONDS]]], 16 to %d nodes\n",
                MAX_NODES);
        return EXIT_FAILURE;
    }
    if (seconds > 0) {
        options.now = now;
        options.budget = (int64_t) (seconds * 1e9);
    }
    printf("# predicted ms for %d bytes from one of %d nodes, segments of %d bytes\n", BYTES,
           n_nodes, SEGMENT);
    printf("# %9s", "annealed");
    for (int i = 0; i < N_PLANS; i++) {
        printf(" %9s", pb_kind_name(kinds[i]));
    }
    printf(" %9s %9s\n", "multilev", "mateescu");
    for (int i = 0; i < n_networks; i++) {
        n_best += compare_one(i, n_nodes, &options);
        fflush(stdout);
    }
    ok(n_best == n_networks, "annealed is no worse than any on %d of %d", n_best, n_networks);
    return tap_done();
}
