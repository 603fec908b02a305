/*
 * Predictions: the papers' formulas, exactly; and the simulator, which shares no
 * code with them, over random networks.
 */
#include <stdlib.h>
#include <string.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"
#include "test/topo/util/golden.h"
#include "topo/check/simulator.h"
#include "topo/model/predict.h"

/** One segment over a link of the base speed, in the simulator's world. */
#define UNIT INT64_C(1000000)

static pb_model_t model;

static void set_place(pb_place_t place, int n_links, pb_cost_t cost)
{
    pb_costs_t *costs = &model.costs[place];
    *costs = (pb_costs_t){.n_links = n_links, .n_rows = 2, .rows = {cost, cost}};
    costs->rows[0].bytes = 1;
    costs->rows[1].bytes = 1 << 20;
}

/**
 * The simulator's world as a model: a path of n links takes n units, memory one, or nothing,
 * whatever the size.
 */
static void set_simulated(bool memory)
{
    const pb_cost_t cost = {.gap = UNIT, .both = UNIT};
    memset(&model, 0, sizeof(model));
    pb_cost_t of_place = cost;
    of_place.rtt = 4 * UNIT;
    set_place(PB_PLACE_SWITCH, 2, of_place);
    of_place.rtt = 6 * UNIT;
    set_place(PB_PLACE_FAR, 3, of_place);
    set_place(PB_PLACE_HOST, 0,
              memory ? (pb_cost_t){.gap = UNIT, .both = UNIT, .rtt = 2 * UNIT}
                     : (pb_cost_t){.gap = 0});
}

static pb_profile_t profile_of(const tree_case_t *c, pb_kind_t kind,
                               const pb_plan_options_t *options)
{
    pb_plan_t *plan = NULL;
    must(pb_plan_compute(c->view, kind, options, &plan) == PB_SUCCESS);
    const pb_profile_t profile = planning_profile(c->placement, plan);
    pb_plan_free(plan);
    return profile;
}

static int64_t predict(const pb_profile_t *profile, uint64_t segment, uint64_t bytes)
{
    const pb_segment_cost_t cost = pb_segment_cost(&model, segment);
    return pb_predict(profile, &model, &cost, bytes, 1);
}

/* ---- formulas ---- */

/** Paper 2's Table 2, 100 Mbps, in nanoseconds. */
static void set_table2(void)
{
    static const struct {
        uint64_t bytes;
        int64_t gap, rtt;
    } rows[] = {{256, 30000, 280000},      {512, 51000, 414000},     {1024, 89000, 678000},
                {2048, 177000, 988000},    {4096, 351000, 1334000},  {8192, 695000, 2038000},
                {16384, 1389000, 3428000}, {32768, 2781000, 6208000}};
    memset(&model, 0, sizeof(model));
    pb_costs_t *costs = &model.costs[PB_PLACE_SWITCH];
    costs->n_links = 2;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        costs->rows[costs->n_rows++] = (pb_cost_t){
            .bytes = rows[i].bytes, .gap = rows[i].gap, .rtt = rows[i].rtt, .both = rows[i].gap};
    }
}

/** A L + B g, the longest way of a first segment, by the paper's words. */
static int64_t first_to_last(const pb_stream_t *stream, int rank, int64_t gap, int64_t latency)
{
    int64_t longest = 0;
    for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
        const int64_t gaps = i - stream->first_child[rank] + 1;
        const int64_t time =
            latency + gaps * gap + first_to_last(stream, stream->child[i], gap, latency);
        longest = time > longest ? time : longest;
    }
    return longest;
}

/** Paper 2, formula (1) for the chain (a rank sends each segment once), and (2) for the binary tree
 * (twice). */
