/*
 * driverSA: basicSA on random trees, then on good ones.
 */
#include <assert.h>
#include <string.h>

#include "contrib/adaptive/search/anneal_internal.h"

/* Puts the root first; without one, any node. */
static void choose_root(pb_anneal_run_t *run, int *nodes, int n, int root)
{
    int at = 0;
    if (root < 0) {
        at = pb_random_below(&run->random, n);
    }
    while (root >= 0 && nodes[at] != root) {
        at++;
    }
    const int first = nodes[0];
    nodes[0] = nodes[at];
    nodes[at] = first;
}

/* The first phase. With a deadline it ends when the best tree has not changed for a share of the
 * time that is left: the paper's sliding window. */
static void randomise(pb_anneal_run_t *run, int *nodes, int n, int root, int64_t deadline)
{
    int64_t best = INT64_MAX, changed = pb_anneal_elapsed(run);
    for (int i = 0; deadline != PB_ANNEAL_NEVER || i < PB_ANNEAL_RANDOM_RUNS; i++) {
        choose_root(run, nodes, n, root);
        pb_tree_random(&run->random, nodes, n, run->tree);
        pb_tree_state_load(run->state, run->tree->parent, run->tree->root);
        pb_anneal_basic(run, nodes, n, deadline, run->pool);
        if (deadline == PB_ANNEAL_NEVER) {
            continue;
        }
        const int64_t now = pb_anneal_elapsed(run);
        if (run->pool->trees[0].cost < best) {
            best = run->pool->trees[0].cost;
            changed = now;
        }
        if (now >= deadline || now - changed > (deadline - now) / 100 * PB_ANNEAL_WINDOW_PERCENT) {
            return;
        }
    }
}

/* The second phase goes through the good trees of the first, and does not change their list. Its
 * own trees go to another list, the paper's dummy list. The best of them counts. */
static void refine(pb_anneal_run_t *run, const int *nodes, int n, int64_t deadline)
{
    const pb_good_trees_t *good = run->pool;
    assert(good->n > 0);
    for (int i = 0; deadline != PB_ANNEAL_NEVER || i < PB_ANNEAL_REFINE_RUNS; i++) {
        if (pb_anneal_elapsed(run) >= deadline) {
            return;
        }
        const pb_good_tree_t *tree = &good->trees[i % good->n];
        pb_tree_state_load(run->state, tree->parent, tree->root);
        pb_anneal_basic(run, nodes, n, deadline, run->refined);
    }
}

/* A pool of two nodes or one has no more trees than roots. */
static void try_roots(pb_anneal_run_t *run, int *nodes, int n, int root)
{
    for (int i = 0; i < n; i++) {
        if (root >= 0 && nodes[i] != root) {
            continue;
        }
        pb_tree_t *tree = run->tree;
        memset(tree->child_index, 0, (size_t) tree->n_nodes * sizeof(*tree->child_index));
        for (int k = 0; k < tree->n_nodes; k++) {
            tree->parent[k] = PB_TREE_OUTSIDE;
        }
        tree->parent[nodes[n - 1 - i]] = nodes[i];
        tree->parent[nodes[i]] = -1;
        pb_tree_state_load(run->state, tree->parent, nodes[i]);
        pb_anneal_basic(run, nodes, n, PB_ANNEAL_NEVER, run->pool);
    }
}

int pb_anneal_drive(pb_anneal_run_t *run, int *nodes, int n, int root, int64_t deadline,
                    int *parent)
{
    pb_good_trees_clear(run->pool);
    pb_good_trees_clear(run->refined);
    if (n <= 2) {
        try_roots(run, nodes, n, root);
    } else {
        randomise(run, nodes, n, root, deadline);
        refine(run, nodes, n, deadline);
    }
    /* The best good tree is the first to be refined, so no refined one costs more. */
    const pb_good_tree_t *best = &(run->refined->n > 0 ? run->refined : run->pool)->trees[0];
    for (int i = 0; i < n; i++) {
        parent[nodes[i]] = best->parent[nodes[i]];
    }
    return best->root;
}
