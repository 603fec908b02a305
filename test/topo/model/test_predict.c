/*
 * Predictions: the papers' formulas, exactly; and the simulator, which shares no
 * code with them, over random networks.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"
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
 * The simulator's world as a model: a link takes one unit, a path of n links n of
 * them, memory one, or nothing, whatever the size.
 */
static void set_simulated_with(bool memory)
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

static void set_simulated(void)
{
    set_simulated_with(true);
}

static pb_profile_t profile_of(const tree_case_t *c, pb_kind_t kind,
                               const pb_plan_options_t *options)
{
    pb_plan_t *plan = NULL;
    pb_profile_t profile;
    if (pb_plan_compute(c->view, kind, options, &plan) != PB_SUCCESS) {
        abort();
    }
    profile = planning_profile(c->placement, plan);
    pb_plan_free(plan);
    return profile;
}

static int64_t predict(const pb_profile_t *profile, uint64_t segment, uint64_t bytes)
{
    const pb_segment_cost_t cost = pb_segment_cost(&model, segment);
    return pb_predict(profile, &model, &cost, bytes);
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

/** Paper 2, formula (1) for the chain, of which a rank sends each segment once, and (2) for the
 * binary tree, where it sends it twice. */
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

static void set_ring(pb_place_t place, int n_ring, int64_t both)
{
    pb_costs_t *costs = &model.costs[place];
    costs->n_ring = n_ring;
    for (int i = 0; i < costs->n_rows; i++) {
        costs->rows[i].both = both;
    }
}

/* The largest ring shows what hosts share: all messages of a round take their part of it. */
static void test_crowd(void)
{
    tree_case_t c;
    tree_case_line(&c, 1, 9, 0, 0);
    const pb_profile_t chain = profile_of(&c, PB_KIND_CHAIN, NULL);
    const pb_profile_t twotree = profile_of(&c, PB_KIND_TWOTREE, NULL);
    const pb_profile_t binomial = profile_of(&c, PB_KIND_BINOMIAL, NULL);
    const uint64_t bytes = 10 * 4096;
    ok(chain.messages == 8 && twotree.messages == 16, "a message for each rank but the root");
    set_simulated();
    const int64_t before = predict(&chain, 4096, bytes);
    set_ring(PB_PLACE_FAR, 32, 32 * UNIT);
    ok(predict(&chain, 4096, bytes) == before + 9 * 7 * UNIT,
       "where 32 ranks at once take 32 times as long as one, 8 take 8 times as long");
    ok(predict(&binomial, 4096, 4096) == 8 * UNIT,
       "so no broadcast of one segment takes less than its 8 messages do");
    ok(predict(&binomial, 4096, 3 * 4096 - 1) >= 3 * 8 * UNIT, "nor one of three");
    set_ring(PB_PLACE_SWITCH, 33, UNIT);
    ok(predict(&chain, 4096, bytes) == before, "the larger ring counts");
    set_ring(PB_PLACE_FAR, 0, 32 * UNIT);
    set_ring(PB_PLACE_SWITCH, 0, UNIT);
    ok(predict(&chain, 4096, bytes) == before, "without any ring nothing is shared");
    tree_case_clear(&c);
}

/* Where hosts share nothing but links, the ring takes as long as one rank, and changes nothing.
 */
static bool shares_nothing(tree_case_t *c, pb_random_t *random, void *context)
{
    bool good = true;
    (void) random;
    (void) context;
    for (int kind = 0; kind < PB_KIND_COUNT && c->view->n_ranks > 1; kind++) {
        const pb_profile_t profile = profile_of(c, (pb_kind_t) kind, NULL);
        set_simulated();
        const int64_t before = predict(&profile, 100, 6400);
        set_ring(PB_PLACE_SWITCH, pb_placement_n_hosts(c->placement), UNIT);
        good = good && (profile.copies || predict(&profile, 100, 6400) == before);
    }
    return good;
}

/* ---- the simulator ---- */

/**
 * What predictions leave out of a kind's plans. A period is what each further segment takes, once
 * there are many; a wait is by how much all take longer than predicted, as a part of what the first
 * one takes, whatever their number.
 */
typedef struct tolerance {
    pb_kind_t kind;
    double period;      /**< predicted / simulated, at least; at most it is 1 */
    double least, most; /**< of waits */
} tolerance_t;

/** What random networks a tolerance is for, and how they are simulated. */
typedef struct world {
    const char *name;
    tree_case_size_t size;
    bool memory; /**< a segment takes a unit between ranks of a host, too; else next to nothing */
} world_t;

static double simulated(const world_t *world, const tree_case_t *c, const pb_plan_t *plan, int n)
{
    const pb_simulate_options_t options = {.n_segments = n,
                                           .memory_ticks = world->memory ? PB_SIMULATE_UNIT : 1};
    pb_simulation_t result;
    if (pb_simulate(c->placement, plan, &options, &result) != PB_SUCCESS) {
        abort();
    }
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
    /* The simulator counts by the slowest link, profiles by the slowest host's. */
    const double unit =
        (double) UNIT * pb_profile_host_speed(c->network) / pb_network_base_speed(c->network);
    for (int k = 0; k < N; k++) {
        predicted[k] = (double) predict(&profile, 100, 100 * (uint64_t) n_segments[k]) / unit;
        took[k] = simulated(world, c, plan, n_segments[k]);
        if (k < N - 1) {
            range_add(waits, (took[k] - predicted[k]) / took[0]);
        }
    }
    range_add(periods, (predicted[N - 1] - predicted[N - 2]) / (took[N - 1] - took[N - 2]));
}

static void test_simulated(const tolerance_t *tolerance, const world_t *world)
{
    pb_random_t random = pb_random_seed(11);
    range_t waits = {1e9, -1e9}, periods = waits;
    const double close = 0.0001;
    set_simulated_with(world->memory);
    for (int i = 0; i < 42; i++) {
        tree_case_t c;
        pb_plan_t *plan = NULL;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), world->size);
        if (c.view->n_ranks > 1 &&
            pb_plan_compute(c.view, tolerance->kind, NULL, &plan) == PB_SUCCESS) {
            compare_simulated(world, &c, plan, &waits, &periods);
        }
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    const char *name = pb_kind_name(tolerance->kind);
    /* Those by which segments come in bursts have not quite settled by then. */
    const double most = tolerance->period < 1 ? 1.015 : 1 + close;
    ok(periods.least >= tolerance->period - close && periods.most <= most,
       "%s, %s: period predicted / simulated from %.4f to %.4f", name, world->name, periods.least,
       periods.most);
    ok(waits.least >= tolerance->least - close && waits.most <= tolerance->most + close,
       "%s, %s: waits from %.3f to %.3f of the first segment's time", name, world->name,
       waits.least, waits.most);
}

