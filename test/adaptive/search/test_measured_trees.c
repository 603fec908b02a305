/*
 * The trees that annealed ones are compared with, pools, and trees made into plans
 * and back.
 */
#include <string.h>

#include "contrib/adaptive/search/anneal_internal.h"
#include "contrib/adaptive/search/tree_cost.h"
#include "contrib/adaptive/search/trees.h"
#include "test/adaptive/search/given_matrix.h"
#include "test/adaptive/search/measured_case.h"
#include "test/tap.h"

/* ---- pools ---- */

/* Table 1 of paper 4, in Mbit/s. Each host is a cluster: the diagonal is measured, too. */
static pb_link_matrix_t *table_1(void)
{
    static const uint64_t mbit[8][8] = {
        {100, 80, 80, 60, 60, 20, 10, 10}, {80, 100, 80, 60, 60, 20, 10, 10},
        {80, 80, 100, 60, 60, 20, 10, 10}, {60, 60, 60, 100, 80, 40, 50, 50},
        {60, 60, 60, 80, 100, 40, 50, 50}, {20, 20, 20, 40, 40, 100, 30, 30},
        {10, 10, 10, 50, 50, 30, 100, 80}, {10, 10, 10, 50, 50, 30, 80, 100}};
    pb_link_matrix_t *matrix = pb_link_matrix_new(1, 8, 8);
    for (int i = 0; i < 8; i++) {
        matrix->node_cluster[i] = i;
        for (int j = 0; j < 8; j++) {
            matrix->bandwidth[8 * i + j] = 125000 * mbit[i][j];
        }
    }
    return matrix;
}

static void check_pools(const pb_link_matrix_t *matrix, int percent, int n_expected,
                        const int *expected, const char *what)
{
    static const int nodes[] = {0, 1, 2, 3, 4, 5, 6, 7};
    int pool[8];
    const int n = pb_pools_form(matrix, nodes, 8, percent, pool);
    ok(n == n_expected && memcmp(pool, expected, sizeof(pool)) == 0, "Table 1 at %d %%: %s",
       percent, what);
}

static void test_pools(void)
{
    pb_link_matrix_t *m = table_1();
    check_pools(m, 0, 1, (int[]){0, 0, 0, 0, 0, 0, 0, 0}, "all are one pool");
    check_pools(m, 20, 2, (int[]){0, 0, 0, 0, 0, 0, 1, 1}, "the paper's two pools");
    check_pools(m, 70, 4, (int[]){0, 0, 0, 1, 1, 2, 3, 3}, "the paper's four pools");
    check_pools(m, 100, 8, (int[]){0, 1, 2, 3, 4, 5, 6, 7}, "each is alone");
    m->bandwidth[0 * 8 + 1] = 125000;
    check_pools(m, 70, 5, (int[]){0, 1, 0, 2, 2, 3, 4, 4}, "one slow direction parts two");
    pb_link_matrix_free(m);
}

/* ---- the multilevel tree ---- */

/* Sites x and y; x has clusters a of 4 and b of 2 nodes, y has c of 1 and d of 3. */
static pb_link_matrix_t *two_sites(void)
{
    static const int clusters[] = {0, 0, 0, 0, 1, 1, 2, 3, 3, 3};
    pb_link_matrix_t *matrix = given_matrix(2, 4, 10, 0, 0, 1000000);
    memcpy(matrix->node_cluster, clusters, sizeof(clusters));
    return matrix;
}

static void check_tree(pb_tree_t *tree, int root, const int *parent, const int *place,
                       const char *what)
{
    const size_t size = (size_t) tree->n_nodes * sizeof(int);
    ok(tree->root == root && memcmp(tree->parent, parent, size) == 0, "%s: parents", what);
    ok(memcmp(tree->child_index, place, size) == 0, "%s: orders", what);
    pb_tree_free(tree);
}

static void test_multilevel(void)
{
    pb_link_matrix_t *m = two_sites();
    pb_tree_t *tree;
    ok(pb_tree_multilevel(m, 0, &tree) == PB_SUCCESS, "a multilevel tree");
    check_tree(tree, 0, (int[]){-1, 0, 0, 2, 0, 4, 0, 6, 7, 7},
               (int[]){0, 3, 2, 0, 1, 0, 0, 0, 1, 0}, "from the first node");
    ok(pb_tree_multilevel(m, 8, &tree) == PB_SUCCESS, "a multilevel tree");
    check_tree(tree, 8, (int[]){8, 0, 0, 2, 0, 4, 8, 8, -1, 8},
               (int[]){0, 2, 1, 0, 0, 0, 1, 3, 0, 2}, "the root represents its site and cluster");
    ok(pb_tree_multilevel(m, 10, &tree) == PB_ERR_INPUT && tree == NULL, "no such root");
    pb_link_matrix_free(m);
}

