/*
 * Learning by planners of all ranks of random networks. Their links give a fraction of what was
 * assumed, and their kinds of trees take longer than predicted. All ranks plan alike, the role of
 * each is the plan's, and what is used becomes the best.
 */
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/must.h"
#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"
#include "topo/model/learner.h"
#include "topo/model/planner_internal.h"

enum { MOST_RANKS = 64, N_BROADCASTS = 40, ASSUMED_MBIT = 10000 };

static const tree_case_size_t small = {.max_switches = 4, .max_hosts = 16, .max_per_host = 1};

/** Of a message between two hosts on one switch. */
enum { N_LINKS = 2 };

/** A communicator, and what its network is in truth. */
typedef struct world {
    tree_case_t c;
    pb_choose_options_t choose;
    pb_model_t assumed, truth;
    pb_chooser_t *chooser; /**< by the truth */
    double factor[PB_KIND_COUNT + 1];
    pb_planner_t *planners[MOST_RANKS];
    uint64_t neighbours[MOST_RANKS]; /**< of each rank so far, as bits */
    int n_ranks;
    int since;           /**< broadcasts since a swept one; 0: none is open */
    int64_t longest;     /**< of that */
    bool opens;          /**< the next broadcast of the fallback component takes long */
    bool has_schedule;   /**< which sweeps now and then, whatever the learner wants */
    int64_t least_wait;  /**< and of any rank but the root in that */
    int64_t late;        /**< nanoseconds of the root after the others */
    int n_bad;           /**< broadcasts in which ranks were not alike, or a role was wrong */
    int n_own, n_trials; /**< of ours, and tried */
    double spent, extra, most_extra; /**< nanoseconds; extra: that trials took longer */
    bool was_multicast;              /**< the last one */
    long fail_after;                 /**< allocations of rank 1 until one fails; -1: none does */
} world_t;

static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};

/** Truth: bits per second of links, frames of multicast (0: none), and the fallback component's
 * time over its prediction. */
static void world_set(world_t *w, uint64_t bits_per_second, uint64_t frame, double fallback)
{
    pb_choose_options_t options = w->choose;
    options.frame = frame;
    options.kind = frame > 0 ? PB_CHOOSE_ALL : options.kind;
    pb_chooser_free(w->chooser);
    pb_model_assume(bits_per_second, 1500, &w->truth);
    w->truth.measured = true;
    w->chooser = pb_chooser_new(w->c.placement, &w->truth, &options);
    w->factor[PB_KIND_COUNT] = fallback;
}

static void world_init_with(world_t *w, pb_random_t *random, int i,
                            const pb_choose_options_t *choose, int connections,
                            size_t memory_of_rank_1)
{
    memset(w, 0, sizeof(*w));
    w->fail_after = -1;
    w->choose = *choose;
    tree_case_init(&w->c, random, (pb_shape_t) (i % PB_SHAPE_COUNT), small);
    w->n_ranks = w->c.placement->n_ranks < MOST_RANKS ? w->c.placement->n_ranks : MOST_RANKS;
    pb_model_assume(UINT64_C(1000000) * ASSUMED_MBIT, 1500, &w->assumed);
    for (int k = 0; k <= PB_KIND_COUNT; k++) {
        w->factor[k] = 1 + pb_random_below(random, 200) / 1000.0;
    }
    world_set(w, UINT64_C(2000000) << pb_random_below(random, 4), 0, w->factor[PB_KIND_COUNT]);
    for (int rank = 0; rank < w->n_ranks; rank++) {
        const pb_planner_options_t options = {.rank = rank,
                                              .choose = *choose,
                                              .memory = rank != 1 ? 1 << 20 : memory_of_rank_1,
                                              .connections = connections};
        w->planners[rank] = planning_new(w->c.placement, &w->assumed, &options, true);
    }
}

static void world_init(world_t *w, pb_random_t *random, int i, const pb_choose_options_t *choose,
                       int connections)
{
    world_init_with(w, random, i, choose, connections, 1 << 20);
}