/**
 * Plans without contention are exact. Streams that meet wait for each other, by up
 * to one segment a hop, which predictions leave out; plans by rank contend, which
 * shows in the period, but not in how the first segments wait. In the chain by rank the
 * segments of several senders, which queue at one link, also come in bursts, so that links behind
 * it are idle in between.
 */
static const tolerance_t equal_links[] = {
    {PB_KIND_CHAIN, 1, 0, 0},
    {PB_KIND_BINARY, 1, 0, 0},
    {PB_KIND_KARY, 1, 0, 0},
    {PB_KIND_FLAT, 1, 0, 0},
    {PB_KIND_BINOMIAL, 1, 0, 0.15},
    {PB_KIND_TWOTREE, 1, 0, 0.4},
    {PB_KIND_RANK_CHAIN, 0.83, -0.9, 4},
    {PB_KIND_RANK_BINARY, 1, -0.3, 0.2},
    {PB_KIND_MULTICAST, 1, 0, 0},
};

/**
 * Speeds of 1 to 10: a segment waits where a slow link follows on fast ones, and where it does not
 * is done sooner than where each took the period. Of two trees one may then get ahead of the other,
 * and delays it at the links that both use.
 */
static const tolerance_t unequal_links[] = {
    {PB_KIND_CHAIN, 1, 0, 0},
    {PB_KIND_BINARY, 1, -0.5, 0.15},
    {PB_KIND_KARY, 1, -0.4, 0.45},
    {PB_KIND_TWOTREE, 0.71, -0.25, 33},
    {PB_KIND_BINOMIAL, 1, -0.3, 0.15},
    {PB_KIND_RANK_CHAIN, 0.79, -0.9, 7},
    {PB_KIND_RANK_BINARY, 0.86, -0.55, 19},
    {PB_KIND_MULTICAST, 1, 0, 0},
};