/* ---- Mateescu's tree ---- */

static void test_mateescu(void)
{
    pb_link_matrix_t *m = given_matrix(1, 1, 4, 100, 1000, 1000000000);
    pb_tree_costs_t *costs;
    pb_tree_t *tree;
    /* From 0: node 1 at 1200, node 2 at 1300, node 3 at 1400. */
    pb_tree_costs_new(m, NULL, 100, 0, &costs);
    ok(pb_tree_mateescu(costs, 0, &tree) == PB_SUCCESS, "Mateescu's tree");
    check_tree(tree, 0, (int[]){-1, 0, 0, 0}, (int[]){0, 0, 1, 2}, "cheap starts make a star");
    pb_tree_costs_free(costs);
    /* Node 3 is 5000 away from all but 2, from which it has it at 1300 + 1200. */
    m->latency[0 * 4 + 3] = m->latency[1 * 4 + 3] = 5000;
    pb_tree_costs_new(m, NULL, 100, 0, &costs);
    ok(pb_tree_mateescu(costs, 0, &tree) == PB_SUCCESS, "Mateescu's tree");
    check_tree(tree, 0, (int[]){-1, 0, 0, 2}, (int[]){0, 1, 0, 0},
               "a detour; who forwards is sent to first");
    pb_tree_costs_free(costs);
    /* A start takes as long as an arrival: the tree is binomial. */
    m->latency[0 * 4 + 3] = m->latency[1 * 4 + 3] = 1000;
    m->startup[0] = 1100;
    pb_tree_costs_new(m, NULL, 100, 0, &costs);
    ok(pb_tree_mateescu(costs, 0, &tree) == PB_SUCCESS, "Mateescu's tree");
    check_tree(tree, 0, (int[]){-1, 0, 0, 1}, (int[]){0, 0, 1, 0}, "after one start others help");
    ok(pb_tree_mateescu(costs, -1, &tree) == PB_ERR_INPUT && tree == NULL, "no such root");
    pb_tree_costs_free(costs);
    pb_link_matrix_free(m);
}

/* ---- plans ---- */

static void test_plans(void)
{
    pb_random_t random = pb_random_seed(6100);
    measured_case_t c;
    pb_view_t *view;
    pb_plan_t *plan;
    pb_tree_t *tree;
    measured_case_init(&c, &random, MEASURED_NETWORK, 12);
    pb_view_new(c.placement, c.root, NULL, 0, &view);
    pb_plan_compute(view, PB_KIND_BINOMIAL, NULL, &plan);
    ok(pb_tree_from_plan(plan, 0, &tree) == PB_SUCCESS, "a tree of a plan");
    int n_right = 0;
    for (int rank = 0; rank < 12; rank++) {
        const pb_stream_t *s = &plan->streams[0];
        const int parent = tree->parent[rank];
        n_right +=
            parent == s->parent[rank] &&
            (parent < 0 || s->child[s->first_child[parent] + tree->child_index[rank]] == rank);
    }
    ok(n_right == 12, "has its parents, and their order of children");
    ok(pb_tree_from_plan(plan, 1, &(pb_tree_t *){NULL}) == PB_ERR_INPUT, "no such stream");
    pb_tree_free(tree);
    pb_plan_free(plan);
    pb_view_free(view);
    measured_case_clear(&c);
}

static void test_random_trees(void)
{
    pb_random_t random = pb_random_seed(6200);
    pb_tree_t *tree = pb_tree_new(20, 0);
    int n_good = 0;
    for (int i = 0; i < 50; i++) {
        int nodes[20], n = 1 + pb_random_below(&random, 20), n_inside = 0;
        for (int k = 0; k < n; k++) {
            nodes[k] = 19 - k;
        }
        pb_tree_random(&random, nodes, n, tree);
        for (int k = 0; k < 20; k++) {
            n_inside += tree->parent[k] != PB_TREE_OUTSIDE;
        }
        n_good += n_inside == n && pb_tree_check(tree->parent, 20, 19) == PB_SUCCESS;
    }
    ok(n_good == 50, "random trees are trees over their nodes");
    pb_tree_free(tree);
}

int main(void)
{
    test_pools();
    test_multilevel();
    test_mateescu();
    test_plans();
    test_random_trees();
    return tap_done();
}