static void world_clear(world_t *w)
{
    for (int rank = 0; rank < w->n_ranks; rank++) {
        pb_planner_free(w->planners[rank]);
    }
    pb_chooser_free(w->chooser);
    tree_case_clear(&w->c);
}

static double truth_of(world_t *w, int root, uint64_t bytes, const pb_candidate_t *candidate)
{
    const int row = candidate->kind == PB_KIND_FALLBACK ? PB_KIND_COUNT : candidate->kind;
    return w->factor[row] * (double) pb_choose_time(w->chooser, root, bytes, candidate);
}

typedef struct best {
    world_t *world;
    int root;
    uint64_t bytes;
    double time;
} best_t;

static void look(void *context, const pb_candidate_t *candidate)
{
    best_t *best = context;
    const double time =
        (double) candidate->time *
        best->world->factor[candidate->kind == PB_KIND_FALLBACK ? PB_KIND_COUNT : candidate->kind];
    best->time = best->time == 0 || time < best->time ? time : best->time;
}

static double best_of(world_t *w, int root, uint64_t bytes)
{
    best_t best = {.world = w, .root = root, .bytes = bytes};
    must(pb_choose_explain(w->chooser, root, bytes, true, look, &best) == PB_SUCCESS);
    return best.time;
}

/** Tells whether a role has a child for each edge to a parent, and each rank but the root has
 * parents. */
static bool is_tree(const pb_planned_t *planned, int n_ranks, int root)
{
    int n_edges = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        const pb_role_t *role = planned[rank].role;
        if (role == NULL || (role->n_parents == 0) != (rank == root)) {
            return false;
        }
        n_edges += role->n_children - role->n_parents;
    }
    return n_edges == 0;
}

/** Notes the last sweep's measurements, on all ranks. */
static void note(world_t *w)
{
    pb_lesson_t lesson[MOST_RANKS];
    for (int rank = 0; rank < w->n_ranks; rank++) {
        failing_memory_after(rank == 1 ? w->fail_after : -1);
        w->n_bad += pb_planner_note(w->planners[rank], w->longest + w->late, w->least_wait,
                                    &lesson[rank]) != PB_SUCCESS;
        w->n_bad += lesson[rank].outcome != lesson[0].outcome ||
                    lesson[rank].bits_per_second != lesson[0].bits_per_second;
    }
    failing_memory_after(-1);
    w->since = 0;
}

/** True time of a broadcast with this plan. */
static double time_of(world_t *w, int root, uint64_t bytes, const pb_planned_t *planned)
{
    const int kind = planned->fallback ? PB_KIND_FALLBACK : (int) planned->kind;
    const pb_candidate_t candidate = {.kind = kind, .segment = planned->segment};
    return truth_of(w, root, bytes, &candidate);
}

static void note_neighbours(world_t *w, int rank, const pb_role_t *role)
{
    for (int i = 0; role != NULL && i < role->n_parents; i++) {
        w->neighbours[rank] |= UINT64_C(1) << role->parent[i];
    }
    for (int i = 0; role != NULL && i < role->n_children; i++) {
        w->neighbours[rank] |= UINT64_C(1) << role->child[i];
    }
}