/**
 * Several ranks a host. The simulator's ranks have one port for link and memory, which predictions
 * do not take for one: so memory takes nothing, but for plans that use each rank's port once.
 */
static const tolerance_t hosts[] = {
    {PB_KIND_CHAIN, 1, 0, 0},
    {PB_KIND_BINARY, 1, 0, 0},
    {PB_KIND_TWOTREE, 1, 0, 0.4},
    {PB_KIND_MULTICAST, 1, 0, 0},
};
static const tolerance_t hosts_with_memory[] = {
    {PB_KIND_CHAIN, 1, 0, 0},
    {PB_KIND_MULTICAST, 1, -0.75, 0}, /* the slowest path and the busiest rank may be apart */
};

static void test_world(const world_t *world, const tolerance_t *tolerances, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        test_simulated(&tolerances[i], world);
    }
}

static void test_all_simulated(void)
{
    const tree_case_size_t equal = {.max_switches = 8, .max_hosts = 40, .max_per_host = 1};
    const tree_case_size_t unequal = {
        .max_switches = 8, .max_hosts = 30, .max_per_host = 1, .max_speed = 10};
    const tree_case_size_t shared = {.max_switches = 6, .max_hosts = 12, .max_per_host = 3};
    test_world(&(world_t){"equal links", equal, true}, equal_links,
               sizeof(equal_links) / sizeof(equal_links[0]));
    test_world(&(world_t){"unequal links", unequal, true}, unequal_links,
               sizeof(unequal_links) / sizeof(unequal_links[0]));
    test_world(&(world_t){"shared hosts", shared, false}, hosts, sizeof(hosts) / sizeof(hosts[0]));
    test_world(&(world_t){"shared hosts, memory", shared, true}, hosts_with_memory,
               sizeof(hosts_with_memory) / sizeof(hosts_with_memory[0]));
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
    return a->stream == b->stream && a->hops == b->hops && a->further == b->further &&
           a->sends == b->sends && a->memory_hops == b->memory_hops &&
           a->memory_sends == b->memory_sends;
}

static bool is_same_profile(const pb_profile_t *a, const pb_profile_t *b)
{
    bool same = a->copies == b->copies && a->n_streams == b->n_streams &&
                a->n_paths == b->n_paths && a->n_duties == b->n_duties &&
                a->messages == b->messages;
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
        if (pb_plan_compute(c->view, (pb_kind_t) kind, NULL, &plan) == PB_SUCCESS) {
            const pb_profile_t alone = planning_profile(c->placement, plan);
            pb_profile_plan(ground, plan, &shared);
            good = is_same_profile(&shared, &alone);
        }
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
 * The most unequal links that a file may name, each of which thousands of ranks send over:
 * no count turns negative, and nothing that is slower is predicted to be faster.
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
    if (pb_view_new(equal.placement, 0, NULL, 0, &equal.view) != PB_SUCCESS) {
        abort();
    }
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
    test_crowd();
    tree_case_hold("a crowd that shares nothing changes no prediction", 12, 7,
                   (tree_case_size_t){8, 40, 2, 0, false}, shares_nothing, NULL);
    test_all_simulated();
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
