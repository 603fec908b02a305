/*
 * Learning by planners of all ranks of random networks, whose links give a fraction of what was
 * assumed and whose kinds of trees take longer than predicted: all ranks plan alike, the role of
 * each is that of the plan, and what is used becomes the best.
 */
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/model/kept.h"
#include "topo/model/planner.h"

enum { MOST_RANKS = 64, N_BROADCASTS = 40, ASSUMED_MBIT = 10000 };

static const tree_case_size_t small = {.max_switches = 4, .max_hosts = 16, .max_per_host = 1};

/** A communicator, and what its network is in truth. */
typedef struct world {
    tree_case_t c;
    pb_model_t assumed, truth;
    pb_chooser_t *chooser; /**< by the truth */
    double factor[PB_KIND_COUNT + 1];
    pb_planner_t *planners[MOST_RANKS];
    int n_ranks;
    int since;           /**< broadcasts since a watched one; 0: none is open */
    int due_after;       /**< so many, what it took is noted */
    int64_t longest;     /**< of that */
    int n_bad;           /**< broadcasts in which ranks were not alike, or a role was wrong */
    int n_own, n_trials; /**< of ours, and tried */
    bool was_multicast;  /**< the last one */
    long fail_after;     /**< so many allocations of rank 1 one fails; -1: none does */
} world_t;

static void world_init(world_t *w, pb_random_t *random, int i, const pb_choose_options_t *choose,
                       int connections)
{
    memset(w, 0, sizeof(*w));
    w->fail_after = -1;
    tree_case_init(&w->c, random, (pb_shape_t) (i % PB_SHAPE_COUNT), small);
    w->n_ranks = w->c.placement->n_ranks < MOST_RANKS ? w->c.placement->n_ranks : MOST_RANKS;
    pb_model_assume(UINT64_C(1000000) * ASSUMED_MBIT, 1500, &w->assumed);
    pb_model_assume(UINT64_C(2000000) << pb_random_below(random, 4), 1500, &w->truth);
    w->truth.measured = true;
    const pb_choose_options_t all = {
        .kind = choose->kind, .segment = choose->segment, .plan.fanout = 3};
    w->chooser = pb_chooser_new(w->c.placement, &w->truth, &all);
    for (int k = 0; k <= PB_KIND_COUNT; k++) {
        w->factor[k] = 1 + pb_random_below(random, 200) / 1000.0;
    }
    for (int rank = 0; rank < w->n_ranks; rank++) {
        const pb_planner_options_t options = {
            .rank = rank, .choose = *choose, .memory = 1 << 20, .connections = connections};
        w->planners[rank] = pb_planner_new();
        if (w->chooser == NULL || w->planners[rank] == NULL ||
            pb_planner_reserve(w->planners[rank], w->c.placement->n_ranks) != PB_SUCCESS ||
            pb_planner_reserve_learning(w->planners[rank]) != PB_SUCCESS) {
            abort();
        }
        pb_planner_begin(w->planners[rank], w->c.placement, &w->assumed, &options);
    }
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
    if (pb_choose_explain(w->chooser, root, bytes, look, &best) != PB_SUCCESS) {
        abort();
    }
    return best.time;
}

/** Whether a role has a child for each edge to a parent, and each rank but the root has parents. */
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

static bool are_alike(const pb_planned_t *planned, int n_ranks)
{
    for (int rank = 1; rank < n_ranks; rank++) {
        if (planned[rank].fallback != planned[0].fallback ||
            planned[rank].kind != planned[0].kind ||
            planned[rank].is_trial != planned[0].is_trial ||
            planned[rank].segment_size != planned[0].segment_size) {
            return false;
        }
    }
    return true;
}

