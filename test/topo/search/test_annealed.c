/*
 * Annealed trees against every comparison tree, on random networks: none may be predicted to be
 * slower than the best of them. By hand, for the bar of 100 networks of 64 nodes within a second
 * each:
 *
 *   test_annealed [NODES [NETWORKS [SECONDS]]]
 *
 * Without SECONDS the budget is work, a number of transformations, so that the result is the same
 * everywhere. Half of the networks are clusters of which only the links between nodes are known,
 * the others are known switches, whose links the predictions let messages share.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/tap.h"
#include "test/topo/search/measured_case.h"
#include "topo/search/anneal.h"
#include "topo/search/tree_multilevel.h"
#include "topo/trees/plan.h"

/** About what a second does for 64 nodes on a host of 2020. */
#define WORK INT64_C(200000)

#define BYTES (1 << 20)
#define SEGMENT 8192

enum { N_NAMES = MEASURED_PLANS + 2, MAX_NODES = 1024 };

/** One network: its line of a table; whether the annealed tree is no worse than any. */
static bool compare(const measured_case_t *c, const pb_link_share_t *share,
                    const pb_anneal_options_t *options)
{
    pb_tree_t *trees[N_NAMES];
    const int *seeds[MEASURED_PLANS];
    pb_tree_costs_t *costs;
    pb_anneal_result_t result;
    bool is_best = true;
    measured_plans(c, trees);
    measured_must(pb_tree_costs_new(c->matrix, share, BYTES, SEGMENT, &costs));
    measured_must(pb_tree_multilevel(c->matrix, c->root, &trees[MEASURED_PLANS]));
    measured_must(pb_tree_mateescu(costs, c->root, &trees[MEASURED_PLANS + 1]));
    for (int i = 0; i < MEASURED_PLANS; i++) {
        seeds[i] = trees[i]->parent;
    }
    measured_must(pb_anneal(costs, c->root, seeds, MEASURED_PLANS, options, &result));
    /* What it says the tree costs is not taken for granted. */
    int64_t annealed;
    measured_must(pb_tree_cost(costs, result.tree, &annealed));
    printf("# %9.1f", (double) annealed / 1e6);
    for (int i = 0; i < N_NAMES; i++) {
        int64_t cost;
        measured_must(pb_tree_cost(costs, trees[i], &cost));
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
        measured_must(pb_link_share_network(c.matrix, c.placement, &share));
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
        options.now = measured_now;
        options.budget = (int64_t) (seconds * 1e9);
    }
    printf("# predicted ms for %d bytes from one of %d nodes, segments of %d bytes\n", BYTES,
           n_nodes, SEGMENT);
    printf("# %9s", "annealed");
    for (int i = 0; i < MEASURED_PLANS; i++) {
        printf(" %9s", pb_kind_name(measured_plan_kinds[i]));
    }
    printf(" %9s %9s\n", "multilev", "mateescu");
    for (int i = 0; i < n_networks; i++) {
        n_best += compare_one(i, n_nodes, &options);
        fflush(stdout);
    }
    ok(n_best == n_networks, "annealed is no worse than any on %d of %d", n_best, n_networks);
    return tap_done();
}
