/*
 * The cost of trees: by hand, and against the literal formula while nodes are
 * moved about at random.
 */
#include <string.h>

#include "contrib/adaptive/search/tree_state.h"
#include "test/adaptive/search/given_matrix.h"
#include "test/adaptive/search/literal_cost.h"
#include "test/adaptive/search/measured_case.h"
#include "test/tap.h"
#include "test/topo/network/given.h"

/* Four nodes on one site, each pair alike: start-up 1 us, latency 10 us, 1 GB/s, so
 * that a byte takes a nanosecond. */
static pb_link_matrix_t *four_nodes(void)
{
    return given_matrix(1, 1, 4, 1000, 10000, 1000000000);
}

static int64_t cost_of(const pb_tree_costs_t *costs, const int *parent, pb_tree_t *tree)
{
    int64_t cost = -1;
    memcpy(tree->parent, parent, (size_t) tree->n_nodes * sizeof(*parent));
    tree->root = 0;
    return pb_tree_cost(costs, tree, &cost) == PB_SUCCESS ? cost : -1;
}

static void check_cost(const pb_link_matrix_t *matrix, const pb_link_share_t *share, uint64_t bytes,
                       uint64_t segment, const int *parent, int64_t expected, const char *what)
{
    pb_tree_costs_t *costs;
    pb_tree_t *tree = pb_tree_new(matrix->n_nodes, 0);
    if (!ok(pb_tree_costs_new(matrix, share, bytes, segment, &costs) == PB_SUCCESS, "%s: costs",
            what)) {
        return;
    }
    const int64_t cost = cost_of(costs, parent, tree);
    ok(cost == expected, "%s: %lld ns of %lld", what, (long long) cost, (long long) expected);
    pb_tree_free(tree);
    pb_tree_costs_free(costs);
}

static const int star[] = {-1, 0, 0, 0}, chain[] = {-1, 0, 1, 2}, fork_below[] = {-1, 0, 0, 2};

static void test_mateescu_model(void)
{
    pb_link_matrix_t *m = four_nodes();
    check_cost(m, NULL, 5000, 0, star, 3 * 1000 + 10000 + 5000, "a star");
    check_cost(m, NULL, 5000, 0, chain, 3 * (1000 + 10000 + 5000), "a chain");
    check_cost(m, NULL, 5000, 0, fork_below, 2 * 16000, "the child that forwards is sent to first");
    check_cost(m, NULL, 0, 0, star, 13000, "nothing to send");
    m->startup[2] = 50000;
    check_cost(m, NULL, 5000, 0, fork_below, 16000 + 65000, "a slow starter");
    m->latency[1] = 900000;
    check_cost(m, NULL, 5000, 0, fork_below, 1000 + 905000, "a far node is sent to first");
    m->bandwidth[1] = 1000000;
    check_cost(m, NULL, 5000, 0, fork_below, 1000 + 900000 + 5000000, "a slow link");
    pb_link_matrix_free(m);
}

static void test_segments(void)
{
    pb_link_matrix_t *m = four_nodes();
    check_cost(m, NULL, 50000, 5000, chain, 3 * 16000 + 9 * 5000, "a pipeline");
    check_cost(m, NULL, 50001, 5000, chain, 3 * 16000 + 10 * 5000, "a last short segment");
    check_cost(m, NULL, 5000, 6000, chain, 3 * 16000, "a segment larger than the message");
    m->startup[0] = 2000;
    check_cost(m, NULL, 50000, 5000, star, 3 * 2000 + 15000 + 9 * 6000, "starts make the period");
    m->bandwidth[2 * 4 + 3] = 500000000;
    check_cost(m, NULL, 50000, 5000, chain, 17000 + 16000 + 21000 + 9 * 10000,
               "a slow link makes the period");
    pb_link_matrix_free(m);
}

/* Nodes 0 and 1 are in one cluster, 2 and 3 in another; half the bandwidth is between them. */
static void test_shared_clusters(void)
{
    pb_link_matrix_t *m = given_matrix(1, 2, 4, 1000, 10000, 1000000000);
    pb_link_share_t *share;
    given_way(m, 0, 1, 10000, 500000000);
    given_way(m, 1, 0, 10000, 500000000);
    ok(pb_link_share_clusters(m, &share) == PB_SUCCESS && share->capacity[0] == 1000000000 &&
           share->capacity[8 + 1] == 500000000 && share->max_path == 3,
       "links of two clusters");
    check_cost(m, share, 5000, 0, chain, 16000 + 21000 + 16000, "a chain crosses once");
    check_cost(m, share, 5000, 0, star, 2000 + 10000 + 2 * 10000, "a star crosses twice");
    check_cost(m, share, 50000, 5000, star, 2000 + 10000 + 20000 + 9 * 20000,
               "the shared link makes the period");
    check_cost(m, share, 5000, 0, (int[]){-1, 0, 1, 0}, 1000 + 10000 + 10000 + 1000 + 10000 + 20000,
               "two edges over it, from two nodes");
    pb_link_share_free(share);
    pb_link_matrix_free(m);
}

