#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "command.h"
#include "contrib/tools/common/progress.h"
#include "judged.h"
#include "message.h"
#include "topo/check/random_cluster.h"
#include "topo/util/hash.h"

/*
 * The study of Figure 5 (papers 1 and 2, section 4): heights of trees over random clusters of
 * rising size.
 */

/* Heights of one kind over the random clusters of one size and density. */
typedef struct height {
    int n; /* clusters that the kind served */
    int64_t sum;
} height_t;

typedef struct study {
    const tool_options_t *options;
    height_t *heights; /* by density, size and kind */
} study_t;

/* The cell of a density, a size and a kind, by their indices in the options. */
static height_t *cell_at(const study_t *study, int density, int size, int kind)
{
    const tool_options_t *options = study->options;
    return &study->heights[(density * options->sizes.n + size) * options->n_kinds + kind];
}

/* Edges from the root of the complete binary tree of n hosts to its deepest leaf. */
static int complete_height(int n_hosts)
{
    int height = 0;
    while ((INT64_C(2) << height) - 1 < n_hosts) {
        height++;
    }
    return height;
}

/* Switches of a cluster of so many hosts: at least one. */
static int switches_of(int n_hosts, int per_switch)
{
    return n_hosts > per_switch ? n_hosts / per_switch : 1;
}

/* Every cluster has a seed of its own, so that it does not depend on which other
 * sizes are studied. */
static pb_random_t seed_of(const tool_options_t *options, int n_hosts, int per_switch, int i)
{
    uint64_t state = pb_hash_number(PB_HASH_START, options->seed);
    state = pb_hash_number(state, (uint64_t) n_hosts);
    state = pb_hash_number(state, (uint64_t) per_switch);
    state = pb_hash_number(state, (uint64_t) i);
    return pb_random_seed(pb_hash_end(state));
}

static void add_height(height_t *cell, int height)
{
    cell->sum += height;
    cell->n++;
}

/* A kind that does not fit leaves its cells alone. */
static tool_exit_t study_kind(const tool_options_t *options, const pb_view_t *view, int kind,
                              height_t *cell)
{
    tool_judged_t judged;
    tool_exit_t code = tool_judge(view, options->kinds[kind], &options->plan, &judged);
    if (code == TOOL_OK) {
        add_height(cell, judged.check.height);
    } else if (code == TOOL_CONTENTION) {
        tool_complain(code,
                      "%s breaks its promise on a random cluster of %d hosts; this is a "
                      "fault of pipebcast:",
                      pb_kind_name(options->kinds[kind]), view->n_ranks);
        tool_print_faults(stderr, &judged.faults);
    } else if (code == TOOL_SYSTEM) {
        tool_complain_error(PB_ERR_NO_MEMORY);
    }
    tool_judged_clear(&judged);
    return code == TOOL_UNFIT ? TOOL_OK : code;
}

static tool_exit_t study_view(const study_t *study, const pb_view_t *view, int density, int size)
{
    tool_exit_t code = TOOL_OK;
    for (int kind = 0; kind < study->options->n_kinds && code == TOOL_OK; kind++) {
        code = study_kind(study->options, view, kind, cell_at(study, density, size, kind));
    }
    return code;
}

/* One rank on each host, from the first host. */
static int view_of(const pb_network_t *network, pb_placement_t **placement_p, pb_view_t **view_p)
{
    int n = pb_network_n_hosts(network), *hosts = tool_hosts(network);
    *placement_p = pb_placement_new(network, n);
    if (hosts == NULL || *placement_p == NULL) {
        free(hosts);
        return PB_ERR_NO_MEMORY;
    }
    memcpy((*placement_p)->host, hosts, (size_t) n * sizeof(*hosts));
    free(hosts);
    return pb_view_new(*placement_p, 0, NULL, 0, view_p);
}

static tool_exit_t study_cluster(const study_t *study, int density, int size, int i)
{
    const tool_options_t *options = study->options;
    const int n_hosts = (int) options->sizes.values[size];
    const int per_switch = (int) options->per_switch.values[density];
    pb_random_t random = seed_of(options, n_hosts, per_switch, i);
    pb_network_t *network = NULL;
    pb_placement_t *placement = NULL;
    pb_view_t *view = NULL;
    int error = pb_random_cluster(&random, switches_of(n_hosts, per_switch), n_hosts, &network);
    error = error != PB_SUCCESS ? error : view_of(network, &placement, &view);
    tool_exit_t code =
        error != PB_SUCCESS ? tool_complain_error(error) : study_view(study, view, density, size);
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
    return code;
}

static void print_heading(const tool_options_t *options, int density)
{
    printf("# mean heights over %d random %s of %d hosts per switch, seed %llu\n%8s  %8s  %8s",
           options->topologies, options->topologies == 1 ? "cluster" : "clusters",
           (int) options->per_switch.values[density], (unsigned long long) options->seed, "hosts",
           "switches", "complete");
    for (int kind = 0; kind < options->n_kinds; kind++) {
        printf("  %*s", (int) strlen(pb_kind_name(options->kinds[kind])) > 7 ? 0 : 7,
               pb_kind_name(options->kinds[kind]));
    }
    putchar('\n');
}

