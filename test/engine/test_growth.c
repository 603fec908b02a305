/*
 * What a rank keeps, and what it sends, as functions of the number of ranks P: each part beside its
 * bound, at 16 to 10,000 ranks with one on each host, on random trees of switches with 32 hosts on
 * each. What is sent is counted in the world of world.h.
 *
 * Usage: test_growth [csv]: holds each against its bound, or prints the table of doc/results
 * (make growth). What
 * Open MPI has to do with is measured in test/mpi/run_memory.c.
 */
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "engine/sweep.h"
#include "engine/transfer.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/topo/check/random_network.h"
#include "topo/model/planner.h"
#include "topo/trees/plan.h"
#include "world.h"

enum {
    PER_SWITCH = 32,
    BYTES = 65536,    /**< of the message that is planned */
    ROOTS = 32,       /**< for which plans are made where roots change */
    CACHE = 4 << 20,  /**< the parameter cache_size */
    SEGMENTS = 41,    /**< of the message that is broadcast */
    SEGMENT_SIZE = 8, /**< its bytes */
    MAX_ROUNDS = 20000,
};

/** The parameters receive_window and send_window. */
static const pb_transfer_limits_t limits = {.receive_window = 16, .send_window = 8};

/** So many ranks, and what was made for them. */
typedef struct setting {
    int n_ranks, root;
    pb_network_t *network;
    pb_placement_t *placement;
    pb_model_t model;
    pb_plan_t *plan; /**< two trees */
    long network_bytes, placement_bytes;
} setting_t;

static void *must_have(void *memory)
{
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void must(bool is_right)
{
    if (!is_right) {
        abort();
    }
}

/** The plan of a kind, whose peak of memory is *peak_p, its view included. */
static pb_plan_t *make_plan(const setting_t *s, pb_kind_t kind, long *peak_p)
{
    pb_view_t *view;
    pb_plan_t *plan;
    const long before = failing_memory_bytes();
    failing_memory_begin_peak();
    must(pb_view_new(s->placement, s->root, NULL, 0, &view) == PB_SUCCESS);
    must(pb_plan_compute(view, kind, NULL, &plan) == PB_SUCCESS);
    pb_view_free(view);
    *peak_p = failing_memory_peak() - before;
    return plan;
}

static void setting_init(setting_t *s, int n_ranks)
{
    pb_random_t random = pb_random_seed(1);
    const int n_switches = n_ranks > PER_SWITCH ? n_ranks / PER_SWITCH : 1;
    long before = failing_memory_bytes(), peak;
    *s = (setting_t){.n_ranks = n_ranks, .root = n_ranks / 3};
    s->network = pb_random_network(&random, PB_SHAPE_PAPER, n_switches, n_ranks, 0);
    s->network_bytes = failing_memory_bytes() - before;
    before = failing_memory_bytes();
    s->placement = must_have(pb_placement_new(s->network, n_ranks));
    s->placement_bytes = failing_memory_bytes() - before;
    for (int rank = 0; rank < n_ranks; rank++) {
        s->placement->host[rank] = n_switches + rank;
    }
    pb_model_assume(UINT64_C(1000000000), 1500, &s->model);
    s->plan = make_plan(s, PB_KIND_TWOTREE, &peak);
}

static void setting_fini(setting_t *s)
{
    pb_plan_free(s->plan);
    pb_placement_free(s->placement);
    pb_network_free(s->network);
}

/* What is kept. */

static long network(setting_t *s)
{
    return s->network_bytes;
}

static long placement(setting_t *s)
{
    return s->placement_bytes;
}

static pb_planner_t *new_planner(setting_t *s)
{
    const pb_planner_options_t options = {
        .rank = 1, .choose = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3}, .memory = CACHE};
    pb_planner_t *planner = must_have(pb_planner_new());
    must(pb_planner_reserve_learning(planner) == PB_SUCCESS);
    pb_planner_begin(planner, s->placement, &s->model, &options);
    return planner;
}

static void plan_for(pb_planner_t *planner, int root)
{
    pb_planned_t planned;
    must(pb_planner_plan(planner, root, BYTES, &planned) == PB_SUCCESS &&
         pb_planner_sweep(planner, root, BYTES, &planned) == PB_SUCCESS);
}

/** A planner that has planned for so many roots. */
static long planner_of(setting_t *s, int n_roots)
{
    const long before = failing_memory_bytes();
    pb_planner_t *planner = new_planner(s);
    for (int i = 0; i < n_roots && i < s->n_ranks; i++) {
        plan_for(planner, (int) ((long) i * 7919 % s->n_ranks));
    }
    const long kept = failing_memory_bytes() - before;
    pb_planner_free(planner);
    return kept;
}

