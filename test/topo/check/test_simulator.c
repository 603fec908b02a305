/* The simulator: small cases worked out by hand, and the formulas of the papers. */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/check/random_network.h"
#include "topo/check/simulator.h"

/* A network and the placement of one rank per host on it. */
typedef struct bed {
    pb_network_t *network;
    pb_placement_t *placement;
} bed_t;

/* `n_switches` in a line with links of `trunk_speed`; host i is on switch i / per_switch. */
static bed_t line_bed(int n_switches, int per_switch, uint32_t speed, uint32_t trunk_speed)
{
    bed_t bed = {.network = pb_network_new()};
    char name[32];
    pb_diag_t diag;
    pb_diag_init(&diag);
    for (int s = 0; s < n_switches; s++) {
        snprintf(name, sizeof(name), "s%d", s);
        pb_network_add(bed.network, PB_NODE_SWITCH, name);
        if (s > 0) {
            pb_network_connect(bed.network, s - 1, s, trunk_speed);
        }
    }
    for (int m = 0; m < n_switches * per_switch; m++) {
        snprintf(name, sizeof(name), "m%d", m);
        int node = pb_network_add(bed.network, PB_NODE_HOST, name);
        pb_network_connect(bed.network, m / per_switch, node, speed);
    }
    if (pb_network_finish(bed.network, NULL, &diag) != PB_SUCCESS) {
        abort();
    }
    bed.placement = pb_placement_new(bed.network, n_switches * per_switch);
    for (int m = 0; m < n_switches * per_switch; m++) {
        bed.placement->host[m] = n_switches + m;
    }
    pb_diag_clear(&diag);
    return bed;
}

static void bed_free(bed_t *bed)
{
    pb_placement_free(bed->placement);
    pb_network_free(bed->network);
}

static pb_plan_t *plan_of(const bed_t *bed, pb_kind_t kind)
{
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    if (pb_view_new(bed->placement, 0, NULL, 0, &view) == PB_SUCCESS) {
        pb_plan_compute(view, kind, NULL, &plan);
    }
    pb_view_free(view);
    return plan;
}

/* Segment times until all is done; -1 if the simulation fails. */
static double time_of(const bed_t *bed, pb_kind_t kind, int n_segments)
{
    pb_simulate_options_t options = {.n_segments = n_segments};
    pb_simulation_t result = {0};
    pb_plan_t *plan = plan_of(bed, kind);
    double time = -1;
    if (plan != NULL && pb_simulate(bed->placement, plan, &options, &result) == PB_SUCCESS) {
        time = pb_simulate_units(result.completion);
    }
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    return time;
}

/* What is computed and what the simulator says. */
static void expect(const char *what, double simulated, double computed)
{
    ok(simulated > computed - 1e-9 && simulated < computed + 1e-9, "%s: %.3f, computed %.3f", what,
       simulated, computed);
}

static void test_one_switch(void)
{
    bed_t bed = line_bed(1, 8, 0, 0);
    /* Each hop is two links. The last segment leaves the root at X - 1. */
    expect("chain of 8, 20 segments: X - 1 + 2 (P - 1)", time_of(&bed, PB_KIND_CHAIN, 20), 33);
    /* The last of 140 leaves at 139, and is there after two links. */
    expect("flat of 8: X (P - 1) + 1", time_of(&bed, PB_KIND_FLAT, 20), 141);
    bed_free(&bed);
}

static void test_line(void)
{
    bed_t bed = line_bed(4, 2, 0, 0);
    /* Four hops of two links inside a switch and three of three between. */
    expect("chain over 4 switches", time_of(&bed, PB_KIND_CHAIN, 10), 9 + 4 * 2 + 3 * 3);
    bed_free(&bed);
}

/* Trunks four times as fast, and trunks half as fast. */
static void test_speeds(void)
{
    bed_t fast = line_bed(2, 1, 10, 40), slow = line_bed(2, 1, 10, 5);
    expect("fast trunk: a quarter on it", time_of(&fast, PB_KIND_CHAIN, 3), 2 + 1 + 0.25 + 1);
    /* The trunk has the lowest speed: it is the unit. */
    expect("slow trunk: segments queue for it", time_of(&slow, PB_KIND_CHAIN, 3), 0.5 + 3 + 0.5);
    bed_free(&fast);
    bed_free(&slow);
}

/* Host 0 and 2 are on one switch, 1 and 3 on the other. Ranks 0 -> 1 and 2 -> 3
 * go over the trunk in one direction, 1 -> 2 in the other. */