static void test_formulas(pb_kind_t kind, int n_sends)
{
    set_table2();
    bool good = true;
    for (int n = 4; n <= 40; n++) {
        tree_case_t c;
        tree_case_line(&c, 1, n, 0, 0);
        pb_plan_t *plan = tree_case_plan(&c, kind, 0);
        const pb_profile_t profile = planning_profile(c.placement, plan);
        for (int i = 0; i < model.costs[PB_PLACE_SWITCH].n_rows; i++) {
            const pb_cost_t *row = &model.costs[PB_PLACE_SWITCH].rows[i];
            const int64_t latency = pb_cost_latency(row);
            const int64_t first =
                kind == PB_KIND_CHAIN
                    ? (n - 1) * (latency + row->gap)
                    : first_to_last(&plan->streams[0], plan->root, row->gap, latency);
            for (int64_t x = 1; x <= 4096; x *= 4) {
                good = good && predict(&profile, row->bytes, (uint64_t) x * row->bytes) ==
                                   first + n_sends * (x - 1) * row->gap;
            }
        }
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    ok(good, "formula (%d), 4 to 40 ranks, Table 2's sizes, 1 to 4096 segments", n_sends);
}

/** Paper 2's Figure 8: 0 sends to 1 and 2, and 2 to 3 and 4: A = 2 and B = 4. */
static void test_figure8(void)
{
    static const int parents[5] = {-1, 0, 0, 2, 2};
    tree_case_t c;
    tree_case_line(&c, 1, 5, 0, 0);
    pb_plan_t *plan = pb_plan_new(c.view, PB_KIND_BINARY, 1);
    memcpy(plan->streams[0].parent, parents, sizeof(parents));
    static const int by_rank[5] = {0, 1, 2, 3, 4};
    const int rc = pb_plan_link_children(plan, 0, c.view, by_rank);
    const pb_profile_t profile = planning_profile(c.placement, plan);
    ok(rc == PB_SUCCESS && profile.n_paths == 1 && profile.paths[0].hops == 2 &&
           profile.paths[0].sends == 4 * PB_PROFILE_UNIT,
       "Figure 8: A = 2, B = 4");
    pb_plan_free(plan);
    tree_case_clear(&c);
}

/* The last segment is short: it takes its own gap. */
static void test_tail(void)
{
    tree_case_t c;
    set_table2();
    tree_case_line(&c, 1, 8, 0, 0);
    const pb_profile_t profile = profile_of(&c, PB_KIND_CHAIN, NULL);
    const int64_t whole = predict(&profile, 4096, 3 * 4096);
    ok(predict(&profile, 4096, 3 * 4096 + 1024) == whole + 89000, "a short last segment");
    ok(predict(&profile, 4096, 1024) == 7 * 678000 / 2, "a message shorter than a segment");
    tree_case_clear(&c);
}

/* ---- costs beyond the formulas ---- */

static void test_both(void)
{
    tree_case_t c;
    set_table2();
    tree_case_line(&c, 1, 8, 0, 0);
    const pb_profile_t chain = profile_of(&c, PB_KIND_CHAIN, NULL);
    const pb_profile_t flat = profile_of(&c, PB_KIND_FLAT, NULL);
    const int64_t chain_before = predict(&chain, 4096, 11 * 4096);
    const int64_t flat_before = predict(&flat, 4096, 11 * 4096);
    for (int i = 0; i < model.costs[PB_PLACE_SWITCH].n_rows; i++) {
        model.costs[PB_PLACE_SWITCH].rows[i].both += 1000;
    }
    ok(predict(&chain, 4096, 11 * 4096) == chain_before + 10 * 1000,
       "who sends and receives at once takes longer");
    ok(predict(&flat, 4096, 11 * 4096) == flat_before, "who only sends does not");
    for (int i = 0; i < model.costs[PB_PLACE_SWITCH].n_rows; i++) {
        model.costs[PB_PLACE_SWITCH].rows[i].send = 300000;
        model.costs[PB_PLACE_SWITCH].rows[i].receive = 200000;
    }
    ok(predict(&chain, 4096, 11 * 4096) == chain_before + 10 * (500000 - 351000),
       "a slow processor: o_s + o_r for each segment");
    tree_case_clear(&c);
}

/* ---- the simulator ---- */

/** Random networks, and how they are simulated. */
typedef struct world {
    const char *name;
    tree_case_size_t size;
    bool memory; /**< a segment takes a unit between ranks of a host, too; else next to nothing */
} world_t;

static const world_t worlds[] = {
    {"equal links", {8, 40, 1, 0, false}, true},
    {"unequal links", {8, 30, 1, 10, false}, true},
    {"shared hosts", {6, 12, 3, 0, false}, false},
    {"shared hosts, memory", {6, 12, 3, 0, false}, true},
};

static double simulated(const world_t *world, const tree_case_t *c, const pb_plan_t *plan, int n)
{
    const pb_simulate_options_t options = {.n_segments = n,
                                           .memory_ticks = world->memory ? PB_SIMULATE_UNIT : 1};
    pb_simulation_t result;
    must(pb_simulate(c->placement, plan, &options, &result) == PB_SUCCESS);
    const double units = pb_simulate_units(result.completion);
    pb_simulation_clear(&result);
    return units;
}

/** The range of what was seen. */
typedef struct range {
    double least, most;
} range_t;

static void range_add(range_t *range, double value)
{
    range->least = value < range->least ? value : range->least;
    range->most = value > range->most ? value : range->most;
}

/** Adds the plan's waits, for one to 300 segments, and its period, from 300 to 600. */
static void compare_simulated(const world_t *world, const tree_case_t *c, const pb_plan_t *plan,
                              range_t *waits, range_t *periods)
{
    static const int n_segments[] = {1, 2, 3, 10, 64, 300, 600};
    enum { N = sizeof(n_segments) / sizeof(n_segments[0]) };
    double predicted[N], took[N];
    const pb_profile_t profile = planning_profile(c->placement, plan);
    /* The simulator counts by the slowest link, profiles by the slowest rank's. */
    const double unit =
        (double) UNIT * pb_profile_host_speed(c->placement) / pb_network_base_speed(c->network);
    for (int k = 0; k < N; k++) {
        predicted[k] = (double) predict(&profile, 100, 100 * (uint64_t) n_segments[k]) / unit;
        took[k] = simulated(world, c, plan, n_segments[k]);
        if (k < N - 1) {
            range_add(waits, (took[k] - predicted[k]) / took[0]);
        }
    }
    range_add(periods, (predicted[N - 1] - predicted[N - 2]) / (took[N - 1] - took[N - 2]));
}

static void test_simulated(char *const *columns, int n)
{
    const pb_kind_t kind = (pb_kind_t) pb_kind_find(columns[1]);
    const double least_period = atof(columns[2]), least = atof(columns[3]), most = atof(columns[4]);
    const world_t *world = worlds;
    while (n == 5 && strcmp(world->name, columns[0]) != 0) {
        world++;
    }
    pb_random_t random = pb_random_seed(11);
    range_t waits = {1e9, -1e9}, periods = waits;
    const double close = 0.0001;
    set_simulated(world->memory);
    for (int i = 0; i < 42; i++) {
        tree_case_t c;
        pb_plan_t *plan = NULL;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), world->size);
        if (c.view->n_ranks > 1 && pb_plan_compute(c.view, kind, NULL, &plan) == PB_SUCCESS) {
            compare_simulated(world, &c, plan, &waits, &periods);
        }
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    /* Plans by which segments come in bursts have not quite settled by then. */
    ok(periods.least >= least_period - close &&
           periods.most <= (least_period < 1 ? 1.015 : 1 + close),
       "%s, %s: period predicted / simulated from %.4f to %.4f", columns[1], world->name,
       periods.least, periods.most);
    ok(waits.least >= least - close && waits.most <= most + close,
       "%s, %s: waits from %.3f to %.3f of the first segment's time", columns[1], world->name,
       waits.least, waits.most);
}

