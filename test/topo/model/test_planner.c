/*
 * The planner: alike on all ranks, what choice and plan are by themselves, within its bound on
 * memory, and with an allocation that fails.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"

static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
static const tree_case_size_t small = {.max_switches = 6, .max_hosts = 20, .max_per_host = 2};

static pb_planner_t *planner_of(const pb_placement_t *placement, const pb_model_t *model, int rank,
                                const pb_choose_options_t *choose, size_t memory)
{
    const pb_planner_options_t options = {
        .rank = rank, .choose = *choose, .memory = memory, .learns_nothing = true};
    return planning_new(placement, model, &options);
}

static bool same_role(const pb_role_t *a, const pb_role_t *b)
{
    return a->n_streams == b->n_streams && a->n_parents == b->n_parents &&
           a->n_children == b->n_children &&
           memcmp(a->parent, b->parent, (size_t) a->n_parents * sizeof(int)) == 0 &&
           memcmp(a->child, b->child, (size_t) a->n_children * sizeof(int)) == 0;
}

/** Whether a role is the rank's in the plan that is made without the planner. */
static bool is_role_of(const pb_role_t *role, const pb_placement_t *placement, int root,
                       const int *ranks, int n_ranks, pb_kind_t kind, int rank)
{
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    if (pb_view_new(placement, root, ranks, n_ranks, &view) != PB_SUCCESS ||
        pb_plan_compute(view, kind, &all.plan, &plan) != PB_SUCCESS) {
        abort();
    }
    pb_role_t *wanted = pb_role_new(plan, rank);
    const bool same = role != NULL && wanted != NULL && same_role(role, wanted);
    free(wanted);
    pb_plan_free(plan);
    pb_view_free(view);
    return same;
}

/** Plans with a planner of each rank; whether all are what choice and plan are. */
static bool plans_alike(const tree_case_t *c, const pb_model_t *model, int root, uint64_t bytes)
{
    pb_chooser_t *chooser = pb_chooser_new(c->placement, model, &all);
    pb_choice_t choice;
    bool good = pb_choose(chooser, root, bytes, &choice) == PB_SUCCESS;
    for (int rank = 0; rank < c->placement->n_ranks; rank++) {
        pb_planned_t planned;
        pb_planner_t *planner = planner_of(c->placement, model, rank, &all, 1 << 20);
        good = good && pb_planner_plan(planner, root, bytes, &planned) == PB_SUCCESS &&
               planned.is_known && planned.is_new &&
               planned.fallback == (choice.best.kind == PB_KIND_FALLBACK) &&
               planned.segment_size >= 1 && planned.segment_size <= bytes;
        if (good && planned.fallback) {
            good = planned.role == NULL;
        } else if (good) {
            good = (int) planned.kind == choice.best.kind && !planned.was_cached &&
                   is_role_of(planned.role, c->placement, root, NULL, 0, planned.kind, rank);
        }
        const pb_kind_t kind = planned.kind;
        good = good && pb_planner_plan(planner, root, bytes, &planned) == PB_SUCCESS &&
               planned.kind == kind && !planned.is_new && planned.was_cached == !planned.fallback;
        pb_planner_free(planner);
    }
    pb_chooser_free(chooser);
    return good;
}

static void test_plans(void)
{
    pb_random_t random = pb_random_seed(5);
    int n_bad = 0;
    for (int i = 0; i < 60; i++) {
        tree_case_t c;
        pb_model_t model;
        pb_model_assume(UINT64_C(10000000) << pb_random_below(&random, 10), 1500, &model);
        model.measured = i % 2 == 0;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), small);
        const int root = pb_random_below(&random, c.placement->n_ranks);
        n_bad += !plans_alike(&c, &model, root,
                              1 + (uint64_t) pb_random_below(&random, 1 << (4 + i % 20)));
        tree_case_clear(&c);
    }
    ok(n_bad == 0, "every rank's plan is what choice and plan are by themselves");
}

/* ---- the bound on memory ---- */

enum { N_RANKS = 300, BOUND = 32768 };

/** What the allocator may need beside what is counted. */
#define SLACK 150000

static long in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (long) (info.uordblks + info.hblkhd);
}

/** Asks for the roles of all roots and kinds; whether the bound held all the time. */
static bool ask_for_all(pb_planner_t *planner, int *n_bad)
{
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_BINARY, PB_KIND_TWOTREE};
    bool held = true;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (int root = 0; root < N_RANKS; root++) {
            pb_planned_t planned;
            const int rc = pb_planner_role(planner, root, kinds[k], NULL, 0, &planned);
            *n_bad += rc != PB_SUCCESS || (planned.role->n_parents == 0) != (root == 0);
            held = held && pb_planner_memory(planner) <= BOUND;
        }
    }
    return held;
}

