/*
 * The planner with a bound on connections: no rank's neighbours are more, all ranks plan alike, and
 * again what they have planned, whatever memory and cache do.
 */
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/topo/model/planning.h"
#include "test/topo/trees/tree_case.h"

static const pb_choose_options_t all = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
static const tree_case_size_t size = {.max_switches = 5, .max_hosts = 14, .max_per_host = 2};

static pb_planner_t *planner_of(const pb_placement_t *placement, const pb_model_t *model, int rank,
                                const pb_choose_options_t *choose, int connections, size_t memory)
{
    const pb_planner_options_t options = {
        .rank = rank, .choose = *choose, .memory = memory, .connections = connections};
    pb_planner_t *planner = pb_planner_new();
    if (planner == NULL || pb_planner_reserve(planner, placement->n_ranks) != PB_SUCCESS) {
        abort();
    }
    pb_planner_begin(planner, placement, model, &options);
    return planner;
}

/** One planner for each rank, and whom each was given as a neighbour. */
typedef struct ranks {
    int n;
    pb_planner_t **planners;
    char *are; /**< by rank and rank */
} ranks_t;

/** One rank has so little memory for what it keeps that it keeps next to nothing. */
static ranks_t ranks_of(const pb_placement_t *placement, const pb_model_t *model,
                        const pb_choose_options_t *choose, int connections)
{
    const size_t n = (size_t) placement->n_ranks;
    ranks_t ranks = {placement->n_ranks, calloc(n, sizeof(*ranks.planners)), calloc(n, n)};
    if (ranks.planners == NULL || ranks.are == NULL) {
        abort();
    }
    for (int rank = 0; rank < ranks.n; rank++) {
        ranks.planners[rank] =
            planner_of(placement, model, rank, choose, connections, rank != 1 ? 1 << 20 : 0);
    }
    return ranks;
}

static void ranks_clear(ranks_t *ranks)
{
    for (int rank = 0; rank < ranks->n; rank++) {
        pb_planner_free(ranks->planners[rank]);
    }
    free(ranks->planners);
    free(ranks->are);
}

static void note_role(ranks_t *ranks, int rank, const pb_role_t *role)
{
    char *are = ranks->are + (size_t) rank * (size_t) ranks->n;
    for (int i = 0; i < role->n_parents; i++) {
        are[role->parent[i]] = 1;
    }
    for (int i = 0; i < role->n_children; i++) {
        are[role->child[i]] = 1;
    }
}