/* Too many incomparable paths: those kept are never shorter. */
static bool stays_small(tree_case_t *c, pb_random_t *random, void *context)
{
    (void) random;
    (void) context;
    const pb_profile_t profile = profile_of(c, PB_KIND_BINARY, NULL);
    return profile.n_paths <= PB_PROFILE_MAX_PATHS && profile.n_duties <= PB_PROFILE_MAX_DUTIES;
}

/* An unsegmented binomial tree by rank: log2(P) messages on one switch; contention on a line. */
static void test_fallback(void)
{
    tree_case_t c;
    set_table2();
    tree_case_line(&c, 1, 16, 0, 0);
    pb_profile_t profile = planning_fallback(c.placement, 5);
    ok(predict(&profile, 8192, 8192) == 4 * 2038000 / 2, "the fallback component on one switch");
    tree_case_clear(&c);

    tree_case_read(&c, "SwitchName=s Nodes=a,b", "a,b,a,b,a,b,a,b", 0);
    /* Of the three phases two stay inside hosts; four cross in the last one. */
    set_table2();
    profile = planning_fallback(c.placement, 0);
    ok(profile.paths[0].memory_hops == 2 && profile.paths[0].hops == 1 &&
           profile.paths[0].sends == 4 * PB_PROFILE_UNIT,
       "the fallback component shares a link");
    tree_case_clear(&c);
}

static bool is_same_path(const pb_profile_path_t *a, const pb_profile_path_t *b)
{
    return a->before == b->before && a->hops == b->hops && a->further == b->further &&
           a->sends == b->sends && a->memory_hops == b->memory_hops &&
           a->memory_sends == b->memory_sends;
}