/** One on all ranks, swept if the learner asks for it; its time without openings. */
static double broadcast(world_t *w, int root, uint64_t bytes)
{
    pb_planned_t planned[MOST_RANKS] = {0};
    if (w->since >= 2) {
        note(w);
    }
    bool is_swept = false;
    double usual = 0;
    for (int rank = 0; rank < w->n_ranks; rank++) {
        failing_memory_after(rank == 1 ? w->fail_after : -1);
        w->n_bad +=
            pb_planner_plan(w->planners[rank], root, bytes, false, &planned[rank]) != PB_SUCCESS;
        w->n_bad += planned[rank].wants_sweep != planned[0].wants_sweep;
        usual = rank == 0 ? time_of(w, root, bytes, &planned[0]) : usual;
        is_swept = w->since == 0 && (planned[rank].wants_sweep || w->has_schedule);
        if (is_swept) {
            w->n_bad +=
                pb_planner_plan_swept(w->planners[rank], root, bytes, &planned[rank]) != PB_SUCCESS;
        }
        note_neighbours(w, rank, planned[rank].role);
    }
    failing_memory_after(-1);
    for (int rank = 1; rank < w->n_ranks; rank++) {
        w->n_bad += !planning_is_same(&planned[rank], &planned[0]);
    }
    w->n_bad += (is_swept || !planned[0].fallback) && !is_tree(planned, w->n_ranks, root);
    w->n_own += !planned[0].fallback;
    w->n_trials += planned[0].is_trial;
    w->was_multicast = planning_is_multicast(&planned[0]);
    const double time = time_of(w, root, bytes, &planned[0]);
    const double extra = time > usual ? time - usual : 0;
    w->spent += time;
    w->extra += extra;
    w->most_extra = extra > w->most_extra ? extra : w->most_extra;
    w->since += is_swept || w->since > 0;
    if (is_swept) {
        w->longest = (int64_t) (planned[0].fallback && w->opens ? 3 * time : time);
        w->opens = w->opens && !planned[0].fallback;
        const int64_t rtt = pb_model_cost(&w->truth, N_LINKS, planned[0].segment_size).rtt;
        w->least_wait = w->late + (planned[0].fallback ? rtt / 2 + w->longest / 4 : rtt * 5 / 8);
    }
    return time;
}

/** Some broadcasts; the last one's time, and their mean in *mean_p unless that is NULL. */
static double broadcasts(world_t *w, int n, int root, uint64_t bytes, double *mean_p)
{
    double last = 0, sum = 0;
    for (int k = 0; k < n; k++) {
        last = broadcast(w, root, bytes);
        sum += last;
    }
    if (mean_p != NULL) {
        *mean_p = sum / n;
    }
    return last;
}

enum { FRAME = 1448 };

static void allow(world_t *w, uint32_t frame)
{
    for (int rank = 0; rank < w->n_ranks; rank++) {
        pb_planner_allow_multicast(w->planners[rank], frame);
    }
}

static bool is_in_force(const world_t *w, int root, uint64_t bytes, int kind)
{
    pb_planner_report_t report;
    return pb_planner_explain(w->planners[0], root, bytes, &report) == PB_SUCCESS &&
           report.best.kind == kind;
}

/** The candidate in use becomes the best; multicast is allowed after a while, and then no more. */
static void test_worlds(void)
{
    pb_random_t random = pb_random_seed(11);
    int n_bad = 0, n_right[3] = {0}, n_trials = 0, n_used = 0, n_left = 0;
    int n_dear = 0;
    double sums = 0;
    const int n_worlds = tap_trials(60, 24);
    for (int i = 0; i < n_worlds; i++) {
        world_t w;
        do {
            world_init(&w, &random, i, &all, 0);
        } while (w.n_ranks < 2 && (world_clear(&w), true));
        const int root = pb_random_below(&random, w.n_ranks);
        const uint64_t bytes = UINT64_C(4096) << (i % 9), speed = w.truth.speed;
        const double fallback = w.factor[PB_KIND_COUNT];
        double mean;
        w.factor[PB_KIND_MULTICAST] = i % 2 == 0 ? 1.05 : 4;
        const double best = best_of(&w, root, bytes);
        n_right[0] += broadcasts(&w, N_BROADCASTS, root, bytes, &mean) <= 1.05 * best;
        sums += mean / best / n_worlds;
        n_trials += w.n_trials;
        n_dear += w.extra > w.spent / PB_LEARNER_EXTRA_PART + w.most_extra;
        allow(&w, FRAME);
        world_set(&w, speed, FRAME, fallback);
        n_right[1] +=
            broadcasts(&w, N_BROADCASTS, root, bytes, NULL) <= 1.05 * best_of(&w, root, bytes);
        n_used += is_in_force(&w, root, bytes, PB_KIND_MULTICAST);
        allow(&w, 0);
        world_set(&w, speed, 0, fallback);
        n_right[2] +=
            broadcasts(&w, N_BROADCASTS, root, bytes, NULL) <= 1.05 * best_of(&w, root, bytes);
        n_left += is_in_force(&w, root, bytes, PB_KIND_MULTICAST);
        n_bad += w.n_bad;
        world_clear(&w);
    }
    ok(n_bad == 0, "all ranks plan alike, and each has its role");
    ok(n_right[0] >= n_worlds - n_worlds / 15 && sums < 1.2,
       "within 5 %% of the best in %d of %d, %.3f on average", n_right[0], n_worlds, sums);
    ok(n_trials > n_worlds && n_dear == 0, "after %d trials, which cost what they may", n_trials);
    ok(n_right[1] >= n_worlds - n_worlds / 10 && n_used > n_worlds / 4,
       "while multicast is allowed: in %d of %d, %d times by multicast", n_right[1], n_worlds,
       n_used);
    ok(n_right[2] >= n_worlds - n_worlds / 10 && n_left == 0, "then as without it: in %d of %d",
       n_right[2], n_worlds);
}

