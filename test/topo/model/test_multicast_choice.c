/*
 * Multicast among what is chosen: only while it is allowed, in one way, and with what was learnt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"

enum { FRAME = 1448, MBIT = 1000000 };

static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
static const pb_choose_options_t forced = {.kind = PB_KIND_MULTICAST, .plan.fanout = 3};
static const tree_case_size_t small = {.max_switches = 6, .max_hosts = 30, .max_per_host = 2};

static pb_planner_t *planner_of(const pb_placement_t *placement, const pb_model_t *model, int rank,
                                const pb_choose_options_t *choose, int connections)
{
    const pb_planner_options_t options = {.rank = rank,
                                          .choose = *choose,
                                          .memory = 1 << 20,
                                          .learns_nothing = true,
                                          .connections = connections};
    return planning_new(placement, model, &options);
}

/** 32 hosts on four switches. */
static void four_switches(tree_case_t *c)
{
    pb_random_t random = pb_random_seed(3);
    memset(c, 0, sizeof(*c));
    c->network = pb_random_network(&random, PB_SHAPE_LINE, 4, 32, 0);
    c->placement = pb_random_placement(&random, c->network, 1);
    if (pb_view_new(c->placement, 0, NULL, 0, &c->view) != PB_SUCCESS) {
        abort();
    }
}

/* ---- choosing ---- */

static void test_allowed(void)
{
    tree_case_t c;
    pb_model_t model;
    four_switches(&c);
    pb_model_assume(UINT64_C(100) * MBIT, 1500, &model);
    pb_planner_t *planner = planner_of(c.placement, &model, 9, &all, 0);
    const pb_planned_t before = planning_plan(planner, 3, 1 << 16);
    ok(!planning_is_multicast(&before), "not allowed, it is not chosen");
    pb_planner_allow_multicast(planner, FRAME);
    pb_planned_t planned = planning_plan(planner, 3, 1 << 16);
    ok(planning_is_multicast(&planned) && planned.segment_size == FRAME,
       "allowed, it is, frame by frame");
    pb_plan_t *tree = NULL;
    pb_view_t *view = NULL;
    if (pb_view_new(c.placement, 3, NULL, 0, &view) != PB_SUCCESS ||
        pb_plan_compute(view, PB_KIND_MULTICAST, NULL, &tree) != PB_SUCCESS) {
        abort();
    }
    ok(planned.role->n_parents == 1 && planned.role->parent[0] == tree->streams[0].parent[9],
       "the role is in the tree of repairs");
    pb_plan_free(tree);
    pb_view_free(view);
    planned = planning_plan(planner, 3, 600);
    ok(planning_is_multicast(&planned) && planned.segment_size == 600,
       "a frame is cut to the message");
    pb_planner_report_t report;
    ok(pb_planner_explain(planner, 3, 1 << 16, &report) == PB_SUCCESS &&
           report.best.kind == PB_KIND_MULTICAST && report.best_time > 0 &&
           report.next.kind == (int) before.kind && report.next_time > report.best_time,
       "over what was chosen before");
    pb_planner_allow_multicast(planner, 1000);
    planned = planning_plan(planner, 3, 1 << 16);
    ok(planning_is_multicast(&planned) && planned.segment_size == 1000,
       "frames may become shorter");
    pb_planner_allow_multicast(planner, 0);
    planned = planning_plan(planner, 3, 1 << 16);
    ok(planning_is_same(&planned, &before), "allowed no more, it is as it was before");
    pb_planner_free(planner);
    tree_case_clear(&c);
}