static void print_row(const study_t *study, int density, int size)
{
    const tool_options_t *options = study->options;
    const int n_hosts = (int) options->sizes.values[size];
    printf("%8d  %8d  %8d", n_hosts,
           switches_of(n_hosts, (int) options->per_switch.values[density]),
           complete_height(n_hosts));
    for (int kind = 0; kind < options->n_kinds; kind++) {
        const height_t *cell = cell_at(study, density, size, kind);
        int width = (int) strlen(pb_kind_name(options->kinds[kind]));
        width = width > 7 ? width : 7;
        if (cell->n == options->topologies) {
            printf("  %*.2f", width, (double) cell->sum / cell->n);
        } else {
            printf("  %*s", width, "-");
        }
    }
    putchar('\n');
    fflush(stdout);
}

static tool_exit_t study_all(const study_t *study)
{
    const tool_options_t *options = study->options;
    const double all = (double) tool_sum(&options->sizes) * options->per_switch.n;
    double done = 0;
    tool_exit_t code = TOOL_OK;
    common_progress_t progress;
    common_progress_begin(&progress, true);
    for (int density = 0; density < options->per_switch.n && code == TOOL_OK; density++) {
        print_heading(options, density);
        for (int size = 0; size < options->sizes.n && code == TOOL_OK; size++) {
            for (int i = 0; i < options->topologies && code == TOOL_OK; i++) {
                code = study_cluster(study, density, size, i);
                done += (double) options->sizes.values[size] / options->topologies;
                common_progress_report(&progress, done / all);
            }
            common_progress_end(&progress);
            if (code == TOOL_OK) {
                print_row(study, density, size);
            }
        }
    }
    return code;
}

static bool is_rising(const common_list_t *list)
{
    for (int i = 1; i < list->n; i++) {
        if (list->values[i] <= list->values[i - 1]) {
            return false;
        }
    }
    return true;
}

static tool_exit_t run(const tool_options_t *options)
{
    if (!is_rising(&options->sizes)) {
        return tool_complain(TOOL_USAGE, "--host-counts must rise from number to number");
    }
    size_t n_cells =
        (size_t) options->per_switch.n * (size_t) options->sizes.n * (size_t) options->n_kinds;
    study_t study = {.options = options, .heights = calloc(n_cells, sizeof(*study.heights))};
    if (study.heights == NULL) {
        return tool_complain_error(PB_ERR_NO_MEMORY);
    }
    tool_exit_t code = study_all(&study);
    free(study.heights);
    return code;
}

static const common_option_t rows[] = {
    {"host-counts", COMMON_NUMBERS, TOOL_VALUE(sizes), .least = 1, .most = 1 << 16,
     .argument = "LIST", .missing = "16:1024", .help = "hosts, as 16,64 or, doubling, 16:8192"},
    {"per-switch", COMMON_NUMBERS, TOOL_VALUE(per_switch), .least = 1, .most = 1 << 16,
     .argument = "LIST", .missing = "16,8", .help = "mean number of hosts per switch"},
    {"clusters", COMMON_NUMBER, TOOL_VALUE(topologies), .least = 1, .most = 1000000,
     .argument = "N", .missing = "20", .help = "random clusters for each size"},
    {"seed", COMMON_NUMBER, TOOL_VALUE(seed), .argument = "N", .missing = "1",
     .help = "the same number gives the same clusters everywhere"},
    {"algorithm", COMMON_OWN, .take = tool_take_kinds, .argument = "LIST", .missing = "all",
     .help = "names as for tree, separated by commas, or all"},
    {"sizes", COMMON_NUMBERS, TOOL_VALUE(sizes), .least = 1, .most = 1 << 16, .argument = "LIST",
     .now = "host-counts"},
    {"topologies", COMMON_NUMBER, TOOL_VALUE(topologies), .least = 1, .most = 1000000,
     .argument = "N", .now = "clusters"},
    {"fanout", COMMON_NUMBER, TOOL_VALUE(plan.fanout), .least = 1, .most = TOOL_MAX_RANKS,
     .argument = "K", .missing = "3", .help = "children of a rank in a kary tree"},
    {0},
};

const tool_command_t tool_cmd_heights = {
    .line =
        {
            .name = "pipebcast heights",
            .usage = "usage: pipebcast heights [OPTION]...\n"
                     "\n"
                     "Generates random clusters (random links between switches, unless they close "
                     "a cycle,\n"
                     "until all are joined; then hosts on random switches), makes and checks the "
                     "trees of\n"
                     "every algorithm from the first host, and prints their mean heights beside "
                     "that of the\n"
                     "complete binary tree, which no binary tree can be lower than. Of a plan with "
                     "several\n"
                     "streams the highest counts. \"-\" stands where an algorithm does not serve "
                     "all clusters.\n",
            .groups = (const common_group_t[]){{NULL, rows}, {0}},
            .more = "examples:\n"
                    "  pipebcast heights --host-counts 16:8192 --algorithm "
                    "binary,kary,twotree\n"
                    "  pipebcast heights --host-counts 256 --per-switch 4,48 --clusters 100\n"
                    "\n"
                    "exit status: 0 all is well; 1 a tree has contention though its algorithm "
                    "promises none,\n"
                    "or something failed; 2 the command line is wrong.\n",
        },
    .summary = "compare the heights of trees over random clusters",
    .all_kinds = true,
    .run = run,
};
