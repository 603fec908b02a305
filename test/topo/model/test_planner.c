/*
 * Planner: alike on all ranks, equal to choice and plan alone, with and without a bound on
 * connections and multicast. It keeps its bound on memory, and an allocation may fail.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/must.h"
#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"

enum { FRAME = 1448, MBIT = 1000000, LONG = 1 << 20 };

static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
static const pb_choose_options_t twotree = {.kind = PB_KIND_TWOTREE, .plan.fanout = 3};
static const pb_choose_options_t flat = {.kind = PB_KIND_FLAT, .plan.fanout = 3};
static const pb_choose_options_t multicast = {.kind = PB_KIND_MULTICAST, .plan.fanout = 3};
static const tree_case_size_t small = {.max_switches = 6, .max_hosts = 20, .max_per_host = 2};

static pb_planner_t *planner_of(const pb_placement_t *placement, const pb_model_t *model, int rank,
                                const pb_choose_options_t *choose, int connections)
{
    const pb_planner_options_t options = {
        .rank = rank, .choose = *choose, .memory = 1 << 20, .connections = connections};
    return planning_new(placement, model, &options, false);
}

/** Hosts on switches in a line, one rank on each, and links of this speed. */
static void bed(tree_case_t *c, pb_model_t *model, int n_switches, int per_switch,
                uint64_t bits_per_second)
{
    tree_case_line(c, n_switches, per_switch, 0, 0);
    pb_model_assume(bits_per_second, 1500, model);
}

static uint64_t any_speed(pb_random_t *random)
{
    return UINT64_C(10000000) << pb_random_below(random, 10);
}

static uint64_t any_bytes(pb_random_t *random)
{
    return 1 + (uint64_t) pb_random_below(random, 1 << (4 + pb_random_below(random, 20)));
}

static bool same_role(const pb_role_t *a, const pb_role_t *b)
{
    return a->n_streams == b->n_streams && a->n_parents == b->n_parents &&
           a->n_children == b->n_children &&
           memcmp(a->parent, b->parent, (size_t) a->n_parents * sizeof(int)) == 0 &&
           memcmp(a->child, b->child, (size_t) a->n_children * sizeof(int)) == 0 &&
           a->is_led == b->is_led;
}

static bool is_role_by(const pb_plan_options_t *options, const pb_role_t *role,
                       const pb_placement_t *placement, int root, const int *ranks, int n_ranks,
                       pb_kind_t kind, int rank)
{
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    must(pb_view_new(placement, root, ranks, n_ranks, &view) == PB_SUCCESS &&
         pb_plan_compute(view, kind, options, &plan) == PB_SUCCESS);
    pb_role_t *wanted = pb_role_new(plan, rank);
    const bool same = role != NULL && wanted != NULL && same_role(role, wanted);
    free(wanted);
    pb_plan_free(plan);
    pb_view_free(view);
    return same;
}

static bool is_role_of(const pb_role_t *role, const pb_placement_t *placement, int root,
                       const int *ranks, int n_ranks, pb_kind_t kind, int rank)
{
    return is_role_by(&all.plan, role, placement, root, ranks, n_ranks, kind, rank);
}

/** Tells whether the planners of all ranks plan as choice and plan are by themselves. */
static bool is_choice(tree_case_t *c, pb_random_t *random, void *context)
{
    const uint64_t bytes = any_bytes(random);
    pb_model_t model;
    pb_candidate_t choice;
    (void) context;
    pb_model_assume(any_speed(random), 1500, &model);
    model.measured = pb_random_below(random, 2) == 1;
    pb_chooser_t *chooser = pb_chooser_new(c->placement, &model, &all);
    bool good = pb_choose(chooser, c->root, bytes, &choice) == PB_SUCCESS;
    for (int rank = 0; rank < c->placement->n_ranks && good; rank++) {
        pb_planner_t *planner = planner_of(c->placement, &model, rank, &all, 0);
        const pb_planned_t first = planning_plan(planner, c->root, bytes);
        good = first.is_known && first.is_new &&
               first.fallback == (choice.kind == PB_KIND_FALLBACK) && first.segment_size >= 1 &&
               first.segment_size <= bytes;
        good = good && (first.fallback ? first.role == NULL
                                       : (int) first.kind == choice.kind && !first.was_cached &&
                                             is_role_of(first.role, c->placement, c->root, NULL, 0,
                                                        first.kind, rank));
        const pb_planned_t again = planning_plan(planner, c->root, bytes);
        good = good && planning_is_same(&first, &again) && !again.is_new &&
               again.was_cached == !again.fallback;
        pb_planner_free(planner);
    }
    pb_chooser_free(chooser);
    return good;
}

