#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "contrib/tools/common/progress.h"
#include "message.h"
#include "study_network.h"
#include "topo/model/planner.h"
#include "topo/trees/tables.h"

/*
 * The study of planning: processor time of a first root and of further ones, for each kind of tree
 * and for the choice among them, over networks of rising size.
 */

/* Of the message, without --bytes. */
#define DEFAULT_BYTES 65536

/* The kinds' rows, and those of the planner: with a model that was measured, and without. */
enum { ROW_MEASURED = PB_KIND_COUNT, ROW_ASSUMED, N_ROWS };

/* Nanoseconds of processor time, and what is kept for further roots. */
typedef struct cost {
    int64_t first, further, slowest;
    size_t kept; /* bytes */
    bool unfit;
} cost_t;

/* One network, and which roots plans are made for. */
typedef struct study {
    const tool_options_t *options;
    pb_network_t *network;
    pb_placement_t *placement;
    int n_roots;
    int *roots;
    cost_t costs[N_ROWS];
    common_progress_t progress;
    double done; /* hosts of networks that were planned, over all that will be */
} study_t;

static int64_t now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (int64_t) at.tv_sec * 1000000000 + at.tv_nsec;
}

/* ---- networks ---- */

/* One rank on each host, in random order. */
static int place(study_t *study, pb_random_t *random, int n_hosts)
{
    const int n_nodes = pb_network_size(study->network);
    study->placement = pb_placement_new(study->network, n_hosts);
    study->roots = malloc((size_t) n_hosts * sizeof(*study->roots));
    if (study->placement == NULL || study->roots == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < n_hosts; i++) {
        study->placement->host[i] = n_nodes - n_hosts + i;
        study->roots[i] = i;
    }
    pb_random_shuffle(random, study->placement->host, n_hosts);
    pb_random_shuffle(random, study->roots, n_hosts);
    const int n_roots = study->options->n_roots + 1;
    study->n_roots = n_roots < n_hosts ? n_roots : n_hosts;
    return PB_SUCCESS;
}

/* ---- times ---- */

static void note(const study_t *study, cost_t *cost, int i, int64_t time)
{
    if (i == 0) {
        cost->first += time;
        return;
    }
    cost->further += time / (study->n_roots - 1);
    cost->slowest = time > cost->slowest ? time : cost->slowest;
}

/* The largest over the networks counts. */
static void note_kept(cost_t *cost, size_t kept)
{
    cost->kept = kept > cost->kept ? kept : cost->kept;
}

/* The plan of a kind for every root. */
static int time_kind(const study_t *study, pb_kind_t kind, cost_t *cost)
{
    pb_tables_t tables = {0};
    const pb_plan_options_t options = {.fanout = study->options->plan.fanout, .tables = &tables};
    int error = PB_SUCCESS;
    for (int i = 0; i < study->n_roots && error == PB_SUCCESS; i++) {
        pb_view_t *view;
        pb_plan_t *plan = NULL;
        const int64_t start = now();
        error = pb_view_new(study->placement, study->roots[i], NULL, 0, &view);
        if (error == PB_SUCCESS) {
            error = pb_plan_compute(view, kind, &options, &plan);
        }
        pb_view_free(view);
        pb_plan_free(plan);
        note(study, cost, i, now() - start);
    }
    note_kept(cost, pb_tables_memory(&tables));
    pb_tables_clear(&tables);
    cost->unfit = cost->unfit || error == PB_ERR_UNFIT;
    return error == PB_ERR_UNFIT ? PB_SUCCESS : error;
}