static long planner_idle(setting_t *s)
{
    return planner_of(s, 0);
}

static long planner_first(setting_t *s)
{
    return planner_of(s, 1);
}

static long planner_roots(setting_t *s)
{
    return planner_of(s, ROOTS);
}

/** While a first root is planned, beyond what is kept then. */
static long planning(setting_t *s)
{
    const long before = failing_memory_bytes();
    pb_planner_t *planner = new_planner(s);
    failing_memory_begin_peak();
    plan_for(planner, s->root);
    const long peak = failing_memory_peak() - before;
    const long kept = failing_memory_bytes() - before;
    pb_planner_free(planner);
    return peak - kept;
}

/** The largest of all ranks. */
static long role_in(setting_t *s, const pb_plan_t *plan)
{
    long largest = 0;
    for (int rank = 0; rank < s->n_ranks; rank++) {
        const long before = failing_memory_bytes();
        pb_role_t *role = must_have(pb_role_new(plan, rank));
        const long bytes = failing_memory_bytes() - before;
        largest = bytes > largest ? bytes : largest;
        free(role);
    }
    return largest;
}

static long role(setting_t *s)
{
    return role_in(s, s->plan);
}

static long binomial_role(setting_t *s)
{
    long peak;
    pb_plan_t *plan = make_plan(s, PB_KIND_BINOMIAL, &peak);
    const long largest = role_in(s, plan);
    pb_plan_free(plan);
    return largest;
}

static long credit(setting_t *s)
{
    pb_arrival_credit_t of_root;
    const long before = failing_memory_bytes();
    pb_arrival_credit_init(&of_root, 1);
    must(pb_arrival_credit_reserve(&of_root, s->n_ranks));
    const long kept = failing_memory_bytes() - before;
    pb_arrival_credit_fini(&of_root);
    return kept;
}

/** While the plan of two trees is made: the plan, its view, and what the construction needs. */
static long making(setting_t *s)
{
    long peak;
    pb_plan_free(make_plan(s, PB_KIND_TWOTREE, &peak));
    return peak;
}

/* What is done in a world, by all ranks. */

/** One step of this rank in what `all` of them do; whether its part is through. */
typedef bool advance_t(void *all, int rank);

static void advance_all(world_t *world, int n_ranks, advance_t *advance, void *all)
{
    int n_through = 0;
    for (int round = 0; round < MAX_ROUNDS && n_through < n_ranks; round++) {
        n_through = 0;
        for (int rank = 0; rank < n_ranks; rank++) {
            n_through += advance(all, rank);
        }
        world_step(world);
    }
    must(n_through == n_ranks);
}

static long most_sent_in(const world_t *world, int n_ranks)
{
    long most = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        const long sent = world->n_sent[rank];
        most = sent > most ? sent : most;
    }
    return most;
}

/* A broadcast. */

typedef struct transferred {
    long most_bytes; /**< of a rank, beside its message */
    long most_sent;  /**< segments of a rank */
} transferred_t;

static bool advance_transfer(void *all, int rank)
{
    pb_transfer_t *transfers = all;
    return pb_transfer_advance(&transfers[rank]);
}

static transferred_t transfer_all(setting_t *s)
{
    const int n = s->n_ranks;
    world_t *world = world_new(2, n, s->root, SEGMENTS * SEGMENT_SIZE, SEGMENT_SIZE);
    pb_transfer_t *transfers = must_have(calloc((size_t) n, sizeof(*transfers)));
    transferred_t most = {0};
    for (int rank = 0; rank < n; rank++) {
        pb_role_t *own = must_have(pb_role_new(s->plan, rank));
        const long before = failing_memory_bytes();
        must(pb_transfer_start(&transfers[rank], own, &limits, world->total, SEGMENT_SIZE,
                               &world->transports[rank], &world->messages[rank]));
        const long bytes = failing_memory_bytes() - before;
        most.most_bytes = bytes > most.most_bytes ? bytes : most.most_bytes;
        free(own);
    }
    advance_all(world, n, advance_transfer, transfers);
    most.most_sent = most_sent_in(world, n);
    for (int rank = 0; rank < n; rank++) {
        must(world_rank_has_all(world, rank));
        pb_transfer_finish(&transfers[rank]);
    }
    free(transfers);
    world_free(world);
    return most;
}

static long transfer_bytes(setting_t *s)
{
    return transfer_all(s).most_bytes;
}

static long segments(setting_t *s)
{
    return transfer_all(s).most_sent;
}

/* Arrivals: one broadcast of arrivals.h has their control messages. */