/* ---- the bound on memory ---- */

enum { N_RANKS = 300, BOUND = 32768 };

/** Bytes that the allocator may need in addition to what is counted. */
#define SLACK 150000

static long in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (long) (info.uordblks + info.hblkhd);
}

/** Asks for the roles of all roots and kinds; whether each was right and the bound held. */
static bool ask_for_all(pb_planner_t *planner)
{
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_BINARY, PB_KIND_TWOTREE};
    bool good = true;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (int root = 0; root < N_RANKS; root++) {
            pb_planned_t planned;
            good = good &&
                   pb_planner_role(planner, root, kinds[k], NULL, 0, &planned) == PB_SUCCESS &&
                   (planned.role->n_parents == 0) == (root == 0) &&
                   pb_planner_memory(planner) <= BOUND;
        }
    }
    return good;
}

static void test_bound(void)
{
    tree_case_t c;
    pb_model_t model;
    pb_planned_t planned = {.was_cached = true};
    bed(&c, &model, 1, N_RANKS, UINT64_C(1000) * MBIT);
    pb_planner_options_t options = {.choose = all, .memory = BOUND};
    pb_planner_t *planner = planning_new(c.placement, &model, &options, false);
    bool held = ask_for_all(planner);
    const long before = in_use();
    held = held && ask_for_all(planner) && ask_for_all(planner);
    ok(held, "thousands of roles, each for its root, within the bound");
    ok(in_use() - before <= SLACK, "%ld bytes more in use after 1,800 further plans",
       in_use() - before);
    int n_kept = 0;
    while (n_kept < N_RANKS && planned.was_cached &&
           pb_planner_role(planner, N_RANKS - 1 - n_kept, PB_KIND_TWOTREE, NULL, 0, &planned) ==
               PB_SUCCESS) {
        n_kept += planned.was_cached;
    }
    ok(n_kept > 10, "%d stay", n_kept);
    pb_planner_free(planner);

    options.memory = 0;
    planner = planning_new(c.placement, &model, &options, false);
    int n_bad = 0;
    for (int i = 0; i < 4; i++) {
        planned = planning_plan(planner, i / 2, LONG);
        n_bad += planned.was_cached != (i % 2 == 1) || pb_planner_memory(planner) > BOUND;
    }
    ok(n_bad == 0, "without room only the role that was used last is kept");
    pb_planner_free(planner);
    tree_case_clear(&c);
}

/** A segment as long as the message is the candidate that was chosen, not the whole message. */
static void test_segment_of_message(void)
{
    tree_case_t c;
    pb_model_t model;
    pb_lesson_t lesson;
    bed(&c, &model, 1, 2, UINT64_C(10000) * MBIT);
    pb_planner_t *planner =
        planning_new(c.placement, &model, &(pb_planner_options_t){.choose = flat}, true);
    pb_planned_t planned = planning_plan(planner, 0, PB_CHOOSE_ASSUMED_SEGMENT);
    must(pb_planner_plan_swept(planner, 0, PB_CHOOSE_ASSUMED_SEGMENT, &planned) == PB_SUCCESS);
    must(pb_planner_note(planner, 100000, 0, &lesson) == PB_SUCCESS);
    ok(lesson.in_force.segment == PB_CHOOSE_ASSUMED_SEGMENT,
       "a segment as long as the message stays one");
    failing_memory_from(0);
    ok(pb_planner_plan_swept(planner, 1, LONG, &planned) == PB_ERR_NO_MEMORY && !planned.is_known,
       "without memory it is not known what is tried");
    failing_memory_after(-1);
    pb_planner_free(planner);
    tree_case_clear(&c);
}