/** One on all ranks, watched if the learner asks for it; its time without openings. */
static double broadcast(world_t *w, int root, uint64_t bytes)
{
    pb_planned_t planned[MOST_RANKS];
    if (w->since > 0 && w->since >= w->due_after) {
        for (int rank = 0; rank < w->n_ranks; rank++) {
            (void) pb_planner_note(w->planners[rank], w->longest, 0);
        }
        w->since = 0;
    }
    const bool is_watched = w->since == 0 && pb_planner_is_eager(w->planners[0], bytes);
    for (int rank = 0; rank < w->n_ranks; rank++) {
        failing_memory_after(rank == 1 ? w->fail_after : -1);
        w->n_bad += pb_planner_plan_learnt(w->planners[rank], root, bytes, is_watched,
                                           &planned[rank]) != PB_SUCCESS;
    }
    failing_memory_after(-1);
    if (is_watched) {
        w->due_after = pb_planner_knows_links(w->planners[0]) ? 2 : 1;
    }
    w->n_bad += !are_alike(planned, w->n_ranks);
    w->n_bad += (is_watched || !planned[0].fallback) && !is_tree(planned, w->n_ranks, root);
    w->n_own += !planned[0].fallback;
    w->n_trials += planned[0].is_trial;
    w->was_multicast = !planned[0].fallback && planned[0].kind == PB_KIND_MULTICAST;
    const pb_candidate_t candidate = {
        .kind = planned[0].fallback ? PB_KIND_FALLBACK : (int) planned[0].kind,
        .segment = planned[0].segment_size < bytes ? planned[0].segment_size : 0};
    const double time = truth_of(w, root, bytes, &candidate);
    w->since += is_watched || w->since > 0;
    w->longest = is_watched ? (int64_t) time : w->longest;
    return time;
}

static void test_worlds(void)
{
    static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(11);
    int n_bad = 0, n_right = 0, n_trials = 0;
    double sums = 0;
    const int n_worlds = tap_trials(60, 24);
    for (int i = 0; i < n_worlds; i++) {
        world_t w;
        world_init(&w, &random, i, &all, 0);
        if (w.n_ranks < 2) {
            n_right++;
            world_clear(&w);
            continue;
        }
        const int root = pb_random_below(&random, w.n_ranks);
        const uint64_t bytes = UINT64_C(4096) << (i % 9);
        const double best = best_of(&w, root, bytes);
        double last = 0, sum = 0;
        for (int k = 0; k < N_BROADCASTS; k++) {
            last = broadcast(&w, root, bytes);
            sum += last;
        }
        n_right += last <= 1.05 * best;
        sums += sum / N_BROADCASTS / best / n_worlds;
        n_bad += w.n_bad;
        n_trials += w.n_trials;
        world_clear(&w);
    }
    ok(n_bad == 0, "all ranks plan alike, and each has its role");
    ok(n_right >= n_worlds - n_worlds / 15 && sums < 1.2,
       "within 5 %% of the best in %d of %d, %.3f on average", n_right, n_worlds, sums);
    ok(n_trials > n_worlds, "after %d trials", n_trials);
}

/** The first broadcast is done by the choice, watched or not; the second one is faster. */
static void test_first(void)
{
    static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(13);
    int n_wrong = 0, n = 0;
    double first = 0, second = 0;
    for (int i = 0; i < tap_trials(40, 20); i++) {
        const uint64_t bytes = UINT64_C(16384) << (i % 5);
        pb_planned_t planned = {0};
        pb_choice_t choice;
        world_t w;
        world_init(&w, &random, i, &all, 0);
        pb_chooser_t *chooser = pb_chooser_new(w.c.placement, &w.assumed, &all);
        if (w.n_ranks > 1 && pb_choose(chooser, 0, bytes, &choice) == PB_SUCCESS) {
            n_wrong += pb_planner_plan_learnt(w.planners[0], 0, bytes, false, &planned) != 0 ||
                       (int) planned.kind != choice.best.kind;
            n_wrong +=
                pb_planner_plan_learnt(w.planners[0], 0, bytes, true, &planned) != 0 ||
                (int) planned.kind != choice.best.kind ||
                planned.segment_size != (choice.best.segment != 0 ? choice.best.segment : bytes);
            first += broadcast(&w, 0, bytes) / best_of(&w, 0, bytes);
            second += broadcast(&w, 0, bytes) / best_of(&w, 0, bytes);
            n++;
        }
        pb_chooser_free(chooser);
        world_clear(&w);
    }
    ok(n_wrong == 0, "a first broadcast is done by the choice");
    ok(second < 1.1 * n && second < first, "the second one takes %.2f times the best, not %.2f",
       second / n, first / n);
}