/* Two switches with two hosts each; the trunk is twice as fast as the hosts'
 * links, which are all that can be measured. */
static void test_shared_network(void)
{
    static const char *const names[] = {"n0", "n1", "n2", "n3"};
    pb_link_matrix_t *m = four_nodes();
    pb_network_t *network = given_network("SwitchName=a Nodes=n0,n1 LinkSpeed=1;"
                                          "SwitchName=b Nodes=n2,n3 LinkSpeed=1;"
                                          "SwitchName=a Switches=b LinkSpeed=2");
    const int b = pb_network_find_switch(network, "b");
    pb_placement_t *placement = pb_placement_new(network, 4);
    pb_link_share_t *share;
    for (int i = 0; i < 4; i++) {
        placement->host[i] = pb_network_find(network, names[i]);
    }
    ok(pb_link_share_network(m, placement, &share) == PB_SUCCESS &&
           share->capacity[pb_link_down(b)] == 2000000000 &&
           share->capacity[pb_link_up(placement->host[3])] == 1000000000,
       "a trunk has twice what was measured over it");
    check_cost(m, share, 5000, 0, (int[]){-1, 0, 0, 1}, 2 * (1000 + 10000) + 10000 + 5000,
               "two edges fit the trunk; the root's two do not fit its link");
    check_cost(m, share, 5000, 0, star, 3000 + 10000 + 15000, "a star shares the root's link");
    pb_link_share_free(share);
    for (int i = 0; i < 4; i++) {
        m->bandwidth[(i / 2) * 4 + 2 + i % 2] = 400000000; /* over the trunk, one way */
    }
    ok(pb_link_share_network(m, placement, &share) == PB_SUCCESS &&
           share->capacity[pb_link_down(b)] == 400000000 &&
           share->capacity[pb_link_up(b)] == 2000000000 &&
           share->capacity[pb_link_down(placement->host[3])] == 1000000000,
       "a loaded trunk has what was measured over it, and no more");
    pb_link_share_free(share);
    placement->n_ranks = 3;
    ok(pb_link_share_network(m, placement, &share) == PB_ERR_INPUT && share == NULL,
       "as many ranks as nodes");
    pb_placement_free(placement);
    pb_network_free(network);
    pb_link_matrix_free(m);
}

static void test_bad_input(void)
{
    pb_link_matrix_t *m = four_nodes();
    pb_tree_costs_t *costs;
    pb_tree_t *tree = pb_tree_new(4, 0);
    ok(pb_tree_costs_new(m, NULL, PB_TREE_COST_MAX_BYTES + 1, 0, &costs) == PB_ERR_INPUT &&
           costs == NULL,
       "too long a message");
    m->bandwidth[3] = 0;
    ok(pb_tree_costs_new(m, NULL, 1, 0, &costs) == PB_ERR_INPUT, "no bandwidth");
    m->bandwidth[3] = 1;
    m->latency[3] = -1;
    ok(pb_tree_costs_new(m, NULL, 1, 0, &costs) == PB_ERR_INPUT, "a negative latency");
    m->latency[3] = 1;
    ok(pb_tree_costs_new(m, NULL, PB_TREE_COST_MAX_BYTES, 1, &costs) == PB_SUCCESS, "extremes");
    static const int cycle[] = {-1, 2, 3, 1}, outside[] = {-1, 4, 0, 0},
                     two_roots[] = {-1, -1, 0, 0}, below_outsider[] = {-1, PB_TREE_OUTSIDE, 1, 0},
                     rooted[] = {1, 0, 0, 0};
    ok(cost_of(costs, cycle, tree) == -1, "a cycle is no tree");
    ok(cost_of(costs, outside, tree) == -1, "nor is a parent that does not exist");
    ok(cost_of(costs, two_roots, tree) == -1, "nor are two roots");
    ok(cost_of(costs, below_outsider, tree) == -1, "nor a node below an outsider");
    ok(cost_of(costs, rooted, tree) == -1, "nor a root with a parent");
    ok(cost_of(costs, star, tree) > 0, "the slowest link and the most segments do not overflow");
    pb_tree_costs_free(costs);
    pb_tree_free(tree);
    pb_link_matrix_free(m);
}

/* ---- moves ---- */

typedef struct tally {
    int n, n_wrong, n_not_restored, n_order, n_hash;
} tally_t;

static void move_at_random(pb_random_t *random, pb_tree_state_t *state, tally_t *tally)
{
    const int n = state->costs->matrix->n_nodes;
    const int node = pb_random_below(random, n), to = pb_random_below(random, n);
    if (node == state->root || pb_tree_state_is_below(state, to, node)) {
        return;
    }
    const int from = state->parent[node];
    const int64_t before = pb_tree_state_cost(state);
    const uint64_t hash = state->hash;
    pb_tree_state_move(state, node, to);
    const int64_t after = pb_tree_state_cost(state);
    tally->n++;
    tally->n_wrong += after != literal_cost(state->costs, state->parent, state->root);
    tally->n_hash += (state->hash == hash) != (to == from);
    if (pb_random_below(random, 2) == 1) {
        pb_tree_state_move(state, node, from);
        tally->n_not_restored += state->hash != hash || pb_tree_state_cost(state) != before;
    }
}