/** With little room a swept broadcast has its role, though others were used after it. */
static void test_swept_role(void)
{
    enum { N_SWEPT_RANKS = 24, N_STEPS = 300 };
    tree_case_t c;
    pb_model_t model;
    int n_bad = 0;
    bed(&c, &model, 1, N_SWEPT_RANKS, UINT64_C(1000) * MBIT);
    mallopt(M_PERTURB, 0xa5);
    for (size_t memory = 136000; memory <= 168000; memory += 32000) {
        const pb_planner_options_t options = {.rank = 1, .choose = all, .memory = memory};
        pb_random_t random = pb_random_seed(memory);
        pb_planner_t *planner = planning_new(c.placement, &model, &options, true);
        for (int i = 0; i < N_STEPS; i++) {
            const int root = pb_random_below(&random, N_SWEPT_RANKS);
            const uint64_t bytes = (uint64_t) LONG >> pb_random_below(&random, 4);
            pb_planned_t planned = planning_plan(planner, root, bytes);
            pb_lesson_t lesson;
            must(pb_planner_plan_swept(planner, root, bytes, &planned) == PB_SUCCESS);
            n_bad += !is_role_of(planned.role, c.placement, root, NULL, 0, planned.kind, 1);
            must(pb_planner_note(planner, 20000000, 0, &lesson) == PB_SUCCESS);
        }
        pb_planner_free(planner);
    }
    mallopt(M_PERTURB, 0);
    ok(n_bad == 0, "%d swept broadcasts have no role any more", n_bad);
    tree_case_clear(&c);
}

/* ---- groups ---- */

/** Where hosts have several ranks, a group's plan is by leaders. context: how many ranks are led.
 */
static bool is_led(tree_case_t *c, pb_random_t *random, void *context)
{
    static const pb_choose_options_t led = {.plan = {.fanout = 3, .leaders = true}};
    const int n_all = c->placement->n_ranks;
    int *ranks = must_zeroed((size_t) n_all, sizeof(*ranks)), n = 0;
    pb_model_t model;
    bool good = true;
    (void) random;
    pb_model_assume(UINT64_C(1000) * MBIT, 1500, &model);
    for (int rank = 0; rank < n_all; rank++) {
        if (c->members == NULL || c->members[rank]) {
            ranks[n++] = rank;
        }
    }
    for (int i = 0; i < n; i++) {
        pb_planned_t planned;
        pb_planner_t *planner = planner_of(c->placement, &model, ranks[i], &led, 0);
        must(pb_planner_role(planner, c->root, PB_KIND_TWOTREE, ranks, n, &planned) == PB_SUCCESS);
        good = good && is_role_by(&led.plan, planned.role, c->placement, c->root, ranks, n,
                                  PB_KIND_TWOTREE, ranks[i]);
        *(int *) context += planned.role->is_led;
        pb_planner_free(planner);
    }
    free(ranks);
    return good;
}

