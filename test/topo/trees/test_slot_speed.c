/* The slot method on links of unequal speed, judged by load against speed. */
#include <stdlib.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/check/check_load.h"

/* Random speeds on all links. */
static void random_speeds(pb_shape_t shape, int max_speed)
{
    pb_random_t random = pb_random_seed(8100 + (uint64_t) shape);
    const int n_trials = tap_trials(300, 40);
    int n_good = 0;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, (tree_case_size_t){20, 80, 4, max_speed, true});
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_BINARY, 0);
        n_good += tree_case_judge(&c, plan, 2, TREE_CASE_LOAD);
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    ok(n_good == n_trials, "%s, speeds 1 to %d: no link overloaded in %d of %d",
       pb_shape_name(shape), max_speed, n_good, n_trials);
}

/* The height on the same placement with trunks of a speed; -1 if a link is
 * overloaded. */
static int height_with_trunks(const tree_case_t *c, uint32_t speed)
{
    tree_case_t fast;
    tree_case_with_speeds(&fast, c, 1, speed);
    pb_plan_t *plan = tree_case_plan(&fast, PB_KIND_BINARY, 0);
    int good = tree_case_judge(&fast, plan, 2, TREE_CASE_LOAD);
    int height = good ? plan->streams[0].height : -1;
    pb_plan_free(plan);
    tree_case_clear(&fast);
    return height;
}

static int complete_height(int n)
{
    int height = 0;
    while ((2 << height) - 1 < n) {
        height++;
    }
    return height;
}

/* Faster trunks never make the tree higher, and fast enough ones make it as low
 * as the complete one. */
static void fast_trunks(pb_shape_t shape)
{
    static const uint32_t speeds[] = {1, 2, 3, 4, 8, 16};
    enum { N_SPEEDS = sizeof(speeds) / sizeof(speeds[0]) };
    pb_random_t random = pb_random_seed(8200 + (uint64_t) shape);
    const int n_trials = tap_trials(100, 20);
    int n_good = 0, n_higher = 0, n_complete = 0;
    double sum[N_SPEEDS] = {0}, complete = 0;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, (tree_case_size_t){30, 250, 1, 0, false});
        int before = c.view->n_ranks, good = 1, least = complete_height(c.view->n_ranks);
        for (int k = 0; k < N_SPEEDS; k++) {
            int height = height_with_trunks(&c, speeds[k]);
            good = good && height >= 0;
            n_higher += height > before;
            before = height;
            sum[k] += height;
        }
        n_good += good;
        n_complete += before == least;
        complete += least;
        tree_case_clear(&c);
    }
    printf("# %s: mean height %.2f", pb_shape_name(shape), sum[0] / n_trials);
    for (int k = 1; k < N_SPEEDS; k++) {
        printf(", trunks x %u: %.2f", (unsigned) speeds[k], sum[k] / n_trials);
    }
    printf(", complete %.2f\n", complete / n_trials);
    ok(n_good == n_trials, "%s: no link overloaded in %d of %d", pb_shape_name(shape), n_good,
       n_trials);
    ok(n_higher == 0, "%s: faster trunks, never higher but in %d", pb_shape_name(shape), n_higher);
    ok(n_complete == n_trials, "%s: trunks x 16: as low as the complete tree in %d of %d",
       pb_shape_name(shape), n_complete, n_trials);
}

/* A rule that never fails says nothing: two senders on one trunk of two switches,
 * n0 -> n2, n1 -> n3, are too much at speed 1 and fine at speed 2. */
static int crossing(uint32_t trunk)
{
    pb_network_t *network = pb_network_new();
    pb_diag_t diag;
    pb_view_t *view;
    pb_diag_init(&diag);
    int s0 = pb_network_add(network, PB_NODE_SWITCH, "s0");
    int s1 = pb_network_add(network, PB_NODE_SWITCH, "s1");
    pb_network_connect(network, s0, s1, trunk);
    pb_placement_t *placement = NULL;
    for (int i = 0; i < 4; i++) {
        char name[] = {'n', (char) ('0' + i), '\0'};
        int node = pb_network_add(network, PB_NODE_HOST, name);
        pb_network_connect(network, i < 2 ? s0 : s1, node, 1);
    }
    if (pb_network_finish(network, "test", &diag) != PB_SUCCESS) {
        abort();
    }
    placement = pb_placement_new(network, 4);
    for (int i = 0; i < 4; i++) {
        placement->host[i] = 2 + i;
    }
    if (pb_view_new(placement, 0, NULL, 0, &view) != PB_SUCCESS) {
        abort();
    }
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_BINARY, 1);
    plan->streams[0].parent[1] = 0;
    plan->streams[0].parent[2] = 0;
    plan->streams[0].parent[3] = 1;
    pb_plan_link_children(plan, 0, view, NULL);
    int error = pb_check_load(placement, plan, &diag);
    pb_plan_free(plan);
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
    pb_diag_clear(&diag);
    return error;
}

int main(void)
{
    ok(crossing(1) == PB_ERR_INPUT, "two senders on a trunk of speed 1 are a fault");
    ok(crossing(2) == PB_SUCCESS, "two senders on a trunk of speed 2 are none");
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        random_speeds((pb_shape_t) shape, 3);
        random_speeds((pb_shape_t) shape, 20);
        fast_trunks((pb_shape_t) shape);
    }
    return tap_done();
}