/** Roots and sizes at random, with kinds or segments that are set, and bounds on connections. */
static void test_mixes(void)
{
    pb_random_t random = pb_random_seed(12);
    int n_bad = 0, n_trials = 0;
    for (int i = 0; i < tap_trials(40, 16); i++) {
        const pb_choose_options_t choose = {.kind = i % 4 == 1   ? (int) PB_KIND_BINARY
                                                    : i % 8 == 2 ? PB_CHOOSE_OWN
                                                                 : PB_CHOOSE_ALL,
                                            .segment = i % 4 == 3 ? 2000 : 0,
                                            .plan.fanout = 3};
        world_t w;
        world_init(&w, &random, i, &choose, i % 3 == 0 ? 4 : 0);
        for (int k = 0; k < 100; k++) {
            (void) broadcast(&w, pb_random_below(&random, w.n_ranks),
                             UINT64_C(1000) << pb_random_below(&random, 9));
        }
        n_bad += w.n_bad;
        n_trials += w.n_trials;
        world_clear(&w);
    }
    ok(n_bad == 0 && n_trials > 40, "of random roots and sizes, too (%d trials)", n_trials);
}

enum { FRAME = 1448 };

static void allow(world_t *w, uint32_t frame)
{
    for (int rank = 0; rank < w->n_ranks; rank++) {
        pb_planner_allow_multicast(w->planners[rank], frame);
    }
    pb_chooser_set_frame(w->chooser, frame);
}

static bool is_in_force(const world_t *w, uint64_t bytes, int kind)
{
    pb_candidate_t in_force;
    return pb_learner_in_force(pb_planner_learner(w->planners[0]), bytes, &in_force) &&
           in_force.kind == kind;
}

/** Multicast is allowed after a while, and then no more: all ranks plan alike, and what is best. */
static void test_multicast(void)
{
    static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(16);
    int n_bad = 0, n_with = 0, n_without = 0, n_used = 0, n_left = 0;
    const int n_worlds = tap_trials(40, 20);
    for (int i = 0; i < n_worlds; i++) {
        world_t w;
        world_init(&w, &random, i, &all, 0);
        const int root = pb_random_below(&random, w.n_ranks);
        const uint64_t bytes = UINT64_C(4096) << (i % 9);
        double last = 0;
        w.factor[PB_KIND_MULTICAST] = i % 2 == 0 ? 1.05 : 4;
        for (int k = 0; k < N_BROADCASTS; k++) {
            (void) broadcast(&w, root, bytes);
        }
        allow(&w, FRAME);
        for (int k = 0; k < N_BROADCASTS; k++) {
            last = broadcast(&w, root, bytes);
        }
        n_with += last <= 1.05 * best_of(&w, root, bytes);
        n_used += is_in_force(&w, bytes, PB_KIND_MULTICAST);
        allow(&w, 0);
        for (int k = 0; k < N_BROADCASTS; k++) {
            last = broadcast(&w, root, bytes);
            n_left += is_in_force(&w, bytes, PB_KIND_MULTICAST);
        }
        n_without += last <= 1.05 * best_of(&w, root, bytes);
        n_bad += w.n_bad;
        world_clear(&w);
    }
    ok(n_bad == 0, "multicast comes and goes: all ranks plan alike, and each has its role");
    ok(n_with >= n_worlds - n_worlds / 10 && n_used > n_worlds / 4,
       "while it is allowed: within 5 %% of the best in %d of %d, %d times by multicast", n_with,
       n_worlds, n_used);
    ok(n_without >= n_worlds - n_worlds / 10 && n_left == 0, "then as without it: in %d of %d",
       n_without, n_worlds);
}

/** Roots and sizes at random, with bounds on connections; forced it is used alone. */
static void test_multicast_mixes(void)
{
    pb_random_t random = pb_random_seed(17);
    int n_bad = 0, n_other = 0;
    for (int i = 0; i < tap_trials(30, 12); i++) {
        const bool is_forced = i % 3 == 1;
        const pb_choose_options_t choose = {.kind = is_forced    ? (int) PB_KIND_MULTICAST
                                                    : i % 3 == 2 ? PB_CHOOSE_OWN
                                                                 : PB_CHOOSE_ALL,
                                            .plan.fanout = 3};
        world_t w;
        world_init(&w, &random, i, &choose, i % 4 == 0 ? 4 : 0);
        for (int k = 0; k < 120; k++) {
            const uint64_t bytes = UINT64_C(1000) << pb_random_below(&random, 9);
            if (k % 15 == 0) {
                allow(&w, k % 30 == 0 ? 0 : k % 60 == 15 ? FRAME : 1000);
            }
            (void) broadcast(&w, pb_random_below(&random, w.n_ranks), bytes);
            n_other += is_forced && k % 30 >= 15 && i % 4 != 0 && w.n_ranks > 1 && !w.was_multicast;
        }
        n_bad += w.n_bad;
        world_clear(&w);
    }
    ok(n_bad == 0, "of random roots and sizes, too, and with bounds on connections");
    ok(n_other == 0, "where it alone is asked for it alone is used while it is allowed");
}