/**
 * Where links are as fast as was assumed, the first broadcasts have no trial, and none takes much
 * longer than later ones.
 */
static void test_first(void)
{
    pb_random_t random = pb_random_seed(13);
    int n_wrong = 0, n_slow = 0, n = 0;
    for (int i = 0; i < tap_trials(40, 20); i++) {
        const uint64_t bytes = UINT64_C(16384) << (i % 5);
        world_t w;
        world_init(&w, &random, i, &all, 0);
        world_set(&w, UINT64_C(1000000) * ASSUMED_MBIT, 0, 1);
        double first[10];
        for (int k = 0; k < 10; k++) {
            first[k] = broadcast(&w, 0, bytes);
        }
        n_wrong += w.n_ranks > 1 && w.n_trials > 0;
        const double last = broadcasts(&w, N_BROADCASTS, 0, bytes, NULL);
        for (int k = 0; k < 10 && w.n_ranks > 1; k++) {
            n_slow += first[k] > 1.1 * last;
            n++;
        }
        n_wrong += w.n_bad;
        world_clear(&w);
    }
    ok(n_wrong == 0, "there is no trial among the first broadcasts");
    ok(n_slow <= n / 5, "of these %d of %d take 1.1 times the settled ones", n_slow, n);
}

/** Roots and sizes at random, with kinds or segments that are set, bounds on connections, and
 * multicast now and then; forced it is used alone. */
static void test_mixes(void)
{
    static const pb_choose_options_t mixes[] = {
        {.kind = PB_CHOOSE_ALL, .plan.fanout = 3},
        {.kind = PB_KIND_BINARY, .plan.fanout = 3},
        {.kind = PB_CHOOSE_OWN, .plan.fanout = 3},
        {.kind = PB_CHOOSE_ALL, .segment = 2000, .plan.fanout = 3},
        {.kind = PB_KIND_MULTICAST, .plan.fanout = 3},
    };
    enum { N_MIXES = sizeof(mixes) / sizeof(mixes[0]) };
    pb_random_t random = pb_random_seed(12);
    int n_bad = 0, n_trials = 0, n_other = 0;
    for (int i = 0; i < tap_trials(60, 25); i++) {
        const pb_choose_options_t *choose = &mixes[i % N_MIXES];
        const bool is_bound = i % 3 == 0, copies = i % 2 == 0;
        world_t w;
        world_init(&w, &random, i, choose, is_bound ? 4 : 0);
        for (int k = 0; k < 120; k++) {
            if (copies && k % 15 == 0) {
                allow(&w, k % 30 == 0 ? 0 : k % 60 == 15 ? FRAME : 1000);
            }
            (void) broadcast(&w, pb_random_below(&random, w.n_ranks),
                             UINT64_C(1000) << pb_random_below(&random, 9));
            n_other += choose->kind == PB_KIND_MULTICAST && copies && k % 30 >= 15 && !is_bound &&
                       w.n_ranks > 1 && !w.was_multicast;
        }
        n_bad += w.n_bad;
        n_trials += w.n_trials;
        world_clear(&w);
    }
    ok(n_bad == 0 && n_trials > 40, "of random roots and sizes, too (%d trials)", n_trials);
    ok(n_other == 0, "where multicast alone is asked for it alone is used while it is allowed");
}