/** How many of the last roots' roles are still kept. */
static int n_kept(pb_planner_t *planner)
{
    int n = 0;
    for (int root = N_RANKS - 1; root >= 0; root--) {
        pb_planned_t planned;
        if (pb_planner_role(planner, root, PB_KIND_TWOTREE, NULL, 0, &planned) != PB_SUCCESS ||
            !planned.was_cached) {
            break;
        }
        n++;
    }
    return n;
}

static void test_bound(void)
{
    pb_network_t *network;
    pb_model_t model;
    pb_placement_t *placement = planning_one_switch(N_RANKS, &network);
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    pb_planner_t *planner = planner_of(placement, &model, 0, &all, BOUND);
    int n_bad = 0;
    bool held = ask_for_all(planner, &n_bad);
    const long before = in_use();
    for (int i = 0; i < 2; i++) {
        held = ask_for_all(planner, &n_bad) && held;
    }
    const long grown = in_use() - before;
    ok(n_bad == 0, "thousands of roles, each for its root");
    ok(held, "the bound holds");
    ok(grown <= SLACK, "%ld bytes more in use after 1,800 further plans", grown);
    ok(n_kept(planner) > 10, "some stay");
    pb_planner_free(planner);

    planner = planner_of(placement, &model, 0, &all, 0);
    pb_planned_t planned;
    n_bad = 0;
    for (int i = 0; i < 4; i++) {
        n_bad += pb_planner_plan(planner, i / 2, 1 << 20, &planned) != PB_SUCCESS ||
                 planned.was_cached != (i % 2 == 1) || pb_planner_memory(planner) > BOUND;
    }
    ok(n_bad == 0, "without room only the role that was used last is kept");
    pb_planner_free(planner);
    pb_placement_free(placement);
    pb_network_free(network);
}

/* ---- groups ---- */

/** The root plans for a group, and a member has its role in what the root announces. */
static void test_groups(void)
{
    static const int ranks[] = {0, 2, 3, 5, 7, 8, 11};
    const int n = sizeof(ranks) / sizeof(ranks[0]);
    pb_network_t *network;
    pb_model_t model;
    pb_placement_t *placement = planning_one_switch(12, &network);
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    pb_planner_t *root = planner_of(placement, &model, 3, &all, 1 << 20);
    pb_planner_t *member = planner_of(placement, &model, 7, &all, 1 << 20);
    pb_planner_group_t group = {.ranks = ranks, .n_ranks = n, .max_segment = 2000};
    pb_planned_t planned, at_member;
    ok(pb_planner_plan_group(root, 3, 200000, &group, &planned) == PB_SUCCESS &&
           !planned.fallback && planned.segment_size <= 2000 &&
           is_role_of(planned.role, placement, 3, ranks, n, planned.kind, 3),
       "a group's plan at its root");
    ok(pb_planner_role(member, 3, planned.kind, ranks, n, &at_member) == PB_SUCCESS &&
           is_role_of(at_member.role, placement, 3, ranks, n, planned.kind, 7),
       "and the role of a member");
    ok(!at_member.was_cached &&
           pb_planner_role(member, 3, planned.kind, ranks, n, &at_member) == PB_SUCCESS &&
           at_member.was_cached &&
           is_role_of(at_member.role, placement, 3, ranks, n, planned.kind, 7),
       "which is kept for the next one");
    ok(pb_planner_role(member, 3, planned.kind, ranks, n - 1, &at_member) == PB_SUCCESS &&
           !at_member.was_cached &&
           is_role_of(at_member.role, placement, 3, ranks, n - 1, planned.kind, 7),
       "but not for another group");
    pb_planned_t for_all;
    group.ranks = NULL;
    group.max_segment = SIZE_MAX;
    ok(pb_planner_plan(root, 3, 1 << 20, &for_all) == PB_SUCCESS && !for_all.fallback &&
           pb_planner_plan_group(root, 3, 1 << 20, &group, &planned) == PB_SUCCESS &&
           planned.kind == for_all.kind && planned.segment_size == for_all.segment_size &&
           planned.was_cached,
       "a group of all ranks is planned as they are");
    group.ranks = ranks + 1; /* not the root of this one */
    group.n_ranks = n - 1;
    ok(pb_planner_plan_group(root, 0, 1 << 20, &group, &planned) == PB_ERR_INPUT,
       "a group without its root is none");
    pb_planner_free(root);
    pb_planner_free(member);
    pb_placement_free(placement);
    pb_network_free(network);
}