/** The root plans for a group, and a member has its role in what the root announces. */
static void test_groups(void)
{
    static const int ranks[] = {0, 2, 3, 5, 7, 8, 11};
    const int n = sizeof(ranks) / sizeof(ranks[0]);
    tree_case_t c;
    pb_model_t model;
    pb_planned_t planned, at_member;
    bed(&c, &model, 1, 12, UINT64_C(1000) * MBIT);
    pb_planner_t *root = planner_of(c.placement, &model, 3, &all, 0);
    pb_planner_t *member = planner_of(c.placement, &model, 7, &all, 0);
    pb_planner_group_t group = {.ranks = ranks, .n_ranks = n, .max_segment = 2000};
    const pb_planned_t for_all = planning_plan(root, 3, LONG);
    ok(pb_planner_plan_group(root, 3, LONG, &group, &planned) == PB_SUCCESS && !planned.fallback &&
           planned.segment_size <= 2000 && planned.kind == for_all.kind &&
           is_role_of(planned.role, c.placement, 3, ranks, n, planned.kind, 3),
       "a group's plan at its root");
    ok(pb_planner_plan_group(root, 3, 100, &group, &planned) == PB_SUCCESS && !planned.fallback &&
           planned.role != NULL,
       "also where the fallback component would serve all ranks");
    for (int i = 0; i < 3; i++) {
        ok(pb_planner_role(member, 3, PB_KIND_BINARY, ranks, n - i / 2, &at_member) == PB_SUCCESS &&
               at_member.was_cached == (i == 1) &&
               is_role_of(at_member.role, c.placement, 3, ranks, n - i / 2, PB_KIND_BINARY, 7),
           "the role of a member%s",
           i == 0   ? ""
           : i == 1 ? ", which is kept"
                    : ", not for another group");
    }
    group.ranks = NULL;
    group.max_segment = SIZE_MAX;
    ok(pb_planner_plan_group(root, 3, LONG, &group, &planned) == PB_SUCCESS &&
           planning_is_same(&planned, &for_all) && planned.was_cached,
       "a group of all ranks is planned as they are");
    group.ranks = ranks + 1; /* not the root of this one */
    group.n_ranks = n - 1;
    ok(pb_planner_plan_group(root, 0, LONG, &group, &planned) == PB_ERR_INPUT,
       "a group without its root is none");
    pb_planner_free(root);
    pb_planner_free(member);
    tree_case_clear(&c);

    bed(&c, &model, 1, 300, UINT64_C(1000) * MBIT);
    int many[200];
    for (int i = 0; i < 200; i++) {
        many[i] = i;
    }
    root = planner_of(c.placement, &model, 0, &twotree, 0);
    group = (pb_planner_group_t){.ranks = many, .n_ranks = 200, .max_segment = 2000};
    ok(pb_planner_plan_group(root, 0, LONG, &group, &planned) == PB_SUCCESS &&
           planned.kind == PB_KIND_BINARY,
       "a large group has a tree that is computed faster than two trees");
    pb_planner_free(root);
    tree_case_clear(&c);
}

/* ---- the fallback component ---- */

static void test_fallback(void)
{
    tree_case_t c;
    pb_model_t model;
    pb_planned_t planned;
    pb_planner_report_t report;
    bed(&c, &model, 1, 2, UINT64_C(100) * MBIT);
    model.measured = true;
    pb_planner_t *planner = planner_of(c.placement, &model, 1, &all, 0);
    planned = planning_plan(planner, 0, 64);
    ok(planned.fallback && planned.role == NULL && pb_planner_may_pass(planner, 64),
       "a short message goes to the fallback component");
    ok(pb_planner_explain(planner, 0, 64, &report) == PB_SUCCESS &&
           report.best.kind == PB_KIND_FALLBACK && report.best_time >= 0,
       "which can be explained");
    ok(!planning_plan(planner, 0, 65).is_new && planning_plan(planner, 0, 512).is_new &&
           !planning_plan(planner, 0, 800).is_new && planning_plan(planner, 1, 800).is_new,
       "each root's class of sizes is new once");
    pb_planner_free(planner);
    tree_case_clear(&c);
}

/* ---- the bound on connections ---- */

/** Tells whether the last of `n` plans has a tree that repeats, or that an earlier one had. */
static bool adds_no_tree(const pb_planned_t *plans, const int *roots, int n)
{
    const pb_planned_t *last = &plans[n - 1];
    bool is_had = last->fallback || pb_kind_row(last->kind)->repeats != PB_REPEATS_NOT;
    for (int i = 0; i < n - 1 && !is_had; i++) {
        is_had = !plans[i].fallback && plans[i].kind == last->kind && roots[i] == roots[n - 1];
    }
    return is_had;
}