static void test_fast_links(void)
{
    tree_case_t c;
    pb_model_t model;
    four_switches(&c);
    pb_model_assume(UINT64_C(40000) * MBIT, 1500, &model);
    pb_planner_t *planner = planner_of(c.placement, &model, 0, &all, 0);
    pb_planned_t planned = planning_plan(planner, 0, 1024);
    ok(!planning_is_multicast(&planned),
       "links that claim 40 Gbit/s: it is no candidate by itself");
    pb_planner_allow_multicast(planner, FRAME);
    planned = planning_plan(planner, 0, 1024);
    ok(planning_is_multicast(&planned), "it is where the caller allows it");
    pb_planner_free(planner);
    planner = planner_of(c.placement, &model, 0, &forced, 0);
    pb_planner_allow_multicast(planner, FRAME);
    planned = planning_plan(planner, 0, 1024);
    ok(planning_is_multicast(&planned), "likewise where it alone was asked for");
    pb_planner_free(planner);
    model.measured = true;
    planner = planner_of(c.placement, &model, 0, &all, 0);
    pb_planner_allow_multicast(planner, FRAME);
    planned = planning_plan(planner, 0, 1024);
    ok(planning_is_multicast(&planned), "or costs were measured");
    planned = planning_plan(planner, 0, 1 << 26);
    ok(!planning_is_multicast(&planned),
       "by which long messages go down a tree where processors are slower");
    pb_planner_free(planner);
    tree_case_clear(&c);
}

/** Forced and not allowed it is as with PB_CHOOSE_OWN, on random networks. */
static void test_forced(void)
{
    pb_random_t random = pb_random_seed(21);
    int n_bad = 0, n_cases = 0;
    for (int i = 0; i < tap_trials(60, 24); i++) {
        tree_case_t c;
        pb_model_t model;
        pb_model_assume(UINT64_C(10000000) << pb_random_below(&random, 8), 1500, &model);
        model.measured = i % 2 == 0;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), small);
        const int root = pb_random_below(&random, c.placement->n_ranks);
        const int rank = pb_random_below(&random, c.placement->n_ranks);
        const uint64_t bytes = 1 + (uint64_t) pb_random_below(&random, 1 << (4 + i % 20));
        const pb_choose_options_t own = {.kind = PB_CHOOSE_OWN, .plan.fanout = 3};
        pb_choose_options_t cut = forced;
        cut.segment = 3000;
        pb_planner_t *as_own = planner_of(c.placement, &model, rank, &own, 0);
        pb_planner_t *planner = planner_of(c.placement, &model, rank, &forced, 0);
        pb_planner_t *with_segment = planner_of(c.placement, &model, rank, &cut, 0);
        const pb_planned_t wanted = planning_plan(as_own, root, bytes);
        pb_planned_t planned = planning_plan(planner, root, bytes);
        n_bad += !planning_is_same(&planned, &wanted) || pb_planner_may_pass(planner, bytes);
        for (int k = 0; k < 2; k++) {
            pb_planner_t *of = k == 0 ? planner : with_segment;
            pb_planner_allow_multicast(of, FRAME);
            planned = planning_plan(of, root, bytes);
            n_bad += !planning_is_multicast(&planned) ||
                     planned.segment_size != (bytes < FRAME ? (size_t) bytes : FRAME) ||
                     pb_planner_may_pass(of, bytes);
        }
        pb_planner_allow_multicast(planner, 0);
        planned = planning_plan(planner, root, bytes);
        n_bad += !planning_is_same(&planned, &wanted);
        n_cases++;
        pb_planner_free(as_own);
        pb_planner_free(planner);
        pb_planner_free(with_segment);
        tree_case_clear(&c);
    }
    ok(n_bad == 0,
       "forced: allowed it is used, with any segment size that is set; not allowed one "
       "of our trees (%d cases)",
       n_cases);
}

/** Groups have trees. */
static void test_groups(void)
{
    tree_case_t c;
    pb_model_t model;
    int n_bad = 0;
    four_switches(&c);
    pb_model_assume(UINT64_C(100) * MBIT, 1500, &model);
    for (int i = 0; i < 2; i++) {
        static const int ranks[] = {3, 9, 11, 20};
        pb_planned_t planned;
        pb_planner_t *planner = planner_of(c.placement, &model, 9, i == 0 ? &all : &forced, 0);
        const pb_planner_group_t some = {.ranks = ranks, .n_ranks = 4, .max_segment = 1 << 20};
        const pb_planner_group_t everyone = {.max_segment = 1 << 20};
        pb_planner_allow_multicast(planner, FRAME);
        for (uint64_t bytes = 100; bytes < 1 << 20; bytes *= 10) {
            n_bad += pb_planner_plan_group(planner, 3, bytes, &some, &planned) != PB_SUCCESS ||
                     planning_is_multicast(&planned) || planned.role == NULL;
            n_bad += pb_planner_plan_group(planner, 3, bytes, &everyone, &planned) != PB_SUCCESS ||
                     planning_is_multicast(&planned) || planned.role == NULL;
            planned = planning_plan(planner, 3, bytes);
            n_bad += !planning_is_multicast(&planned);
        }
        pb_planner_free(planner);
    }
    ok(n_bad == 0, "groups of ranks have trees");
    tree_case_clear(&c);
}