/* What rank 0 does for every root: it chooses among all kinds, and makes its role. */
static int time_choice(const study_t *study, bool measured, cost_t *cost)
{
    static pb_model_t model;
    const uint64_t bytes = study->options->bytes > 0 ? study->options->bytes : DEFAULT_BYTES;
    const pb_planner_options_t options = {
        .choose = {.kind = PB_CHOOSE_ALL, .plan.fanout = study->options->plan.fanout},
        .memory = (size_t) 1 << 30};
    pb_planner_t *planner = pb_planner_new();
    int error = planner != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    pb_model_assume(0, 0, &model);
    model.measured = measured;
    if (planner != NULL) {
        pb_planner_begin(planner, study->placement, &model, &options);
    }
    for (int i = 0; i < study->n_roots && error == PB_SUCCESS; i++) {
        pb_planned_t planned;
        const int64_t start = now();
        error = pb_planner_plan(planner, study->roots[i], bytes, &planned);
        note(study, cost, i, now() - start);
    }
    note_kept(cost, planner != NULL ? pb_planner_memory(planner) : 0);
    pb_planner_free(planner);
    return error;
}

static int time_all(study_t *study)
{
    int error = PB_SUCCESS;
    for (int k = 0; k < study->options->n_kinds && error == PB_SUCCESS; k++) {
        const pb_kind_t kind = study->options->kinds[k];
        error = time_kind(study, kind, &study->costs[kind]);
    }
    for (int row = ROW_MEASURED; row < N_ROWS && error == PB_SUCCESS; row++) {
        error = time_choice(study, row == ROW_MEASURED, &study->costs[row]);
    }
    return error;
}

/* ---- the table ---- */

static void print_row(const study_t *study, int n_hosts, int per_switch, int row)
{
    const char *name = row == ROW_MEASURED  ? "choice"
                       : row == ROW_ASSUMED ? "choice, not measured"
                                            : pb_kind_name((pb_kind_t) row);
    const cost_t *cost = &study->costs[row];
    const double unit = 1e6 * study->options->topologies;
    if (cost->unfit) {
        return;
    }
    printf("%8d  %10d  %-20s  %9.2f  %9.2f  %9.2f  %9zu\n", n_hosts, per_switch, name,
           (double) cost->first / unit, (double) cost->further / unit, (double) cost->slowest / 1e6,
           (cost->kept + 1023) / 1024);
}

static int study_networks(study_t *study, int n_hosts, int per_switch)
{
    const tool_options_t *options = study->options;
    pb_random_t random = pb_random_seed(options->seed);
    int error = PB_SUCCESS;
    memset(study->costs, 0, sizeof(study->costs));
    for (int i = 0; i < options->topologies && error == PB_SUCCESS; i++) {
        error =
            tool_study_network(options->leaf_spine ? TOOL_STUDY_LEAF_SPINE : TOOL_STUDY_RANDOM,
                               n_hosts, per_switch, options->trunk_speed, &random, &study->network);
        error = error == PB_SUCCESS ? place(study, &random, n_hosts) : error;
        error = error == PB_SUCCESS ? time_all(study) : error;
        study->done += (double) n_hosts / ((double) tool_sum(&options->sizes) *
                                           options->per_switch.n * options->topologies);
        common_progress_report(&study->progress, study->done);
        pb_placement_free(study->placement);
        pb_network_free(study->network);
        free(study->roots);
        study->placement = NULL;
        study->network = NULL;
        study->roots = NULL;
    }
    return error;
}

static tool_exit_t run(const tool_options_t *options)
{
    study_t study = {.options = options};
    int error = PB_SUCCESS;
    common_progress_begin(&study.progress, true);
    printf("# milliseconds of processor time to plan, means over %d %s and %d further roots each\n"
           "%8s  %10s  %-20s  %9s  %9s  %9s  %9s\n",
           options->topologies,
           options->leaf_spine ? "networks of leaves and a spine" : "random clusters",
           options->n_roots, "hosts", "per switch", "plan", "first", "further", "slowest",
           "KB kept");
    for (int size = 0; size < options->sizes.n; size++) {
        for (int density = 0; density < options->per_switch.n && error == PB_SUCCESS; density++) {
            const int n_hosts = (int) options->sizes.values[size];
            const int per_switch = (int) options->per_switch.values[density];
            error = study_networks(&study, n_hosts, per_switch);
            common_progress_end(&study.progress);
            for (int row = 0; row < N_ROWS && error == PB_SUCCESS; row++) {
                if (study.costs[row].first > 0) {
                    print_row(&study, n_hosts, per_switch, row);
                }
            }
            fflush(stdout);
        }
    }
    return error == PB_SUCCESS ? TOOL_OK : tool_complain_error(error);
}