/** What a job kept, as a later one reads it; to be freed. */
static pb_kept_t write_and_read(const pb_learner_t *learner, int kind)
{
    const pb_kept_key_t key = {.n_hosts = 1, .n_ranks = 1, .kind = kind, .fanout = 3};
    pb_kept_t kept = {.n = 0};
    char *text = NULL;
    size_t length;
    pb_diag_t diag;
    pb_diag_init(&diag);
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL || pb_kept_put(&kept, &key, learner) != PB_SUCCESS ||
        pb_kept_write(&kept, stream) != PB_SUCCESS || fclose(stream) != 0) {
        abort();
    }
    pb_kept_clear(&kept);
    if (pb_kept_parse(text, length, "kept", &kept, &diag) != PB_SUCCESS) {
        abort();
    }
    free(text);
    return kept;
}

/** A later job begins with what an earlier one kept: on all ranks, and with nothing to try. */
static void test_kept(void)
{
    static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(15);
    int n_bad = 0, n_trials = 0, n_other = 0, n_right = 0;
    const int n_worlds = tap_trials(40, 20);
    for (int i = 0; i < n_worlds; i++) {
        world_t w;
        world_init(&w, &random, i, &all, 0);
        const int root = pb_random_below(&random, w.n_ranks);
        const uint64_t bytes = UINT64_C(4096) << (i % 9);
        const pb_planner_options_t options = {.choose = all, .memory = 1 << 20};
        double last = 0, next = 0;
        for (int k = 0; k < 60; k++) {
            last = broadcast(&w, root, bytes);
        }
        pb_kept_t kept = write_and_read(pb_planner_learner(w.planners[0]), PB_CHOOSE_ALL);
        for (int rank = 0; rank < w.n_ranks; rank++) {
            pb_planner_options_t own = options;
            own.rank = rank;
            pb_planner_begin(w.planners[rank], w.c.placement, &w.assumed, &own);
            pb_planner_begin_with(w.planners[rank], &kept.entries[0]->learner);
        }
        pb_kept_clear(&kept);
        w.n_trials = w.since = 0;
        const bool is_settled = !pb_planner_is_eager(w.planners[0], bytes);
        for (int k = 0; k < N_BROADCASTS; k++) {
            next = broadcast(&w, root, bytes);
            n_other += is_settled && next != last;
        }
        n_right += next <= 1.05 * best_of(&w, root, bytes);
        n_trials += is_settled ? w.n_trials : 0;
        n_bad += w.n_bad;
        world_clear(&w);
    }
    ok(n_bad == 0 && n_trials == 0 && n_other == 0,
       "what was kept is used on all ranks, from the first broadcast on, without a trial");
    ok(n_right >= n_worlds - n_worlds * 3 / 40, "and is within 5 %% of the best in %d of %d",
       n_right, n_worlds);
}

/** Whether something is known of multicast. */
static bool knows_multicast(const pb_learner_t *learner)
{
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        for (int e = 0; e < learner->classes[i].n_entries; e++) {
            if (learner->classes[i].entries[e].kind == PB_KIND_MULTICAST) {
                return true;
            }
        }
    }
    return false;
}

/** What was learnt of multicast is not kept: neither before it is allowed, nor after that. */
static void test_kept_multicast(void)
{
    pb_random_t random = pb_random_seed(18);
    int n_bad = 0, n_known = 0, n_left = 0, n_used = 0;
    const int n_worlds = tap_trials(20, 8);
    for (int i = 0; i < n_worlds; i++) {
        const pb_choose_options_t choose = {
            .kind = i % 4 == 3 ? (int) PB_KIND_MULTICAST : PB_CHOOSE_ALL, .plan.fanout = 3};
        world_t w;
        world_init(&w, &random, 2 * i, &choose, 0);
        const int root = pb_random_below(&random, w.n_ranks);
        const uint64_t bytes = UINT64_C(4096) << (i % 9);
        for (int k = 0; k < 2 * N_BROADCASTS; k++) {
            if (k == N_BROADCASTS) {
                allow(&w, FRAME);
            }
            (void) broadcast(&w, root, bytes);
        }
        n_known += knows_multicast(pb_planner_learner(w.planners[0]));
        pb_kept_t kept = write_and_read(pb_planner_learner(w.planners[0]), choose.kind);
        for (int rank = 0; rank < w.n_ranks; rank++) {
            const pb_planner_options_t own = {.rank = rank, .choose = choose, .memory = 1 << 20};
            pb_planner_begin(w.planners[rank], w.c.placement, &w.assumed, &own);
            if (i % 2 == 1) {
                pb_planner_allow_multicast(w.planners[rank], 1000);
            }
            pb_planner_begin_with(w.planners[rank], &kept.entries[0]->learner);
        }
        pb_kept_clear(&kept);
        n_left += knows_multicast(pb_planner_learner(w.planners[0]));
        w.since = 0;
        for (int k = 0; k < N_BROADCASTS; k++) {
            (void) broadcast(&w, root, bytes);
            n_bad += i % 2 == 0 && w.was_multicast;
        }
        allow(&w, FRAME);
        for (int k = 0; k < N_BROADCASTS; k++) {
            (void) broadcast(&w, root, bytes);
        }
        n_used += knows_multicast(pb_planner_learner(w.planners[0]));
        n_bad += w.n_bad;
        world_clear(&w);
    }
    ok(n_known > n_worlds / 2 && n_left == 0, "what was learnt of multicast is not kept");
    ok(n_bad == 0 && n_used > n_worlds / 2, "it is tried when it is allowed");
}