/** A world of arrivals without its own broadcasts. */
static arrivals_t *control_messages(const setting_t *s)
{
    arrivals_t *arrivals = arrivals_new_of(3, s->n_ranks, 1);
    arrivals->prompt = true;
    return arrivals;
}

static pb_arrival_env_t env_of(const setting_t *s, broadcast_t *broadcast, int rank)
{
    return (pb_arrival_env_t){.caller = &broadcast->callers[rank],
                              .control = &broadcast->controls[rank],
                              .transport = &broadcast->world->transports[rank],
                              .n_ranks = s->n_ranks,
                              .rank = rank,
                              .root = s->root,
                              .total = 1};
}

static long arrival_root(setting_t *s)
{
    arrivals_t *arrivals = control_messages(s);
    const pb_arrival_env_t env = env_of(s, &arrivals->broadcasts[0], s->root);
    pb_arrival_root_t root;
    const long before = failing_memory_bytes();
    must(pb_arrival_root_start(&root, &env, 1));
    const long kept = failing_memory_bytes() - before;
    pb_arrival_root_finish(&root);
    arrivals_free(arrivals);
    return kept;
}

/** Messages that the root gets when the receivers arrive. */
static long arrived(setting_t *s)
{
    arrivals_t *arrivals = control_messages(s);
    broadcast_t *broadcast = &arrivals->broadcasts[0];
    long n_arrived = 0;
    arrivals->failure = FAIL_MEMORY; /* never here, but so that what is given up is no breach */
    arrivals->fail_rank = -1;
    for (int rank = 0; rank < s->n_ranks; rank++) {
        const pb_arrival_env_t env = env_of(s, broadcast, rank);
        pb_arrival_receiver_t receiver;
        if (rank != s->root) {
            must(pb_arrival_receiver_start(&receiver, &env));
            n_arrived += mail_drop_all(&broadcast->mail[s->root]);
            pb_arrival_receiver_finish(&receiver);
        }
    }
    arrivals_free(arrivals);
    return n_arrived;
}

/** Messages of a sweep, those of all ranks, along the first of two trees. */
static long sweep_messages(setting_t *s)
{
    const int n = s->n_ranks;
    arrivals_t *arrivals = control_messages(s);
    pb_sweep_t *sweeps = must_have(calloc((size_t) n, sizeof(*sweeps)));
    uint8_t *rooms = must_have(malloc((size_t) n * pb_rank_set_bytes(n)));
    int n_through = 0;
    for (int rank = 0; rank < n; rank++) {
        const pb_sweep_times_t times = {.wait = 1, .transfer = 1};
        pb_role_t *own = must_have(pb_role_new(s->plan, rank));
        pb_sweep_start(&sweeps[rank], &arrivals->broadcasts[0].controls[rank], own, rank, n, 0,
                       &rooms[(size_t) rank * pb_rank_set_bytes(n)]);
        pb_sweep_end(&sweeps[rank], &times);
        free(own);
    }
    for (int round = 0; round < MAX_ROUNDS && n_through < n; round++) {
        n_through = 0;
        for (int rank = 0; rank < n; rank++) {
            n_through += pb_sweep_advance(&sweeps[rank]);
            if (sweeps[rank].state == PB_SWEEP_SUMMED) {
                pb_sweep_announce(&sweeps[rank], PB_ARRIVAL_EVEN);
            }
        }
    }
    must(n_through == n);
    const long n_messages = arrivals->n_taken;
    free(rooms);
    free(sweeps);
    arrivals_free(arrivals);
    return n_messages;
}

/** Other ranks that one is a neighbour of in the plans of a root, the most of any rank. */
static long neighbours(setting_t *s)
{
    return pb_plan_most_neighbours(s->plan);
}

/* Bounds. */

static long log2_up(long n)
{
    long bits = 0;
    while (1L << bits < n) {
        bits++;
    }
    return bits;
}

/* The parts. */

typedef struct part {
    const char *name, *belongs_to;
    /** The bound: of 1, of P and of log2 P, rounded up. */
    long constant;
    double per_rank;
    long per_log;
    const char *why;
    long (*measure)(setting_t *s);
} part_t;

static long bound_of(const part_t *part, long n_ranks)
{
    return part->constant + (long) (part->per_rank * (double) n_ranks) +
           part->per_log * log2_up(n_ranks);
}