/* Tells whether the state's tree, loaded anew, has the same orders of children. */
static bool same_orders(const pb_tree_costs_t *costs, const pb_tree_state_t *state)
{
    const int n = costs->matrix->n_nodes;
    pb_tree_t *kept = pb_tree_new(n, state->root);
    int64_t cost;
    pb_tree_state_store(state, kept);
    pb_tree_t *fresh = pb_tree_copy(kept);
    bool same = pb_tree_cost(costs, fresh, &cost) == PB_SUCCESS &&
                memcmp(kept->child_index, fresh->child_index, (size_t) n * sizeof(int)) == 0;
    pb_tree_free(kept);
    pb_tree_free(fresh);
    return same;
}

static void move_about(pb_random_t *random, measured_kind_t kind, bool shared, uint64_t segment,
                       tally_t *tally)
{
    measured_case_t c;
    pb_link_share_t *share;
    pb_tree_costs_t *costs;
    const int n = 2 + pb_random_below(random, 24);
    measured_case_init(&c, random, kind, n);
    share = shared ? measured_share(&c) : NULL;
    pb_tree_costs_new(c.matrix, share, 100000, segment, &costs);
    pb_tree_state_t *state = pb_tree_state_new(costs);
    pb_tree_t *tree = pb_tree_new(n, c.root);
    for (int k = 0; k < 3; k++) {
        int64_t as_stream;
        measured_random_tree(random, c.root, tree);
        pb_tree_state_load(state, tree->parent, tree->root);
        const int64_t cost = literal_cost(costs, state->parent, state->root);
        tally->n_wrong += pb_tree_state_cost(state) != cost;
        pb_tree_state_store(state, tree); /* with its order of children */
        tally->n_wrong +=
            pb_streams_cost(costs, &tree, 1, &as_stream) != PB_SUCCESS || as_stream != cost;
        for (int i = 0; i < 60; i++) {
            move_at_random(random, state, tally);
        }
        tally->n_order += !same_orders(costs, state);
    }
    pb_tree_free(tree);
    pb_tree_state_free(state);
    pb_tree_costs_free(costs);
    pb_link_share_free(share);
    measured_case_clear(&c);
}

static void test_moves(measured_kind_t kind, bool shared, uint64_t segment)
{
    tally_t tally = {.n = 0};
    pb_random_t random = pb_random_seed(7000 + (uint64_t) kind);
    for (int i = 0; i < 40; i++) {
        move_about(&random, kind, shared, segment, &tally);
    }
    const char *name = measured_kind_name(kind);
    const char *how = shared ? "shared" : "not shared";
    ok(tally.n > 1000 && tally.n_wrong == 0, "%s, %s, segments of %d: %d costs of %d are wrong",
       name, how, (int) segment, tally.n_wrong, tally.n);
    ok(tally.n_not_restored == 0, "%s, %s: moving back restores", name, how);
    ok(tally.n_order == 0, "%s, %s: orders of children are those of a new state", name, how);
    ok(tally.n_hash == 0, "%s, %s: hashes tell trees apart", name, how);
}

/** Two streams by hand, and one against pb_tree_cost(). */
static void test_streams(void)
{
    pb_link_matrix_t *m = four_nodes();
    pb_tree_costs_t *costs;
    int64_t cost = -1;
    pb_tree_t *two[] = {pb_tree_new(4, 0), pb_tree_new(4, 0)};
    (void) pb_tree_costs_new(m, NULL, 50000, 5000, &costs);
    (void) cost_of(costs, chain, two[0]);
    (void) cost_of(costs, star, two[1]);
    /* The root starts a send in the chain and three in the star: less than a segment takes. */
    ok(pb_streams_cost(costs, two, 2, &cost) == PB_SUCCESS && cost == 3 * 16000 + 4 * 5000,
       "a chain and a star: %lld ns", (long long) cost);
    m->startup[0] = 2000;
    ok(pb_streams_cost(costs, two, 2, &cost) == PB_SUCCESS && cost == 17000 + 2 * 16000 + 4 * 8000,
       "starts in both make the period: %lld ns", (long long) cost);
    two[1]->root = 1;
    ok(pb_streams_cost(costs, two, 2, &cost) == PB_ERR_INPUT, "two roots");
    ok(pb_streams_cost(costs, two, 0, &cost) == PB_ERR_INPUT, "no streams");
    pb_tree_free(two[0]);
    pb_tree_free(two[1]);
    pb_tree_costs_free(costs);
    pb_link_matrix_free(m);
}

int main(void)
{
    test_streams();
    test_mateescu_model();
    test_segments();
    test_shared_clusters();
    test_shared_network();
    test_bad_input();
    for (int kind = 0; kind < MEASURED_COUNT; kind++) {
        for (int shared = 0; shared < 2; shared++) {
            test_moves((measured_kind_t) kind, shared, 0);
            test_moves((measured_kind_t) kind, shared, 1000);
        }
    }
    return tap_done();
}