static void test_contention(void)
{
    bed_t bed = line_bed(2, 2, 0, 0);
    bed.placement->host[1] = 2 + 2;
    bed.placement->host[2] = 2 + 1;
    pb_plan_t *plan = plan_of(&bed, PB_KIND_RANK_CHAIN);
    pb_simulate_options_t options = {.n_segments = 10};
    pb_simulation_t links = {0};
    ok(pb_simulate(bed.placement, plan, &options, &links) == PB_SUCCESS, "by rank: runs");
    int down = pb_link_down(1), up = pb_link_up(1);
    expect("busy time of the trunk's way there", pb_simulate_units(links.link_busy[down]), 20);
    expect("busy time of the way back", pb_simulate_units(links.link_busy[up]), 10);
    ok(links.max_wait >= PB_SIMULATE_UNIT, "segments wait at the trunk");
    ok(links.rank_done[0] == 0 && links.rank_done[3] == links.completion &&
           links.rank_done[1] < links.rank_done[3],
       "completion by rank");
    pb_simulation_clear(&links);
    pb_plan_free(plan);
    bed_free(&bed);
}

static void test_memory(void)
{
    bed_t bed = line_bed(1, 2, 0, 0);
    bed.placement->host[1] = bed.placement->host[0];
    pb_plan_t *plan = plan_of(&bed, PB_KIND_CHAIN);
    pb_simulate_options_t options = {.n_segments = 8, .memory_ticks = PB_SIMULATE_UNIT / 4};
    pb_simulation_t result = {0};
    pb_simulate(bed.placement, plan, &options, &result);
    expect("inside a host", pb_simulate_units(result.completion), 2);
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    bed_free(&bed);
}

static void test_inputs(void)
{
    bed_t bed = line_bed(1, 4, 0, 0), alone = line_bed(1, 1, 0, 0);
    pb_simulation_t result = {0};
    pb_simulate_options_t options = {.n_segments = 0};
    pb_plan_t *plan = plan_of(&bed, PB_KIND_CHAIN);
    ok(pb_simulate(bed.placement, plan, &options, &result) == PB_ERR_INPUT, "no segment");
    pb_simulation_clear(&result);
    options.n_segments = 5;
    plan->streams[0].parent[plan->streams[0].child[0]] = -1;
    plan->streams[0].first_child[1] = 0;
    ok(pb_simulate(bed.placement, plan, &options, &result) == PB_ERR_INPUT,
       "a plan that does not reach all");
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    expect("a rank alone", time_of(&alone, PB_KIND_CHAIN, 5), 0);
    bed_free(&bed);
    bed_free(&alone);
}

/* A chain on any network takes no less than on one switch, and no more than its longest hops. */
static void test_random_chains(void)
{
    int n_wrong = 0;
    for (int i = 0; i < 300; i++) {
        pb_random_t random = pb_random_seed((uint64_t) i);
        bed_t bed = {.network = pb_random_network(
                         &random, (pb_shape_t) pb_random_below(&random, PB_SHAPE_COUNT),
                         1 + pb_random_below(&random, 10), 2 + pb_random_below(&random, 30), 0)};
        bed.placement = pb_random_placement(&random, bed.network, 1);
        int n_segments = 1 + pb_random_below(&random, 50), n = bed.placement->n_ranks;
        double time = time_of(&bed, PB_KIND_CHAIN, n_segments);
        int hop = pb_network_max_path(bed.network);
        n_wrong +=
            n > 1 && (time < n_segments - 1 + 2 * (n - 1) || time > n_segments - 1 + hop * (n - 1));
        bed_free(&bed);
    }
    ok(n_wrong == 0, "300 chains on random networks take X - 1 and their hops: %d do not", n_wrong);
}

/* Frames that switches copy: one after the other over each link, whoever the receivers are. */
static void test_copies(void)
{
    const pb_simulate_options_t links = {.n_segments = 10};
    bed_t bed = line_bed(3, 2, 1, 1);
    pb_simulation_t result;
    pb_plan_t *plan = plan_of(&bed, PB_KIND_MULTICAST);
    if (plan == NULL || pb_simulate(bed.placement, plan, &links, &result) != PB_SUCCESS) {
        abort();
    }
    int n_busy = 0, n_idle = 0;
    for (int link = 0; link < result.n_links; link++) {
        n_busy += result.link_busy[link] == 10 * PB_SIMULATE_UNIT;
        n_idle += result.link_busy[link] == 0;
    }
    ok(pb_simulate_units(result.completion) == 10 + 3 && result.n_transfers == 50,
       "multicast of 10 frames over 4 links: 13 segment times");
    ok(pb_simulate_units(result.rank_done[1]) == 10 + 1 &&
           pb_simulate_units(result.rank_done[2]) == 10 + 2,
       "nearer hosts have them sooner");
    ok(n_busy == 8 && n_busy + n_idle == result.n_links && result.max_wait == 0,
       "8 links carry each frame once, in one direction");
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    bed_free(&bed);
    bed = line_bed(2, 2, 2, 1);
    ok(time_of(&bed, PB_KIND_MULTICAST, 10) == 0.5 + 10 + 0.5,
       "a trunk of half the speed is what they wait for");
    bed_free(&bed);
}

int main(void)
{
    test_one_switch();
    test_line();
    test_speeds();
    test_contention();
    test_memory();
    test_inputs();
    test_random_chains();
    test_copies();
    return tap_done();
}