/** With a kind and a segment size that are set, it is as without learning. */
static void test_nothing_to_learn(void)
{
    static const pb_choose_options_t both = {
        .kind = PB_KIND_CHAIN, .segment = 3000, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(13);
    world_t w;
    world_init(&w, &random, 0, &both, 0);
    (void) broadcasts(&w, 2, 0, 100000, NULL);
    ok(w.since == 0 && !pb_planner_learns(w.planners[0]) && w.n_own == 2 && w.n_bad == 0,
       "nothing is learned where kind and segment size are set");
    world_clear(&w);
}

/** The fallback component is used in the end where it is faster than all trees, also with a late
 * root. It is not where a very late root hides its time. */
static void test_fallback(void)
{
    static const struct {
        double time, late; /**< over the best tree's time */
        bool is_used;
    } cases[] = {{0.2, 0, true}, {0.2, 2, false}, {0.92, 1. / 7, true}, {1.05, 1. / 7, false}};
    const pb_candidate_t fallback = {.kind = PB_KIND_FALLBACK};
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        pb_random_t random = pb_random_seed(19);
        int n_bad = 0, n_right = 0, n = 0;
        for (int i = 0; i < tap_trials(24, 12); i++) {
            world_t w;
            world_init(&w, &random, i, &all, 0);
            world_set(&w, UINT64_C(1000000) * ASSUMED_MBIT, 0, 1000);
            const double best = best_of(&w, 0, 4096);
            w.factor[PB_KIND_COUNT] *= cases[k].time * best / truth_of(&w, 0, 4096, &fallback);
            w.late = (int64_t) (cases[k].late * best);
            (void) broadcasts(&w, N_BROADCASTS, 0, 1024, NULL);
            w.opens = true;
            (void) broadcasts(&w, 4 * N_BROADCASTS, 0, 4096, NULL);
            n += w.n_ranks > 1;
            n_right +=
                w.n_ranks > 1 && is_in_force(&w, 0, 4096, PB_KIND_FALLBACK) == cases[k].is_used;
            n_bad += w.n_bad;
            world_clear(&w);
        }
        ok(n_bad == 0 && n_right >= n - n / 5,
           "it takes %.2f of the best tree's time, the root is late by %.2f: used %d, %d of %d",
           cases[k].time, cases[k].late, cases[k].is_used, n_right, n);
    }
}

/** A candidate that gets slower is noticed, and left. */
static void test_drift(void)
{
    pb_random_t random = pb_random_seed(20);
    int n_bad = 0, n_left = 0, n_right = 0, n = 0;
    for (int i = 0; i < tap_trials(40, 20); i++) {
        world_t w;
        pb_planner_report_t before;
        world_init(&w, &random, i, &all, 0);
        (void) broadcasts(&w, 5 * N_BROADCASTS, 0, 65536, NULL);
        if (w.n_ranks > 2 && pb_planner_explain(w.planners[0], 0, 65536, &before) == PB_SUCCESS) {
            const int kind = before.best.kind;
            w.factor[kind == PB_KIND_FALLBACK ? PB_KIND_COUNT : kind] *= 3;
            w.has_schedule = true;
            const double last = broadcasts(&w, 5 * N_BROADCASTS, 0, 65536, NULL);
            n_left += !is_in_force(&w, 0, 65536, kind);
            n_right += last <= 1.05 * best_of(&w, 0, 65536);
            n++;
        }
        n_bad += w.n_bad;
        world_clear(&w);
    }
    ok(n_bad == 0 && n > 10 && n_left >= n - n / 10 && n_right >= n - n / 10,
       "what gets slower is left in %d of %d, for the best in %d", n_left, n, n_right);
}