/** With a kind and a segment size that are set, it is as without learning. */
static void test_nothing_to_learn(void)
{
    static const pb_choose_options_t both = {
        .kind = PB_KIND_CHAIN, .segment = 3000, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(13);
    world_t w;
    world_init(&w, &random, 0, &both, 0);
    const bool is_eager = pb_planner_is_eager(w.planners[0], 100000);
    (void) broadcast(&w, 0, 100000);
    ok(!is_eager && !pb_planner_learns(w.planners[0]) && w.n_own == 1 && w.n_bad == 0,
       "nothing is learnt where kind and segment size are set");
    world_clear(&w);
}

/** Truth: links of so many bits per second, and how much longer than predicted the fallback takes.
 */
static void world_set(world_t *w, uint64_t bits_per_second, double fallback)
{
    static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    pb_chooser_free(w->chooser);
    pb_model_assume(bits_per_second, 1500, &w->truth);
    w->truth.measured = true;
    w->chooser = pb_chooser_new(w->c.placement, &w->truth, &all);
    w->factor[PB_KIND_COUNT] = fallback;
    if (w->chooser == NULL) {
        abort();
    }
}

/** The threshold of the first rank; UINT64_MAX: others have another one. */
static uint64_t threshold_of(const world_t *w)
{
    const uint64_t first = pb_planner_threshold(w->planners[0]);
    for (int rank = 1; rank < w->n_ranks; rank++) {
        if (pb_planner_threshold(w->planners[rank]) != first) {
            return UINT64_MAX;
        }
    }
    return first;
}

/** One that passes if it is too short, on all ranks; whether it does. */
static bool passes_or_broadcast(world_t *w, uint64_t bytes)
{
    bool considers = false;
    for (int rank = 0; rank < w->n_ranks; rank++) {
        const bool own = pb_planner_considers_next(w->planners[rank], bytes);
        w->n_bad += rank > 0 && own != considers;
        considers = own;
    }
    if (considers) {
        (void) broadcast(w, 0, bytes);
    }
    return !considers;
}

/** What is settled on the fallback component passes, until that gets slower, or multicast comes. */
static void test_threshold_raised(void)
{
    static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(19);
    int n_bad = 0, n_wrong = 0, n_raised = 0, n_dropped = 0, n_fell = 0, n_passed = 0, n = 0;
    for (int i = 0; i < tap_trials(24, 12); i++) {
        world_t w;
        world_init(&w, &random, i, &all, 0);
        if (w.n_ranks < 2) {
            world_clear(&w);
            continue;
        }
        n++;
        world_set(&w, UINT64_C(1000000000), 0.2);
        for (int k = 0; k < N_BROADCASTS; k++) {
            (void) passes_or_broadcast(&w, 2048);
        }
        const bool is_raised = threshold_of(&w) == pb_size_class_end(2048) &&
                               !pb_planner_considers(w.planners[0], 1500) &&
                               pb_planner_may_consider(w.planners[0], 1500);
        n_raised += is_raised;
        n_wrong += is_raised != is_in_force(&w, 2048, PB_KIND_FALLBACK);
        allow(&w, FRAME);
        n_fell += threshold_of(&w) == 1024;
        for (int k = 0; k < N_BROADCASTS; k++) {
            n_passed += passes_or_broadcast(&w, 2048);
        }
        w.factor[PB_KIND_COUNT] = 20;
        for (int k = 0; k < 8 * 1024; k++) {
            (void) passes_or_broadcast(&w, 2048);
        }
        n_dropped += threshold_of(&w) == 1024;
        n_bad += w.n_bad;
        world_clear(&w);
    }
    ok(n_bad == 0 && n_wrong == 0 && n_raised > n / 3 && n_passed > n_raised * N_BROADCASTS / 2,
       "what is settled on the fallback component passes, on all ranks: in %d of %d", n_raised, n);
    ok(n_fell == n, "not when there is another candidate");
    ok(n_dropped == n, "nor when it has become slower, which a look finds");
}

/** Where links are slow, and ours are predicted to be faster, shorter ones are considered. */
static void test_threshold_lowered(void)
{
    static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(20);
    int n_bad = 0, n_lowered = 0, n_right = 0, n_fast = 0, n_multicast = 0, n = 0;
    for (int i = 0; i < tap_trials(60, 24); i++) {
        world_t w;
        world_init(&w, &random, i, &all, 0);
        if (w.n_ranks > 8) {
            const pb_candidate_t fallback = {.kind = PB_KIND_FALLBACK};
            const bool is_slow = n % 3 != 2;
            n++;
            world_set(&w, is_slow ? 2000000 : 1000000000, 1);
            for (int k = 0; k < N_BROADCASTS; k++) {
                (void) passes_or_broadcast(&w, 8192);
            }
            const uint64_t threshold = threshold_of(&w);
            n_lowered += threshold < 1024;
            n_right += threshold >= 1024 ||
                       best_of(&w, 0, threshold) < 0.95 * truth_of(&w, 0, threshold, &fallback);
            n_fast += !is_slow && threshold < 1024;
            n_bad += threshold == UINT64_MAX;
            allow(&w, FRAME);
            for (int k = 0; k < N_BROADCASTS; k++) {
                (void) passes_or_broadcast(&w, 8192);
            }
            n_multicast += is_slow && threshold_of(&w) == 1;
            n_bad += w.n_bad;
        }
        world_clear(&w);
    }
    ok(n_bad == 0 && n_lowered > 0 && n_right == n,
       "shorter ones are considered where ours are faster, on all ranks: in %d of %d", n_lowered,
       n);
    ok(n_fast == 0, "not where links are fast");
    ok(n_multicast > n / 2, "with multicast of any size, in %d", n_multicast);
}

/** Whoever names a size, or a kind, has it. */
static void test_threshold_named(void)
{
    static const pb_choose_options_t chain = {.kind = PB_KIND_CHAIN, .plan.fanout = 3};
    pb_random_t random = pb_random_seed(21);
    world_t w;
    world_init(&w, &random, 3, &chain, 0);
    world_set(&w, 2000000, 0.2);
    for (int k = 0; k < N_BROADCASTS; k++) {
        (void) broadcast(&w, 0, 2048);
    }
    ok(threshold_of(&w) == 1024, "a kind that was named has all that is considered");
    for (int rank = 0; rank < w.n_ranks; rank++) {
        const pb_planner_options_t own = {
            .rank = rank, .choose.kind = PB_CHOOSE_ALL, .memory = 1 << 20, .min_size = 3000};
        pb_planner_begin(w.planners[rank], w.c.placement, &w.assumed, &own);
    }
    w.since = 0;
    for (int k = 0; k < N_BROADCASTS; k++) {
        (void) passes_or_broadcast(&w, 8192);
    }
    ok(!pb_planner_may_consider(w.planners[0], 2999) && threshold_of(&w) >= 3000,
       "a size that was named is the least one");
    world_clear(&w);
}

/** An allocation of one rank fails: it gives back what it keeps, and plans what the others plan. */
static void test_no_memory(void)
{
    static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    int n_bad = 0, n_trials = 0;
    for (long nth = 0; nth < 60; nth++) {
        pb_random_t random = pb_random_seed(14);
        world_t w;
        world_init(&w, &random, 3, &all, 0);
        for (int k = 0; k < 14; k++) {
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

int main(void)
{
    test_worlds();
    test_first();
    test_mixes();
    test_multicast();
    test_multicast_mixes();
    test_kept();
    test_kept_multicast();
    test_nothing_to_learn();
    test_threshold_raised();
    test_threshold_lowered();
    test_threshold_named();
    test_no_memory();
    return tap_done();
}