/**
 * Random broadcasts, now and then with multicast: all ranks plan alike. Where multicast is not
 * used, another order gives the same, within the bound.
 */
static bool plans_alike(tree_case_t *c, pb_random_t *random, void *context)
{
    enum { N = 16 };
    int *n_seen = context, roots[N], n_begun = 0;
    uint64_t bytes[N];
    pb_planned_t first[N], again;
    pb_model_t model;
    pb_planner_options_t options = {.choose = all};
    const int n = c->placement->n_ranks, what = pb_random_below(random, 4);
    const bool copies = what == 0, is_bound = what != 1;
    pb_model_assume(any_speed(random), 1500, &model);
    model.measured = pb_random_below(random, 2) == 1;
    options.choose.kind = what == 2 ? pb_random_below(random, PB_KIND_COUNT) : PB_CHOOSE_ALL;
    options.connections = is_bound ? 2 + pb_random_below(random, n > 10 ? 10 : n) : 0;
    planning_ranks_t ranks = planning_ranks_new(c->placement, &model, &options);
    bool good = true;
    for (int i = 0; i < N && good; i++) {
        for (int rank = 0; copies && i % 2 == 1 && rank < n; rank++) {
            pb_planner_allow_multicast(ranks.planners[rank], i % 4 == 1 ? FRAME : 0);
        }
        roots[i] = pb_random_below(random, n);
        bytes[i] = any_bytes(random);
        good = planning_ranks_plan(&ranks, roots[i], bytes[i], &first[i]);
        n_begun += first[i].begins_to_repeat;
        good = good && (copies || n_begun == 0 || adds_no_tree(first, roots, i + 1));
        n_seen[0] += first[i].begins_to_repeat;
        n_seen[1] += planning_is_multicast(&first[i]);
    }
    for (int i = 0; i < N && good && !copies; i++) {
        const int k = i * 7 % N;
        good = planning_ranks_plan(&ranks, roots[k], bytes[k], &again) && !again.begins_to_repeat;
        again.begins_to_repeat = first[k].begins_to_repeat;
        good = good && planning_is_same(&again, &first[k]);
    }
    good = good && n_begun <= 1 &&
           (!is_bound || copies || tree_case_most_marked(ranks.are, n) <= options.connections ||
            options.connections >= n - 1);
    planning_ranks_clear(&ranks);
    return good;
}

/** The kinds that 24 connections among 64 ranks leave, root after root. */
static void test_sequence(void)
{
    tree_case_t c;
    pb_model_t model;
    pb_planner_report_t report;
    bed(&c, &model, 1, 64, UINT64_C(1000) * MBIT);
    pb_planner_t *planner = planner_of(c.placement, &model, 9, &twotree, 24);
    bool good = true;
    for (int root = 0; root < 3; root++) {
        const pb_planned_t planned = planning_plan(planner, root, LONG);
        good = good && planned.kind == PB_KIND_TWOTREE && !planned.begins_to_repeat;
    }
    ok(good && !pb_planner_has_room(planner, 1), "a forced kind is used for three roots");
    pb_planned_t planned = planning_plan(planner, 3, LONG);
    ok(!planned.fallback && planned.kind == PB_KIND_CHAIN && planned.begins_to_repeat &&
           planned.role != NULL,
       "for the fourth it yields to a chain");
    planned = planning_plan(planner, 4, 1024);
    ok(!planned.fallback && planned.kind == PB_KIND_BINOMIAL && !planned.begins_to_repeat,
       "and a short message takes a binomial tree");
    planned = planning_plan(planner, 1, LONG);
    ok(planned.kind == PB_KIND_TWOTREE && planned.was_cached,
       "the first three roots keep their trees");
    pb_planner_free(planner);
    planner = planner_of(c.placement, &model, 9, &flat, 24);
    planned = planning_plan(planner, 0, LONG);
    ok(planned.kind == PB_KIND_CHAIN && planned.begins_to_repeat,
       "a tree that needs all connections never has them");
    pb_planner_free(planner);
    planner = planner_of(c.placement, &model, 9, &flat, 4);
    planned = planning_plan(planner, 0, 8);
    ok(planned.kind == PB_KIND_CHAIN && planned.role != NULL &&
           pb_planner_explain(planner, 0, 8, &report) == PB_SUCCESS && report.best_time > 0 &&
           report.best.time > 0,
       "where the chain alone repeats, short messages go down it, too");
    pb_planner_free(planner);
    planner = planner_of(c.placement, &model, 9, &flat, 63);
    planned = planning_plan(planner, 0, LONG);
    ok(planned.kind == PB_KIND_FLAT && pb_planner_has_room(planner, 1000),
       "where all are allowed there is no bound");
    pb_planner_free(planner);
    planner = planner_of(c.placement, &model, 9, &multicast, 20);
    pb_planner_allow_multicast(planner, FRAME);
    int n = 0;
    while (n < 8 && planning_is_multicast((planned = planning_plan(planner, n, LONG), &planned))) {
        n++;
    }
    ok(n > 0 && n < 8 && planned.begins_to_repeat && !planned.fallback,
       "a bound has trees of repairs for %d roots, then one whose neighbours repeat", n);
    planned = planning_plan(planner, 0, LONG);
    ok(planning_is_multicast(&planned), "the first root keeps it");
    pb_planner_free(planner);
    tree_case_clear(&c);
}