/** A bound on connections: its tree is charged, and refused where it does not fit. */
static void test_bound(void)
{
    tree_case_t c;
    pb_model_t model;
    four_switches(&c);
    pb_model_assume(UINT64_C(100) * MBIT, 1500, &model);
    pb_planner_t *planner = planner_of(c.placement, &model, 9, &forced, 20);
    pb_planner_allow_multicast(planner, FRAME);
    int n = 0;
    pb_planned_t planned = planning_plan(planner, 0, 1 << 16);
    const pb_planned_t first = planned;
    while (n < 8 && planning_is_multicast(&planned)) {
        planned = planning_plan(planner, ++n, 1 << 16);
    }
    ok(planning_is_multicast(&first) && n < 8 && planned.begins_to_repeat && !planned.fallback,
       "a bound on connections has its trees for %d roots, then one whose neighbours repeat", n);
    planned = planning_plan(planner, 0, 1 << 16);
    ok(planning_is_multicast(&planned), "the first root keeps it");
    pb_planner_allow_multicast(planner, 0);
    planned = planning_plan(planner, 0, 1 << 16);
    ok(!planning_is_multicast(&planned) && planned.role != NULL,
       "until it is not allowed any more");
    pb_planner_free(planner);
    tree_case_clear(&c);
}

/** All ranks of random networks plan alike, whenever it is allowed. */
static void test_alike(void)
{
    pb_random_t random = pb_random_seed(22);
    int n_bad = 0, n_multicast = 0;
    for (int i = 0; i < tap_trials(30, 12); i++) {
        enum { MOST = 60 };
        tree_case_t c;
        pb_model_t model;
        pb_planner_t *planners[MOST];
        pb_model_assume(UINT64_C(10000000) << pb_random_below(&random, 8), 1500, &model);
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), small);
        const int n = c.placement->n_ranks < MOST ? c.placement->n_ranks : MOST;
        for (int rank = 0; rank < n; rank++) {
            planners[rank] = planner_of(c.placement, &model, rank, &all, i % 3 == 0 ? 8 : 0);
        }
        for (int k = 0; k < 12; k++) {
            const int root = pb_random_below(&random, c.placement->n_ranks);
            const uint64_t bytes = UINT64_C(1000) << pb_random_below(&random, 9);
            const uint32_t frame = k % 4 == 3 ? 0 : k % 4 == 1 ? FRAME : 0;
            pb_planned_t first = {0};
            int n_edges = 0;
            for (int rank = 0; rank < n; rank++) {
                if (k % 2 == 1) {
                    pb_planner_allow_multicast(planners[rank], frame);
                }
                const pb_planned_t planned = planning_plan(planners[rank], root, bytes);
                first = rank == 0 ? planned : first;
                n_bad += !planning_is_same(&planned, &first) ||
                         (planned.role == NULL) != planned.fallback;
                n_edges +=
                    planned.fallback ? 0 : planned.role->n_children - planned.role->n_parents;
            }
            n_bad += n == c.placement->n_ranks && n_edges != 0;
            n_multicast += planning_is_multicast(&first);
        }
        for (int rank = 0; rank < n; rank++) {
            pb_planner_free(planners[rank]);
        }
        tree_case_clear(&c);
    }
    ok(n_bad == 0 && n_multicast > 30, "all ranks plan alike, %d times multicast", n_multicast);
}

int main(void)
{
    test_allowed();
    test_fast_links();
    test_forced();
    test_groups();
    test_bound();
    test_alike();
    return tap_done();
}