static bool is_same_profile(const pb_profile_t *a, const pb_profile_t *b)
{
    bool same = a->copies == b->copies && a->n_streams == b->n_streams &&
                a->n_paths == b->n_paths && a->n_duties == b->n_duties;
    for (int i = 0; same && i < a->n_paths; i++) {
        same = is_same_path(&a->paths[i], &b->paths[i]);
    }
    /* Duties are all numbers of one size. */
    return same && memcmp(a->duties, b->duties, (size_t) a->n_duties * sizeof(*a->duties)) == 0;
}

/* Nothing of one profile is left for the next one on a ground. */
static bool shares_ground(tree_case_t *c, pb_random_t *random, void *context)
{
    pb_profile_ground_t *ground = pb_profile_ground_new(c->placement);
    pb_profile_t shared, single = planning_fallback(c->placement, c->root);
    bool good = ground != NULL;
    (void) random;
    (void) context;
    for (int kind = 0; kind < PB_KIND_COUNT && good; kind++) {
        pb_plan_t *plan = NULL;
        must(pb_plan_compute(c->view, (pb_kind_t) kind, NULL, &plan) == PB_SUCCESS);
        const pb_profile_t alone = planning_profile(c->placement, plan);
        pb_profile_plan(ground, plan, &shared);
        good = is_same_profile(&shared, &alone);
        pb_plan_free(plan);
    }
    pb_profile_fallback(ground, c->root, &shared);
    pb_profile_ground_free(ground);
    return good && is_same_profile(&shared, &single);
}

static bool are_counts(const pb_profile_t *profile)
{
    bool good = profile->n_paths > 0 && profile->n_duties > 0;
    for (int i = 0; i < profile->n_paths; i++) {
        const pb_profile_path_t *path = &profile->paths[i];
        good = good && path->hops >= 0 && path->sends >= path->hops;
    }
    for (int i = 0; i < profile->n_duties; i++) {
        const pb_profile_duty_t *duty = &profile->duties[i];
        good = good && duty->least >= 0 && duty->most >= duty->least;
    }
    return good;
}

/**
 * The most unequal links that a file may name, with thousands of ranks that send over each. No
 * count turns negative, and nothing that is slower is predicted to be faster.
 */
static void test_extreme_speeds(void)
{
    enum { N_HOSTS = 8192 };
    static const uint32_t speeds[] = {1, 4000, 4000000, 4000000000};
    static const pb_kind_t kinds[] = {PB_KIND_RANK_CHAIN, PB_KIND_FLAT, PB_KIND_RANK_BINARY};
    tree_case_t equal, c;
    pb_random_t random = pb_random_seed(11);
    bool good = true;
    memset(&equal, 0, sizeof(equal));
    equal.network = pb_random_network(&random, PB_SHAPE_LINE, 2, N_HOSTS, 0);
    equal.placement = pb_random_placement(&random, equal.network, 1);
    must(pb_view_new(equal.placement, 0, NULL, 0, &equal.view) == PB_SUCCESS);
    set_table2();
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        int64_t last = 0;
        for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
            tree_case_with_speeds(&c, &equal, speeds[i], 1);
            const pb_profile_t profile = profile_of(&c, kinds[kind], NULL);
            const int64_t time = predict(&profile, 1 << 10, 1 << 20);
            good = good && time >= last && are_counts(&profile);
            last = time;
            tree_case_clear(&c);
        }
    }
    ok(good, "hosts' uplinks up to 4,000,000,000 times as fast as those between switches");
    tree_case_clear(&equal);
}

int main(void)
{
    test_formulas(PB_KIND_CHAIN, 1);
    test_formulas(PB_KIND_BINARY, 2);
    test_figure8();
    test_tail();
    test_both();
    ok(golden_rows("model/tolerances.rows", test_simulated) == 23, "there are rows");
    tree_case_hold("profiles stay small", 4, 6, (tree_case_size_t){40, 400, 2, 16, false},
                   stays_small, NULL);
    test_fallback();
    tree_case_hold("profiles are the same on a ground", 47, tap_trials(150, 20),
                   (tree_case_size_t){8, 40, 3, 0, true}, shares_ground, NULL);
    tree_case_hold("also with unequal links", 48, tap_trials(150, 20),
                   (tree_case_size_t){8, 40, 3, 10, true}, shares_ground, NULL);
    test_extreme_speeds();
    return tap_done();
}