/** An allocation of one rank fails: it gives back what it keeps, and plans what the others plan. */
static void test_no_memory(void)
{
    int n_bad = 0, n_trials = 0;
    for (long nth = 0; nth < 60; nth++) {
        pb_random_t random = pb_random_seed(14);
        world_t w;
        world_init(&w, &random, 3, &all, 0);
        for (int k = 0; k < 24; k++) {
            if (k == 7) {
                allow(&w, FRAME);
            }
            w.fail_after = k % 3 == 2 ? nth : -1;
            (void) broadcast(&w, 0, 65536);
        }
        n_bad += w.n_bad;
        n_trials += w.n_trials;
        world_clear(&w);
    }
    ok(n_bad == 0 && n_trials > 0, "an allocation that fails on one rank changes nothing");
}

static int most_neighbours(const world_t *w)
{
    int most = 0;
    for (int rank = 0; rank < w->n_ranks; rank++) {
        const int n = __builtin_popcountll(w->neighbours[rank]);
        most = n > most ? n : most;
    }
    return most;
}

/** A rank without room drops roles that others keep, and still tries what they try. A bound on
 * connections holds for sweeps of the fallback component's broadcasts, too. */
static void test_less_room(void)
{
    pb_random_t random = pb_random_seed(15);
    int n_bad = 0, n_trials = 0, n_over = 0;
    for (int i = 0; i < 80; i++) {
        const int connections = i % 2 == 0 ? 0 : 4 + pb_random_below(&random, 16);
        world_t w;
        do {
            world_init_with(&w, &random, i / 2, &all, connections, 0);
        } while (w.n_ranks < 2 && (world_clear(&w), true));
        if (connections > 0) { /* the fallback component serves short ones, and all are swept */
            world_set(&w, w.truth.speed, 0, 0.3);
            w.has_schedule = true;
        }
        for (int k = 0; k < 3 * N_BROADCASTS; k++) {
            w.late = pb_random_below(&random, 1000000);
            (void) broadcast(&w, pb_random_below(&random, 8) % w.n_ranks,
                             UINT64_C(4096) << (4 * pb_random_below(&random, 3)));
        }
        n_bad += w.n_bad;
        n_trials += w.n_trials;
        n_over += connections > 0 && most_neighbours(&w) > connections;
        world_clear(&w);
    }
    ok(n_bad == 0 && n_trials > 0, "less room on one rank changes nothing: %d of %d", n_bad,
       n_trials);
    ok(n_over == 0, "no rank has more neighbours than it may");
}

/**
 * 64 KB on topology (5) at 25 Gbit/s. A trial of the fallback component leaves no time for another
 * one for 70 broadcasts, so that the other segment size is tried before it.
 */
static void test_order(void)
{
    enum { BYTES = 65536, N = 3 };
    static const pb_candidate_t candidates[N] = {
        {.kind = PB_KIND_TWOTREE, .segment = 8192, .time = 320000},
        {.kind = PB_KIND_TWOTREE, .segment = 16384, .time = 344000},
        {.kind = PB_KIND_FALLBACK, .time = 453000}};
    static const int64_t truth[N] = {186000, 175000, 853000};
    pb_learner_t learner;
    pb_candidate_t best = candidates[0];
    int n_fallback = 0;
    pb_learner_init(&learner, false);
    const int slot = pb_learner_take(&learner, BYTES);
    for (int n = 0; n < N_BROADCASTS; n++) {
        pb_learner_count(&learner, slot);
        if (pb_learner_wants(&learner, slot)) {
            const int tried = pb_learner_next(&learner, slot, candidates, N);
            const int used = tried >= 0 ? tried : best.segment == candidates[1].segment;
            const pb_learner_trial_t trial = {.slot = slot,
                                              .size_class = pb_size_class(BYTES),
                                              .candidate = candidates[used],
                                              .is_trial = tried >= 0};
            int64_t time;
            (void) pb_learner_note(&learner, &trial, truth[used], 0, &time);
            must(pb_learner_in_force(&learner, BYTES, &best));
            n_fallback += candidates[used].kind == PB_KIND_FALLBACK;
        }
    }
    ok(best.segment == candidates[1].segment && n_fallback == 1,
       "a segment size that should be faster is tried before the fallback component");
}