/* ---- what does not fit, and the fallback component ---- */

static void test_unfit(void)
{
    static const pb_choose_options_t childless = {.kind = PB_KIND_KARY, .plan.fanout = 0};
    pb_random_t random = pb_random_seed(1);
    pb_model_t model;
    pb_planned_t planned;
    tree_case_t c;
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    tree_case_init(&c, &random, PB_SHAPE_RECURSIVE, small);
    pb_planner_t *planner = planner_of(c.placement, &model, 0, &childless, 1 << 20);
    ok(pb_planner_plan(planner, c.root, 1 << 20, &planned) == PB_ERR_UNFIT &&
           planned.kind == PB_KIND_KARY && !planned.is_known,
       "a forced kind that does not fit is named");
    ok(pb_planner_may_pass(planner, 1 << 20), "as was to be expected");
    pb_planner_free(planner);
    tree_case_clear(&c);
}

static void test_fallback(void)
{
    pb_network_t *network;
    pb_model_t model;
    pb_planned_t planned;
    pb_planner_report_t report;
    pb_placement_t *placement = planning_one_switch(2, &network);
    pb_model_assume(UINT64_C(100000000), 1500, &model);
    model.measured = true;
    pb_planner_t *planner = planner_of(placement, &model, 1, &all, 1 << 20);
    ok(pb_planner_plan(planner, 0, 64, &planned) == PB_SUCCESS && planned.fallback &&
           planned.role == NULL && pb_planner_may_pass(planner, 64),
       "a short message goes to the fallback component");
    ok(pb_planner_explain(planner, 0, 64, &report) == PB_SUCCESS &&
           report.best.kind == PB_KIND_FALLBACK && report.best_time >= 0 &&
           report.next.kind != PB_KIND_FALLBACK && report.next_time >= report.best_time,
       "which can be explained");
    ok(!planning_plan(planner, 0, 65).is_new && planning_plan(planner, 0, 72).is_new &&
           !planning_plan(planner, 0, 79).is_new && planning_plan(planner, 1, 79).is_new,
       "each root's class of sizes is new once");
    pb_planner_free(planner);
    pb_placement_free(placement);
    pb_network_free(network);
}

/* ---- memory ---- */

/** Plans, with the allocation after `n` more failing; false: all was well without. */
static bool plans_without(long n, const pb_placement_t *placement, const pb_model_t *model,
                          int *n_bad)
{
    static const int ranks[] = {0, 2, 3};
    const pb_planner_group_t group = {.ranks = ranks, .n_ranks = 3, .max_segment = 2000};
    pb_planner_t *planner = planner_of(placement, model, 2, &all, 1 << 20);
    pb_planned_t planned;
    pb_planner_report_t report;
    const long before = failing_memory_alive();
    failing_memory_after(n);
    int rc = pb_planner_plan(planner, 0, 1 << 20, &planned);
    *n_bad += rc != PB_SUCCESS || !planned.is_known || planned.role == NULL;
    rc = pb_planner_plan_group(planner, 0, 1 << 20, &group, &planned);
    *n_bad += rc != PB_SUCCESS || planned.role == NULL;
    rc = pb_planner_role(planner, 1, PB_KIND_BINARY, NULL, 0, &planned);
    *n_bad += rc != PB_SUCCESS || planned.role == NULL;
    rc = pb_planner_explain(planner, 0, 1 << 20, &report);
    *n_bad += rc != PB_SUCCESS && rc != PB_ERR_NO_MEMORY;
    failing_memory_after(-1);
    *n_bad += failing_memory_alive() < before;
    pb_planner_free(planner);
    *n_bad += failing_memory_alive() != before - 1;
    return rc == PB_SUCCESS;
}

static void test_memory(void)
{
    enum { MOST = 5000 };
    pb_network_t *network;
    pb_model_t model;
    pb_placement_t *placement = planning_one_switch(9, &network);
    int n_bad = 0;
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    for (long n = 0; n < MOST; n += 1 + n / 20) {
        (void) plans_without(n, placement, &model, &n_bad);
    }
    ok(n_bad == 0, "no single allocation that fails keeps a rank from planning, and none leaks");
    pb_placement_free(placement);
    pb_network_free(network);
}

int main(void)
{
    test_plans();
    test_bound();
    test_groups();
    test_unfit();
    test_fallback();
    test_memory();
    return tap_done();
}