/** Connections that are left for trees that the planner does not make: within the bound, never
 * beyond it. */
static void test_room(void)
{
    static const struct {
        int n_ranks, connections, room; /**< -1: there is no bound */
    } cases[] = {
        {64, 0, -1}, {64, 63, -1}, {64, 62, 50}, {64, 24, 12}, {64, 12, 0}, {64, 11, 9},
        {64, 2, 0},  {33, 12, 0},  {5, 3, 1},    {4, 2, 0},    {3, 2, -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tree_case_t c;
        pb_model_t model;
        bed(&c, &model, 1, cases[i].n_ranks, UINT64_C(1000) * MBIT);
        pb_planner_t *planner = planner_of(c.placement, &model, 0, &all, cases[i].connections);
        const int room = cases[i].room < 0 ? 1000 : cases[i].room, part = (room + 1) / 2;
        const bool is_bound = cases[i].room >= 0;
        bool good = pb_planner_has_room(planner, room) &&
                    pb_planner_has_room(planner, room + 1) == !is_bound;
        pb_planner_charge_tree(planner, part);
        good = good && pb_planner_has_room(planner, room - part) &&
               pb_planner_has_room(planner, room - part + 1) == !is_bound;
        pb_planner_charge_tree(planner, 1000);
        good =
            good && pb_planner_has_room(planner, 0) && pb_planner_has_room(planner, 1) != is_bound;
        ok(good, "%d ranks and %d connections", cases[i].n_ranks, cases[i].connections);
        pb_planner_free(planner);
        tree_case_clear(&c);
    }
}

/* ---- multicast ---- */

static void test_allowed(void)
{
    tree_case_t c;
    pb_model_t model;
    pb_planner_report_t report;
    bed(&c, &model, 4, 8, UINT64_C(100) * MBIT);
    pb_planner_t *planner = planner_of(c.placement, &model, 9, &all, 0);
    const pb_planned_t before = planning_plan(planner, 3, 1 << 16);
    ok(!planning_is_multicast(&before), "not allowed, multicast is not chosen");
    pb_planner_allow_multicast(planner, FRAME);
    pb_planned_t planned = planning_plan(planner, 3, 1 << 16);
    ok(planning_is_multicast(&planned) && planned.segment_size == FRAME &&
           is_role_of(planned.role, c.placement, 3, NULL, 0, PB_KIND_MULTICAST, 9),
       "allowed, it is, frame by frame, and the role is in the tree of repairs");
    planned = planning_plan(planner, 3, 600);
    ok(planning_is_multicast(&planned) && planned.segment_size == 600,
       "a frame is cut to the message");
    ok(pb_planner_explain(planner, 3, 1 << 16, &report) == PB_SUCCESS &&
           report.best.kind == PB_KIND_MULTICAST && report.best_time > 0,
       "which can be explained");
    pb_planner_allow_multicast(planner, 1000);
    planned = planning_plan(planner, 3, 1 << 16);
    ok(planning_is_multicast(&planned) && planned.segment_size == 1000,
       "frames may become shorter");
    pb_planner_allow_multicast(planner, 0);
    planned = planning_plan(planner, 3, 1 << 16);
    ok(planning_is_same(&planned, &before), "allowed no more, it is as it was before");
    pb_planner_free(planner);

    pb_model_assume(UINT64_C(40000) * MBIT, 1500, &model);
    model.measured = true;
    planner = planner_of(c.placement, &model, 0, &all, 0);
    pb_planner_allow_multicast(planner, FRAME);
    planned = planning_plan(planner, 0, 1024);
    const pb_planned_t longer = planning_plan(planner, 0, 1 << 26);
    ok(planning_is_multicast(&planned) && !planning_is_multicast(&longer),
       "over fast links it has short messages; long ones go down a tree");
    pb_planner_free(planner);
    tree_case_clear(&c);
}

/** Forced and not allowed it is as with PB_CHOOSE_OWN; groups have trees in any case. */
static bool is_forced(tree_case_t *c, pb_random_t *random, void *context)
{
    static const pb_choose_options_t own = {.kind = PB_CHOOSE_OWN, .plan.fanout = 3};
    const int rank = pb_random_below(random, c->placement->n_ranks);
    const uint64_t bytes = any_bytes(random);
    const pb_planner_group_t everyone = {.max_segment = LONG};
    pb_choose_options_t forced = multicast;
    pb_model_t model;
    pb_planned_t of_group;
    (void) context;
    pb_model_assume(any_speed(random), 1500, &model);
    model.measured = pb_random_below(random, 2) == 1;
    forced.segment = pb_random_below(random, 2) == 1 ? 3000 : 0;
    pb_planner_t *as_own = planner_of(c->placement, &model, rank, &own, 0);
    pb_planner_t *planner = planner_of(c->placement, &model, rank, &forced, 0);
    const pb_planned_t wanted = planning_plan(as_own, c->root, bytes);
    pb_planned_t planned = planning_plan(planner, c->root, bytes);
    bool good = (forced.segment != 0 || planning_is_same(&planned, &wanted)) &&
                !planning_is_multicast(&planned) && !pb_planner_may_pass(planner, bytes);
    pb_planner_allow_multicast(planner, FRAME);
    good = good &&
           pb_planner_plan_group(planner, c->root, bytes, &everyone, &of_group) == PB_SUCCESS &&
           !planning_is_multicast(&of_group) && of_group.role != NULL;
    planned = planning_plan(planner, c->root, bytes);
    good = good && planning_is_multicast(&planned) && !pb_planner_may_pass(planner, bytes) &&
           planned.segment_size == (bytes < FRAME ? (size_t) bytes : FRAME);
    pb_planner_free(as_own);
    pb_planner_free(planner);
    return good;
}

/* ---- memory ---- */

/** Plans as all ranks do within 18 connections, with the allocation after `n` more failing. */
static int plans_bounded(long n, const pb_placement_t *placement, const pb_model_t *model,
                         pb_kind_t *kinds)
{
    pb_planner_t *planner = planner_of(placement, model, 2, &all, 18);
    int n_bad = 0;
    failing_memory_after(n);
    for (int root = 0; root < 8; root++) {
        pb_planned_t planned;
        n_bad += pb_planner_plan(planner, root, LONG, false, &planned) != PB_SUCCESS;
        n_bad += n >= 0 && planned.kind != kinds[root];
        kinds[root] = planned.kind;
    }
    failing_memory_after(-1);
    pb_planner_free(planner);
    return n_bad;
}

/** The same of what the planner is asked where there is no bound. */
static int plans_unbounded(long n, const pb_placement_t *placement, const pb_model_t *model)
{
    static const int ranks[] = {0, 2, 3};
    const pb_planner_group_t group = {.ranks = ranks, .n_ranks = 3, .max_segment = 2000};
    pb_planner_t *planner = planner_of(placement, model, 2, &all, 0);
    pb_planned_t planned;
    pb_planner_report_t report;
    failing_memory_after(n);
    int rc = pb_planner_plan(planner, 0, LONG, false, &planned);
    int n_bad = rc != PB_SUCCESS || !planned.is_known || planned.role == NULL;
    rc = pb_planner_plan_group(planner, 0, LONG, &group, &planned);
    n_bad += rc != PB_SUCCESS || planned.role == NULL;
    rc = pb_planner_role(planner, 1, PB_KIND_BINARY, NULL, 0, &planned);
    n_bad += rc != PB_SUCCESS || planned.role == NULL;
    rc = pb_planner_explain(planner, 0, LONG, &report);
    n_bad += rc != PB_SUCCESS && rc != PB_ERR_NO_MEMORY;
    failing_memory_after(-1);
    pb_planner_free(planner);
    return n_bad;
}

static void test_memory(void)
{
    enum { MOST = 5000 };
    tree_case_t c;
    pb_model_t model;
    pb_planned_t planned;
    pb_kind_t kinds[8];
    bed(&c, &model, 1, 20, UINT64_C(1000) * MBIT);
    const long before = failing_memory_alive();
    int n_bad = plans_bounded(-1, c.placement, &model, kinds);
    const bool differs = kinds[0] != kinds[7];
    for (long n = 0; n < MOST; n += 1 + n / 20) {
        n_bad += plans_bounded(n, c.placement, &model, kinds);
        n_bad += plans_unbounded(n, c.placement, &model);
    }
    ok(n_bad == 0 && differs && failing_memory_alive() == before,
       "no single allocation that fails keeps a rank from planning as the others, and none leaks");

    pb_planner_t *planner = planner_of(c.placement, &model, 0, &all, 18);
    failing_memory_from(0);
    ok(pb_planner_plan(planner, 0, LONG, false, &planned) == PB_ERR_NO_MEMORY && !planned.is_known,
       "a rank without memory does not know what the others were charged");
    failing_memory_after(-1);
    ok(pb_planner_plan(planner, 1, LONG, false, &planned) == PB_ERR_NO_MEMORY && !planned.is_known,
       "nor does it pretend to later on");
    pb_planner_free(planner);
    int n_made = 0;
    for (long n = 0; n < 3; n++) {
        failing_memory_after(n);
        n_made += pb_planner_new(20, true) != NULL;
    }
    failing_memory_after(-1);
    ok(n_made == 0 && failing_memory_alive() == before,
       "a planner has what the bound and learning need, or is not made");
    tree_case_clear(&c);
}

int main(void)
{
    const int n_trials = tap_trials(40, 12);
    int n_seen[2] = {0}, n_led = 0;
    tree_case_hold("every rank's plan is what choice and plan are by themselves", 5, 10, small,
                   is_choice, NULL);
    tree_case_hold("all ranks plan alike, once and again, within the bound", 16, n_trials, small,
                   plans_alike, n_seen);
    ok(n_seen[0] > 6 && n_seen[1] > 6, "which restricts them %d times, %d times by multicast",
       n_seen[0], n_seen[1]);
    tree_case_hold("forced, multicast is used if allowed, else a tree", 21, 10, small, is_forced,
                   NULL);
    tree_case_hold(
        "groups are planned by leaders", 33, n_trials,
        (tree_case_size_t){.max_switches = 4, .max_hosts = 8, .max_per_host = 4, .subsets = true},
        is_led, &n_led);
    ok(n_led > n_trials, "which lead %d ranks", n_led);
    test_bound();
    test_segment_of_message();
    test_swept_role();
    test_groups();
    test_fallback();
    test_sequence();
    test_room();
    test_allowed();
    test_memory();
    return tap_done();
}