static const part_t parts[] = {
    {"network", "process", 1024, 272, 0,
     "a node, its name and slots in two hash tables for each host and switch, in arrays that "
     "double",
     network},
    {"placement", "set of ranks", 64, 4, 0, "a number for each rank", placement},
    {"planner before a plan", "communicator", 18432, 0, 0,
     "16 classes of sizes with 20 candidates each are learnt", planner_idle},
    {"planner, one root", "communicator", 98304, 48, 0,
     "profiles of the kinds, choices, a role; tables of subtrees, at most two for each link",
     planner_first},
    {"planner, 32 roots", "communicator", CACHE + 131072, 0, 0,
     "cache_size, 4 MiB, and what is there in any case", planner_roots},
    {"role in two trees", "communicator and root", 128, 0, 0,
     "two parents and two children at most", role},
    {"role in a binomial tree", "communicator and root", 96, 0, 8, "log2 P children",
     binomial_role},
    {"credit, with arrival nb, at a root", "communicator", 64, 16, 0,
     "two sums of bytes for each rank", credit},
    {"planning for a first root, meanwhile", "rank", 262144, 400, 0,
     "plan, view, and what profiles share; tables of candidates, which do not depend on P",
     planning},
    {"plan of two trees, meanwhile", "rank", 163840, 192, 0,
     "parents, children and times of two trees, the view; tables as above", making},
    {"transfer in two trees", "broadcast", 4096, 0, 0,
     "windows of 16 receives of two parents, of 8 sends to two children", transfer_bytes},
    {"arrivals, at the root", "broadcast", 256, 2.5, 0, "2 bytes for each rank and 4 sets of ranks",
     arrival_root},
    {"neighbours in two trees", "root", 4, 0, 0, "two parents and two children at most",
     neighbours},
    {"messages, of 41 segments in two trees", "broadcast", SEGMENTS + 1, 0, 0,
     "no rank sends more than two edges, each of half of the segments", segments},
    {"messages of a sweep, by all ranks", "swept broadcast", 0, 2, 0,
     "up and down each edge of a tree", sweep_messages},
    {"messages that the root gets", "arrival-aware broadcast", 0, 1, 0,
     "each other rank reports once", arrived},
};

#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

static const int sizes[] = {16, 64, 256, 1024, 10000};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/** By part and size. */
typedef long measured_t[N_PARTS][N_SIZES];

/** The first n_sizes; the gathers of 10,000 ranks take 800 MB together. */
static void measure(size_t n_sizes, measured_t measured)
{
    for (size_t i = 0; i < n_sizes; i++) {
        setting_t setting;
        setting_init(&setting, sizes[i]);
        for (size_t p = 0; p < N_PARTS; p++) {
            measured[p][i] = parts[p].measure(&setting);
        }
        setting_fini(&setting);
    }
}

/** The bound of a part as a formula. */
static const char *formula_of(const part_t *part, char *text, size_t size)
{
    int n = 0;
    text[0] = '\0';
    if (part->constant > 0) {
        n += snprintf(text, size, "%ld", part->constant);
    }
    if (part->per_rank > 0) {
        n += snprintf(text + n, size - (size_t) n, "%s%g P", n > 0 ? " + " : "", part->per_rank);
    }
    if (part->per_log > 0) {
        snprintf(text + n, size - (size_t) n, "%s%ld log2 P", n > 0 ? " + " : "", part->per_log);
    }
    return text;
}

static void print_table(measured_t measured)
{
    char formula[80];
    printf(",of each,16 ranks,64,256,\"1,024\",\"10,000\",bound,as there are\n");
    for (size_t p = 0; p < N_PARTS; p++) {
        printf("\"%s\",%s", parts[p].name, parts[p].belongs_to);
        for (size_t i = 0; i < N_SIZES; i++) {
            printf(",%ld", measured[p][i]);
        }
        printf(",%s,\"%s\"\n", formula_of(&parts[p], formula, sizeof(formula)), parts[p].why);
    }
}

static void test_bounds(size_t n_sizes, measured_t measured)
{
    char formula[80];
    for (size_t p = 0; p < N_PARTS; p++) {
        for (size_t i = 0; i < n_sizes; i++) {
            const long bound = bound_of(&parts[p], sizes[i]);
            ok(measured[p][i] > 0 && measured[p][i] <= bound, "%s, %d ranks: %ld, at most %ld (%s)",
               parts[p].name, sizes[i], measured[p][i], bound,
               formula_of(&parts[p], formula, sizeof(formula)));
        }
    }
}

int main(int argc, char **argv)
{
    static measured_t measured;
    const bool prints = argc > 1 && strcmp(argv[1], "csv") == 0;
    const size_t n_sizes = prints ? N_SIZES : (size_t) tap_trials(N_SIZES, N_SIZES - 1);
    measure(n_sizes, measured);
    if (prints) {
        print_table(measured);
        return EXIT_SUCCESS;
    }
    test_bounds(n_sizes, measured);
    return tap_done();
}