/** The least note says how fast links are; none does of short messages or of lost frames. */
static void test_speed(void)
{
    static const uint64_t sizes[] = {1 << 20, 8, 1 << 21};
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_CHAIN, PB_KIND_MULTICAST};
    static const pb_outcome_t wanted[] = {PB_OUTCOME_SPEED, PB_OUTCOME_STAYS, PB_OUTCOME_STAYS};
    pb_learner_t learner;
    pb_learner_init(&learner, true);
    for (int i = 0; i < 3; i++) {
        int64_t time;
        const pb_learner_trial_t trial = {.slot = pb_learner_take(&learner, sizes[i]),
                                          .size_class = pb_size_class(sizes[i]),
                                          .candidate = {.kind = (int) kinds[i], .time = 1000}};
        pb_learner_count(&learner, trial.slot);
        const pb_outcome_t first = pb_learner_note(&learner, &trial, 1700, 0, &time);
        ok(first != PB_OUTCOME_SPEED &&
               pb_learner_note(&learner, &trial, 15000, 0, &time) == wanted[i] &&
               (i > 0 || time == 1700),
           "the speed of links, by %llu bytes", (unsigned long long) sizes[i]);
    }
}

/** More classes in turn than there are slots: some are known. A program that goes on with another
 * one is learned of, too. */
static void test_more_classes(void)
{
    pb_learner_t learner;
    int n_known = 0;
    pb_learner_init(&learner, true);
    for (int i = 0; i < 20 * 40 + 2 * PB_LEARNER_STALE; i++) {
        const uint64_t bytes = UINT64_C(1000) << (i < 20 * 40 ? i % 20 : 20);
        pb_learner_count(&learner, pb_learner_take(&learner, bytes));
        (void) pb_learner_take(&learner, bytes); /* of a swept one again, and after an error */
    }
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        n_known += learner.classes[i].n >= 40;
    }
    ok(learner.clock == 20 * 40 + 2 * PB_LEARNER_STALE, "each broadcast is counted once");
    ok(n_known == PB_LEARNER_CLASSES && pb_learner_take(&learner, UINT64_C(1000) << 20) >= 0,
       "%d classes of 20 are known, and the one that came behind them", n_known);
}

/** Each of 128 roots may have a first broadcast that opens connections, and later ones. */
static void test_used(void)
{
    static pb_planner_t planner;
    int n_first = 0, n_later = 0;
    for (int i = 0; i < 256; i++) {
        const uint64_t key = pb_planner_key(i % 128, PB_KIND_CHAIN);
        *(i < 128 ? &n_first : &n_later) += !pb_planner_is_used(&planner, key);
        pb_planner_note_used(&planner, key);
    }
    ok(n_first > 120 && n_later == 0, "of 128 roots %d are first ones, then %d", n_first, n_later);
}

/** Smaller segments than one that was slower than predicted are not tried. */
static void test_nearest(void)
{
    static const pb_candidate_t candidates[] = {
        {.kind = PB_KIND_TWOTREE, .time = 100},
        {.kind = PB_KIND_TWOTREE, .segment = 1024, .time = 100},
        {.kind = PB_KIND_TWOTREE, .segment = 512, .time = 100}};
    static pb_learner_t learner;
    pb_learner_init(&learner, true);
    pb_learner_class_t *class = &learner.classes[0];
    class->size_class = 8192;
    class->n = 1000;
    class->n_entries = 2;
    for (int i = 0; i < 2; i++) {
        class->entries[i] = (pb_learner_entry_t){.kind = PB_KIND_TWOTREE,
                                                 .segment = candidates[i].segment,
                                                 .notes = {100 + 20 * i},
                                                 .n_notes = 1};
    }
    ok(pb_learner_next(&learner, 0, candidates, 3) == -1,
       "1024 bytes were slow: 512 are not tried");
    class->n_entries = 1;
    ok(pb_learner_next(&learner, 0, candidates, 3) >= 0, "before they were measured one is tried");
}

int main(void)
{
    test_worlds();
    test_order();
    test_speed();
    test_more_classes();
    test_used();
    test_first();
    test_mixes();
    test_nothing_to_learn();
    test_fallback();
    test_nearest();
    test_drift();
    test_no_memory();
    test_less_room();
    return tap_done();
}