static const char *const networks[] = {"random", "leaf-spine", NULL};

static const common_option_t rows[] = {
    {"host-counts", COMMON_NUMBERS, TOOL_VALUE(sizes), .least = 2, .most = 1 << 16,
     .argument = "LIST", .missing = "16:1024", .help = "hosts, as 16,64 or, doubling, 16:8192"},
    {"per-switch", COMMON_NUMBERS, TOOL_VALUE(per_switch), .least = 1, .most = 1 << 16,
     .argument = "LIST", .missing = "16,8", .help = "mean number of hosts per switch"},
    {"network", COMMON_CHOICE, TOOL_VALUE(leaf_spine), .argument = "KIND", .choices = networks,
     .missing = "random", .help = "random, or leaf-spine: one spine above all other switches"},
    {"trunk-speed", COMMON_NUMBER, TOOL_VALUE(trunk_speed), .least = 1, .most = 1024,
     .argument = "N", .missing = "1", .help = "speed of links between switches, of hosts' is 1"},
    {"roots", COMMON_NUMBER, TOOL_VALUE(n_roots), .least = 1, .most = 1 << 16, .argument = "N",
     .missing = "20", .help = "further roots, after the first one"},
    {"bytes", COMMON_SIZE, TOOL_VALUE(bytes), .least = 1, .most = INT64_C(1) << 40,
     .argument = "BYTES", .help = "of the message that is chosen for; 64K if missing"},
    {"clusters", COMMON_NUMBER, TOOL_VALUE(topologies), .least = 1, .most = 1000000,
     .argument = "N", .missing = "20", .help = "networks for each size"},
    {"seed", COMMON_NUMBER, TOOL_VALUE(seed), .argument = "N", .missing = "1",
     .help = "the same number gives the same networks everywhere"},
    {"algorithm", COMMON_OWN, .take = tool_take_kinds, .argument = "LIST", .missing = "all",
     .help = "names as for tree, separated by commas, or all"},
    {"sizes", COMMON_NUMBERS, TOOL_VALUE(sizes), .least = 2, .most = 1 << 16, .argument = "LIST",
     .now = "host-counts"},
    {"topologies", COMMON_NUMBER, TOOL_VALUE(topologies), .least = 1, .most = 1000000,
     .argument = "N", .now = "clusters"},
    {"fanout", COMMON_NUMBER, TOOL_VALUE(plan.fanout), .least = 1, .most = TOOL_MAX_RANKS,
     .argument = "K", .missing = "3", .help = "children of a rank in a kary tree"},
    {0},
};

const tool_command_t tool_cmd_plan_times = {
    .line =
        {
            .name = "pipebcast plan-times",
            .usage = "usage: pipebcast plan-times [OPTION]...\n"
                     "\n"
                     "Generates networks, and prints how much processor time plans of every "
                     "algorithm take, and\n"
                     "a rank's choice among them with its role: for the first root on a network, "
                     "and for further\n"
                     "ones, which use what is kept of the first. Algorithms that do not serve a "
                     "network are left\n"
                     "out.\n",
            .groups = (const common_group_t[]){{NULL, rows}, {0}},
            .more =
                "examples:\n"
                "  pipebcast plan-times --host-counts 1024,8192 --algorithm binary,twotree\n"
                "  pipebcast plan-times --host-counts 1024 --network leaf-spine --clusters 1\n"
                "\n"
                "exit status: 0 all is well; 1 something failed; 2 the command line is wrong.\n",
        },
    .summary = "measure how long planning takes over networks of rising size",
    .all_kinds = true,
    .run = run,
};
