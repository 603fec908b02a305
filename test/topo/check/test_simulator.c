/* The simulator: small cases worked out by hand, and chains on random networks. */
#include <stdlib.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/check/completion.h"
#include "test/topo/trees/tree_case.h"

/* Segment times until all is done on hosts of switches in a line, against what is computed. */
static void test_times(void)
{
    static const struct {
        const char *what;
        int n_switches, per_switch;
        uint32_t speed, trunk_speed;
        pb_kind_t kind;
        int n_segments;
        double time;
    } cases[] = {
        /* Each hop is two links. The last segment leaves the root at X - 1. */
        {"chain of 8: X - 1 + 2 (P - 1)", 1, 8, 0, 0, PB_KIND_CHAIN, 20, 33},
        /* The last of 140 leaves at 139, and is there after two links. */
        {"flat of 8: X (P - 1) + 1", 1, 8, 0, 0, PB_KIND_FLAT, 20, 141},
        {"a rank alone", 1, 1, 0, 0, PB_KIND_CHAIN, 5, 0},
        /* Four hops of two links inside a switch and three of three between. */
        {"chain over 4 switches", 4, 2, 0, 0, PB_KIND_CHAIN, 10, 9 + 4 * 2 + 3 * 3},
        {"a trunk four times as fast", 2, 1, 10, 40, PB_KIND_CHAIN, 3, 2 + 1 + 0.25 + 1},
        /* The trunk has the lowest speed: it is the unit. */
        {"a slow trunk, for which segments queue", 2, 1, 10, 5, PB_KIND_CHAIN, 3, 0.5 + 3 + 0.5},
        {"multicast of 10 frames over 4 links", 3, 2, 1, 1, PB_KIND_MULTICAST, 10, 10 + 3},
        {"multicast over a slow trunk", 2, 2, 2, 1, PB_KIND_MULTICAST, 10, 0.5 + 10 + 0.5},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tree_case_t c;
        tree_case_line(&c, cases[i].n_switches, cases[i].per_switch, cases[i].speed,
                       cases[i].trunk_speed);
        pb_plan_t *plan = tree_case_plan(&c, cases[i].kind, 0);
        const double time = completion(c.placement, plan, cases[i].n_segments);
        ok(time > cases[i].time - 1e-9 && time < cases[i].time + 1e-9, "%s: %.3f, computed %.3f",
           cases[i].what, time, cases[i].time);
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
}

/* Ranks 0 -> 1 and 2 -> 3 go over the trunk in one direction, 1 -> 2 in the other. */
static void test_contention(void)
{
    const pb_simulate_options_t options = {.n_segments = 10};
    pb_simulation_t result;
    tree_case_t c;
    tree_case_read(&c, "SwitchName=s0 Nodes=m[0-1] Switches=s1;SwitchName=s1 Nodes=m[2-3]",
                   "m0,m2,m1,m3", 0);
    pb_plan_t *plan = tree_case_plan(&c, PB_KIND_RANK_CHAIN, 0);
    const int s1 = pb_network_find_switch(c.network, "s1");
    ok(pb_simulate(c.placement, plan, &options, &result) == PB_SUCCESS &&
           result.link_busy[pb_link_down(s1)] == 20 * PB_SIMULATE_UNIT &&
           result.link_busy[pb_link_up(s1)] == 10 * PB_SIMULATE_UNIT,
       "by rank over a trunk: 20 segments there, 10 back");
    ok(result.max_wait >= PB_SIMULATE_UNIT, "segments wait at the trunk");
    ok(result.rank_done[0] == 0 && result.rank_done[3] == result.completion &&
           result.rank_done[1] < result.rank_done[3],
       "completion by rank");
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    tree_case_clear(&c);
}

static void test_memory(void)
{
    const pb_simulate_options_t options = {.n_segments = 8, .memory_ticks = PB_SIMULATE_UNIT / 4};
    pb_simulation_t result;
    tree_case_t c;
    tree_case_read(&c, "SwitchName=s0 Nodes=m[0-1]", "m0,m0", 0);
    pb_plan_t *plan = tree_case_plan(&c, PB_KIND_CHAIN, 0);
    ok(pb_simulate(c.placement, plan, &options, &result) == PB_SUCCESS &&
           result.completion == 2 * PB_SIMULATE_UNIT,
       "inside a host");
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    tree_case_clear(&c);
}

static void test_inputs(void)
{
    pb_simulate_options_t options = {.n_segments = 0};
    pb_simulation_t result;
    tree_case_t c;
    tree_case_line(&c, 1, 4, 0, 0);
    pb_plan_t *plan = tree_case_plan(&c, PB_KIND_CHAIN, 0);
    ok(pb_simulate(c.placement, plan, &options, &result) == PB_ERR_INPUT, "no segment");
    pb_simulation_clear(&result);
    options.n_segments = 5;
    plan->streams[0].parent[plan->streams[0].child[0]] = -1;
    plan->streams[0].first_child[1] = 0;
    ok(pb_simulate(c.placement, plan, &options, &result) == PB_ERR_INPUT,
       "a plan that does not reach all");
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    tree_case_clear(&c);
}

/* The first segment passes all hops, and one follows after the other. */
static bool is_chain_time(tree_case_t *c, pb_random_t *random, void *context)
{
    const int n_segments = 1 + pb_random_below(random, 50);
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_CHAIN, 0);
    int *path = malloc(((size_t) pb_network_max_path(c->network) + 1) * sizeof(*path)), n = 0;
    (void) context;
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int parent = plan->streams[0].parent[rank];
        n += parent >= 0 ? pb_placement_path(c->placement, parent, rank, path) : 0;
    }
    const double time = completion(c->placement, plan, n_segments);
    free(path);
    pb_plan_free(plan);
    return time == (n > 0 ? n_segments - 1 + n : 0);
}

/* Frames that switches copy: one after the other over each link, for any receivers. */
static void test_copies(void)
{
    const pb_simulate_options_t options = {.n_segments = 10};
    pb_simulation_t result;
    tree_case_t c;
    int n_busy = 0, n_idle = 0;
    tree_case_line(&c, 3, 2, 1, 1);
    pb_plan_t *plan = tree_case_plan(&c, PB_KIND_MULTICAST, 0);
    must(pb_simulate(c.placement, plan, &options, &result) == PB_SUCCESS);
    for (int link = 0; link < result.n_links; link++) {
        n_busy += result.link_busy[link] == 10 * PB_SIMULATE_UNIT;
        n_idle += result.link_busy[link] == 0;
    }
    ok(result.n_transfers == 50 && result.rank_done[1] == 11 * PB_SIMULATE_UNIT &&
           result.rank_done[2] == 12 * PB_SIMULATE_UNIT,
       "nearer hosts have frames sooner");
    ok(n_busy == 8 && n_busy + n_idle == result.n_links && result.max_wait == 0,
       "8 links carry each frame once, in one direction");
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    tree_case_clear(&c);
}

int main(void)
{
    test_times();
    test_contention();
    test_memory();
    test_inputs();
    test_copies();
    tree_case_hold("chains take X - 1 and their hops", 3, 50,
                   (tree_case_size_t){10, 30, 1, 0, true}, is_chain_time, NULL);
    return tap_done();
}
