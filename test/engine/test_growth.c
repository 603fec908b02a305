/*
 * Memory that a rank keeps, as a function of the number of ranks P. Each part is compared with its
 * bound. There are 16 to 10,000 ranks with one on each host, on random trees of switches with 32
 * hosts on each. test/mpi/run_memory.c measures the same inside Open MPI.
 */
#include <stdlib.h>

#include "engine/arrival/state.h"
#include "run.h"
#include "test/failing_memory.h"
#include "test/must.h"
#include "test/tap.h"
#include "topo/model/planner.h"

enum {
    PER_SWITCH = 32,
    BYTES = 65536,   /**< of the message that is planned */
    ROOTS = 32,      /**< for which plans are made where roots change */
    CACHE = 4 << 20, /**< the parameter cache_size */
};

/** A number of ranks, and all that was made for them. */
typedef struct setting {
    int n_ranks, root;
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    pb_model_t model;
    long before; /**< bytes before the part that is measured */
} setting_t;

static void begin(setting_t *s)
{
    s->before = failing_memory_bytes();
    failing_memory_begin_peak();
}

static long kept(const setting_t *s)
{
    return failing_memory_bytes() - s->before;
}

/* The parts. */

static long network(setting_t *s)
{
    pb_random_t random = pb_random_seed(1);
    const int n_switches = s->n_ranks > PER_SWITCH ? s->n_ranks / PER_SWITCH : 1;
    begin(s);
    s->network = pb_random_network(&random, PB_SHAPE_PAPER, n_switches, s->n_ranks, 0);
    return kept(s);
}

static long placement(setting_t *s)
{
    begin(s);
    s->placement = must_have(pb_placement_new(s->network, s->n_ranks));
    for (int rank = 0; rank < s->n_ranks; rank++) {
        s->placement->host[rank] = pb_network_size(s->network) - s->n_ranks + rank;
    }
    const long bytes = kept(s);
    must(pb_view_new(s->placement, s->root, NULL, 0, &s->view) == PB_SUCCESS);
    return bytes;
}

/** Memory that a planner keeps for `n_roots` roots, or needed while it planned. */
static long planner(setting_t *s, int n_roots, bool meanwhile)
{
    const pb_planner_options_t options = {
        .rank = 1, .choose = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3}, .memory = CACHE};
    begin(s);
    pb_planner_t *made = must_have(pb_planner_new(s->n_ranks, true));
    pb_planner_begin(made, s->placement, &s->model, &options);
    for (int i = 0; i < n_roots && i < s->n_ranks; i++) {
        const int root = (int) ((s->root + (long) i * 7919) % s->n_ranks);
        pb_planned_t planned;
        must(pb_planner_plan(made, root, BYTES, false, &planned) == PB_SUCCESS &&
             pb_planner_plan_swept(made, root, BYTES, &planned) == PB_SUCCESS);
    }
    const long bytes = meanwhile ? failing_memory_peak() - failing_memory_bytes() : kept(s);
    pb_planner_free(made);
    return bytes;
}

static long planner_idle(setting_t *s)
{
    return planner(s, 0, false);
}

static long planner_first(setting_t *s)
{
    return planner(s, 1, false);
}

static long planner_roots(setting_t *s)
{
    return planner(s, ROOTS, false);
}

static long planning(setting_t *s)
{
    return planner(s, 1, true);
}

/** Of a rank in a plan of this kind its role, or its transfer; the largest of all ranks. */
static long of_plan(setting_t *s, pb_kind_t kind, bool transfers)
{
    const pb_transfer_limits_t limits = {.receive_window = 16, .send_window = 8};
    tally_t tally = {0};
    long largest = 0;
    pb_plan_t *plan;
    must(pb_plan_compute(s->view, kind, NULL, &plan) == PB_SUCCESS);
    run_t run = run_new(world_new(2, s->n_ranks, s->root, 328, 8), plan, limits);
    for (int rank = 0; rank < s->n_ranks; rank++) {
        begin(s);
        pb_role_t *role = transfers ? NULL : pb_role_new(plan, rank);
        must(transfers ? run_start(&run, rank) : role != NULL);
        largest = kept(s) > largest ? kept(s) : largest;
        free(role);
    }
    run_fini(&run, &tally, 0);
    must(tally.failures == 0);
    pb_plan_free(plan);
    return largest;
}

static long role(setting_t *s)
{
    return of_plan(s, PB_KIND_TWOTREE, false);
}

static long binomial_role(setting_t *s)
{
    return of_plan(s, PB_KIND_BINOMIAL, false);
}

static long transfer(setting_t *s)
{
    return of_plan(s, PB_KIND_TWOTREE, true);
}

static long credit(setting_t *s)
{
    pb_arrival_credit_t of_root;
    begin(s);
    pb_arrival_credit_init(&of_root, 1);
    must(pb_arrival_credit_reserve(&of_root, s->n_ranks));
    const long bytes = kept(s);
    pb_arrival_credit_fini(&of_root);
    return bytes;
}

/** Each with its bound: of 1, of P and of log2 P, rounded up. */
static const struct {
    const char *name;
    long constant, per_rank, per_log;
    long (*measure)(setting_t *s);
} parts[] = {
    {"network: a node, its name and slots in two hash tables for each host", 1024, 272, 0, network},
    {"placement: a number for each rank", 64, 4, 0, placement},
    {"planner before a plan: candidates of each class of sizes, plans charged", 18432, 4, 0,
     planner_idle},
    {"planner, one root: choices, a role, subtrees of each link", 98304, 48, 0, planner_first},
    {"planner, 32 roots: cache_size, plans charged", CACHE + 131072, 4, 0, planner_roots},
    {"planning for a first root, meanwhile: plan and view", 262144, 400, 0, planning},
    {"role in two trees: two parents, two children", 128, 0, 0, role},
    {"role in a binomial tree: log2 P children", 96, 0, 8, binomial_role},
    {"transfer in two trees: windows of two parents and two children", 4096, 0, 0, transfer},
    {"credit at a root, with arrival_nb: two sums for each rank", 64, 16, 0, credit},
};

static void test_bounds(int n_ranks)
{
    setting_t s = {.n_ranks = n_ranks, .root = n_ranks / 3};
    long log2_up = 0;
    while (1L << log2_up < n_ranks) {
        log2_up++;
    }
    pb_model_assume(UINT64_C(1000000000), 1500, &s.model);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const long bound =
            parts[i].constant + parts[i].per_rank * n_ranks + parts[i].per_log * log2_up;
        const long bytes = parts[i].measure(&s);
        /* On one switch, planning needs no more than the planner keeps of it. */
        const bool may_be_none = parts[i].measure == planning && n_ranks <= PER_SWITCH;
        ok((bytes > 0 || may_be_none) && bytes <= bound,
           "%d ranks: %ld bytes, at most %ld of the %s", n_ranks, bytes, bound, parts[i].name);
    }
    pb_view_free(s.view);
    pb_placement_free(s.placement);
    pb_network_free(s.network);
}

int main(void)
{
    static const int sizes[] = {16, 64, 256, 1024, 10000};
    const int n_sizes = tap_trials(5, 4);
    for (int i = 0; i < n_sizes; i++) {
        test_bounds(sizes[i]);
    }
    return tap_done();
}
