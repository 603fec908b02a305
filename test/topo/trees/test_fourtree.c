/* Four trees: what ranks send, how high they are, and where they are sooner than two. */
#include <stdlib.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/check/simulator.h"
#include "topo/model/model.h"

enum { TREES = 4 };

/* Leaves below a spine, so many hosts on each; one leaf: a switch alone. */
static tree_case_t leaves(int n_leaves, int per_leaf)
{
    tree_case_t c = {.network = pb_network_new()};
    char name[16];
    pb_diag_t diag;
    pb_diag_init(&diag);
    pb_network_add(c.network, PB_NODE_SWITCH, "spine");
    for (int leaf = 1; leaf <= n_leaves; leaf++) {
        snprintf(name, sizeof(name), "leaf%d", leaf);
        pb_network_connect(c.network, 0, pb_network_add(c.network, PB_NODE_SWITCH, name), 0);
    }
    c.placement = pb_placement_new(c.network, n_leaves * per_leaf);
    for (int rank = 0; rank < n_leaves * per_leaf; rank++) {
        snprintf(name, sizeof(name), "n%d", rank);
        c.placement->host[rank] = pb_network_add(c.network, PB_NODE_HOST, name);
        pb_network_connect(c.network, 1 + rank / per_leaf, c.placement->host[rank], 0);
    }
    if (pb_network_finish(c.network, "test", &diag) != PB_SUCCESS ||
        pb_view_new(c.placement, 0, NULL, 0, &c.view) != PB_SUCCESS) {
        abort();
    }
    pb_diag_clear(&diag);
    return c;
}

/* The most edges that a rank has in all trees. */
static int most_sent(const pb_plan_t *plan)
{
    int most = 0;
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        int n = 0;
        for (int s = 0; s < plan->n_streams; s++) {
            n += plan->streams[s].first_child[rank + 1] - plan->streams[s].first_child[rank];
        }
        most = n > most ? n : most;
    }
    return most;
}

/* Random networks and subsets; whether links carry too much is judged with all kinds, too. */
static void sends_four(pb_shape_t shape, int n_trials)
{
    pb_random_t random = pb_random_seed(8900 + (uint64_t) shape);
    int n_right = 0, n_good = 0;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, (tree_case_size_t){12, 60, 3, 0, true});
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_FOURTREE, 0);
        n_right += plan->n_streams == TREES && most_sent(plan) <= TREES;
        n_good += tree_case_judge(&c, plan, TREES, TREE_CASE_LOAD);
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    ok(n_right == n_trials, "%s: in %d of %d no rank sends more than four times",
       pb_shape_name(shape), n_right, n_trials);
    ok(n_good == n_trials, "%s: %d of %d plans are right", pb_shape_name(shape), n_good, n_trials);
}

static void heights(void)
{
    static const struct {
        int n_leaves, per_leaf, most;
    } cases[] = {{1, 16, 4}, {1, 64, 5}, {4, 8, 7}, {32, 32, 9}, {64, 16, 9}, {256, 32, 12}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tree_case_t c = leaves(cases[i].n_leaves, cases[i].per_leaf);
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_FOURTREE, 0);
        const int height = tree_case_height(plan);
        ok(height <= cases[i].most, "%d leaves of %d hosts: height %d, no more than %d",
           cases[i].n_leaves, cases[i].per_leaf, height, cases[i].most);
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
}

/* Nanoseconds at 1 Gbit/s with segments of 702 bytes. */
static int64_t time_of(const tree_case_t *c, pb_kind_t kind, uint64_t bytes)
{
    static pb_model_t model;
    const uint64_t segment = 702;
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    const pb_cost_t cost = pb_model_cost(&model, 2, segment);
    const pb_link_use_t use = pb_model_link_use(&model, segment);
    const int64_t further = (pb_model_cost(&model, 3, segment).rtt - cost.rtt) / 2;
    const pb_simulate_cost_t costs = {.send = cost.send,
                                      .receive = cost.receive,
                                      .link = use.message,
                                      .acknowledgements = use.acknowledgements,
                                      .further = further,
                                      .way = cost.rtt / 2 - cost.gap - cost.receive - further};
    const pb_simulate_options_t options = {.model = PB_SIMULATE_WIRE,
                                           .n_segments = (int) (bytes / segment),
                                           .cost = costs,
                                           .rest = costs};
    pb_simulation_t result;
    pb_plan_t *plan = tree_case_plan(c, kind, 0);
    if (pb_simulate(c->placement, plan, &options, &result) != PB_SUCCESS) {
        abort();
    }
    const int64_t time = result.completion;
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    return time;
}

static void sooner_than_two(void)
{
    tree_case_t c = leaves(32, 32);
    const int64_t two = time_of(&c, PB_KIND_TWOTREE, 65536);
    const int64_t four = time_of(&c, PB_KIND_FOURTREE, 65536);
    ok(20 * four < 19 * two, "1,024 hosts on 32 leaves, 64 KB: %lld us, two trees take %lld",
       (long long) four / 1000, (long long) two / 1000);
    tree_case_clear(&c);
}

int main(void)
{
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        sends_four((pb_shape_t) shape, tap_trials(40, 400));
    }
    heights();
    sooner_than_two();
    return tap_done();
}