static int most_neighbours(const ranks_t *ranks)
{
    const size_t n = (size_t) ranks->n;
    int most = 0;
    for (size_t rank = 0; rank < n; rank++) {
        int sum = 0;
        for (size_t peer = 0; peer < n; peer++) {
            sum += ranks->are[rank * n + peer];
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/** All ranks plan one broadcast, *planned of rank 0; whether they do so alike. */
static bool plan_one(ranks_t *ranks, int root, uint64_t bytes, pb_planned_t *planned)
{
    bool good = true;
    for (int rank = 0; rank < ranks->n; rank++) {
        pb_planned_t of_rank;
        good = good && pb_planner_plan(ranks->planners[rank], root, bytes, &of_rank) == PB_SUCCESS;
        if (rank == 0) {
            *planned = of_rank;
        }
        good = good && of_rank.is_known && of_rank.fallback == planned->fallback &&
               of_rank.kind == planned->kind && of_rank.segment_size == planned->segment_size &&
               of_rank.begins_to_repeat == planned->begins_to_repeat;
        if (good && of_rank.role != NULL) {
            note_role(ranks, rank, of_rank.role);
        }
    }
    return good;
}

enum { N_BROADCASTS = 24 };

/** Plans random broadcasts, and then the same ones again in another order; what was wrong. */
static int plan_random(ranks_t *ranks, pb_random_t *random, int connections, int *n_restricted)
{
    int roots[N_BROADCASTS], n_bad = 0, n_begun = 0;
    uint64_t bytes[N_BROADCASTS];
    pb_planned_t first[N_BROADCASTS], again;
    for (int i = 0; i < N_BROADCASTS; i++) {
        roots[i] = pb_random_below(random, ranks->n);
        bytes[i] = UINT64_C(1) << (6 + pb_random_below(random, 16));
        n_bad += !plan_one(ranks, roots[i], bytes[i], &first[i]);
        n_begun += first[i].begins_to_repeat;
        n_bad += most_neighbours(ranks) > connections;
    }
    for (int i = 0; i < N_BROADCASTS; i++) {
        const int k = i * 7 % N_BROADCASTS;
        n_bad += !plan_one(ranks, roots[k], bytes[k], &again) ||
                 again.fallback != first[k].fallback || again.kind != first[k].kind ||
                 again.segment_size != first[k].segment_size || again.begins_to_repeat;
    }
    n_bad += n_begun > 1;
    *n_restricted += n_begun;
    return n_bad + (most_neighbours(ranks) > connections);
}

static void test_random(void)
{
    pb_random_t random = pb_random_seed(16);
    int n_bad = 0, n_restricted = 0;
    const int n_trials = tap_trials(60, 16);
    for (int i = 0; i < n_trials; i++) {
        pb_choose_options_t choose = all;
        tree_case_t c;
        pb_model_t model;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), size);
        pb_model_assume(UINT64_C(10000000) << pb_random_below(&random, 10), 1500, &model);
        model.measured = i % 2 == 0;
        if (i % 3 == 0) {
            choose.kind = pb_random_below(&random, PB_KIND_COUNT);
        }
        const int n = c.placement->n_ranks;
        const int connections = 2 + pb_random_below(&random, n > 10 ? 10 : n);
        ranks_t ranks = ranks_of(c.placement, &model, &choose, connections);
        n_bad +=
            plan_random(&ranks, &random, connections < n - 1 ? connections : n - 1, &n_restricted);
        ranks_clear(&ranks);
        tree_case_clear(&c);
    }
    ok(n_bad == 0, "all ranks plan alike, once and again, within the bound (%d do not)", n_bad);
    ok(n_restricted > n_trials / 4, "which restricts them in %d of %d", n_restricted, n_trials);
}

/** The kinds that 24 connections among 64 ranks leave, root after root. */
static void test_sequence(void)
{
    pb_network_t *network;
    pb_model_t model;
    pb_planned_t planned;
    pb_planner_report_t report;
    pb_placement_t *placement = planning_one_switch(64, &network);
    const pb_choose_options_t twotree = {.kind = PB_KIND_TWOTREE, .plan.fanout = 3};
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    pb_planner_t *planner = planner_of(placement, &model, 9, &twotree, 24, 1 << 20);
    bool good = true;
    for (int root = 0; root < 3; root++) {
        good = good && pb_planner_plan(planner, root, 1 << 20, &planned) == PB_SUCCESS &&
               planned.kind == PB_KIND_TWOTREE && !planned.begins_to_repeat;
    }
    ok(good && !pb_planner_has_room(planner, 1), "a forced kind is used for three roots");
    ok(pb_planner_plan(planner, 3, 1 << 20, &planned) == PB_SUCCESS && !planned.fallback &&
           planned.kind == PB_KIND_CHAIN && planned.begins_to_repeat && planned.role != NULL,
       "for the fourth it yields to a chain");
    ok(pb_planner_explain(planner, 3, 1 << 20, &report) == PB_SUCCESS &&
           report.best.kind == PB_KIND_CHAIN && report.next.kind == PB_KIND_BINOMIAL,
       "over the only other kind");
    ok(pb_planner_plan(planner, 4, 1024, &planned) == PB_SUCCESS && !planned.fallback &&
           planned.kind == PB_KIND_BINOMIAL && !planned.begins_to_repeat,
       "and a short message takes a binomial tree");
    ok(pb_planner_plan(planner, 1, 1 << 20, &planned) == PB_SUCCESS &&
           planned.kind == PB_KIND_TWOTREE && planned.was_cached,
       "the first three roots keep their trees");
    pb_planner_free(planner);

    const pb_choose_options_t flat = {.kind = PB_KIND_FLAT, .plan.fanout = 3};
    planner = planner_of(placement, &model, 9, &flat, 24, 1 << 20);
    ok(pb_planner_plan(planner, 0, 1 << 20, &planned) == PB_SUCCESS &&
           planned.kind == PB_KIND_CHAIN && planned.begins_to_repeat,
       "a tree that needs all connections never has them");
    pb_planner_free(planner);

    planner = planner_of(placement, &model, 9, &flat, 63, 1 << 20);
    ok(pb_planner_plan(planner, 0, 1 << 20, &planned) == PB_SUCCESS &&
           planned.kind == PB_KIND_FLAT && pb_planner_has_room(planner, 1000),
       "where all are allowed there is no bound");
    pb_planner_free(planner);
    pb_placement_free(placement);
    pb_network_free(network);
}

/** Plans as all ranks do, with the allocation after `n` more failing. */
static int plans_without(long n, const pb_placement_t *placement, const pb_model_t *model,
                         const pb_kind_t *wanted)
{
    pb_planner_t *planner = planner_of(placement, model, 2, &all, 18, 1 << 20);
    int n_bad = 0;
    failing_memory_after(n);
    for (int root = 0; root < 8; root++) {
        pb_planned_t planned;
        const int rc = pb_planner_plan(planner, root, 1 << 20, &planned);
        n_bad += rc != PB_SUCCESS || planned.kind != wanted[root];
    }
    failing_memory_after(-1);
    pb_planner_free(planner);
    return n_bad;
}

static void test_memory(void)
{
    enum { MOST = 5000 };
    pb_network_t *network;
    pb_model_t model;
    pb_planned_t planned;
    pb_kind_t wanted[8];
    pb_placement_t *placement = planning_one_switch(20, &network);
    int n_bad = 0, n_kinds = 0;
    pb_model_assume(UINT64_C(1000000000), 1500, &model);
    pb_planner_t *planner = planner_of(placement, &model, 0, &all, 18, 1 << 20);
    for (int root = 0; root < 8; root++) {
        n_bad += pb_planner_plan(planner, root, 1 << 20, &planned) != PB_SUCCESS;
        wanted[root] = planned.kind;
        n_kinds += root > 0 && wanted[root] != wanted[root - 1];
    }
    pb_planner_free(planner);
    for (long n = 0; n < MOST; n += 1 + n / 20) {
        n_bad += plans_without(n, placement, &model, wanted);
    }
    ok(n_bad == 0 && n_kinds > 0, "one allocation that fails changes no plan");

    planner = planner_of(placement, &model, 0, &all, 18, 1 << 20);
    failing_memory_from(0);
    ok(pb_planner_plan(planner, 0, 1 << 20, &planned) == PB_ERR_NO_MEMORY && !planned.is_known,
       "a rank without memory does not know what the others were charged");
    failing_memory_after(-1);
    ok(pb_planner_plan(planner, 1, 1 << 20, &planned) == PB_ERR_NO_MEMORY && !planned.is_known,
       "nor does it pretend to later on");
    pb_planner_free(planner);

    planner = pb_planner_new();
    failing_memory_from(0);
    ok(pb_planner_reserve(planner, 20) == PB_ERR_NO_MEMORY,
       "memory for the bound is had beforehand, or not");
    failing_memory_after(-1);
    pb_planner_free(planner);
    pb_placement_free(placement);
    pb_network_free(network);
}

int main(void)
{
    test_random();
    test_sequence();
    test_memory();
    return tap_done();
}
