#include <stdio.h>
#include <string.h>

#include "contrib/tools/common/report.h"
#include "format.h"
#include "json.h"
#include "topo/check/simulator.h"
#include "topo/util/error.h"

/* One simulated broadcast. */
typedef struct run {
    common_json_t runs; /* with --json: it is added there; else NULL */
    const tool_cluster_t *cluster;
    const tool_judged_t *judged;
    int n_segments;
    pb_simulation_t result;
} run_t;

/* Busy time of a directed link as a share of the completion time. */
static double utilisation(const pb_simulation_t *result, int link)
{
    return result->completion > 0 ? (double) result->link_busy[link] / (double) result->completion
                                  : 0;
}

/* The link that is busy longest, -1 if none is ever busy. */
static int busiest_link(const pb_simulation_t *result)
{
    int busiest = -1;
    for (int link = 0; link < result->n_links; link++) {
        if (result->link_busy[link] > (busiest < 0 ? 0 : result->link_busy[busiest])) {
            busiest = link;
        }
    }
    return busiest;
}

/* Over the links that are used at all. */
static double mean_utilisation(const pb_simulation_t *result)
{
    double sum = 0;
    int n = 0;
    for (int link = 0; link < result->n_links; link++) {
        if (result->link_busy[link] > 0) {
            sum += utilisation(result, link);
            n++;
        }
    }
    return n > 0 ? sum / n : 0;
}

/* The name of the node from which, or to which, a directed link leads. */
static const char *end_of(const run_t *run, int link, bool from)
{
    const pb_network_t *network = run->cluster->network;
    const pb_node_t *below = pb_network_node(network, pb_link_node(link));
    return pb_link_is_up(link) == from ? below->name
                                       : pb_network_node(network, below->parent)->name;
}

static void print_heading(void)
{
    printf("%-12s  %8s  %10s  %6s  %6s  %s\n", "algorithm", "segments", "time", "mean%", "max%",
           "busiest link");
}

static void print_row(const run_t *run)
{
    const pb_simulation_t *result = &run->result;
    int busiest = busiest_link(result);
    printf("%-12s  %8d  %10.2f  %6.1f  %6.1f  ", pb_kind_name(run->judged->plan->kind),
           run->n_segments, pb_simulate_units(result->completion), 100 * mean_utilisation(result),
           busiest < 0 ? 0 : 100 * utilisation(result, busiest));
    if (busiest < 0) {
        puts("-");
    } else {
        printf("%s -> %s\n", end_of(run, busiest, true), end_of(run, busiest, false));
    }
}

static void add_run(const run_t *run)
{
    const pb_simulation_t *result = &run->result;
    const int busiest = busiest_link(result);
    const common_json_t object = common_json_object(run->runs, NULL);
    common_json_text(object, "algorithm", pb_kind_name(run->judged->plan->kind));
    common_json_integer(object, "segments", run->n_segments);
    common_json_real(object, "time", pb_simulate_units(result->completion), 6);
    common_json_real(object, "mean_percent", 100 * mean_utilisation(result), 4);
    common_json_real(object, "max_percent", busiest < 0 ? 0 : 100 * utilisation(result, busiest),
                     4);
    if (busiest < 0) {
        common_json_null(object, "busiest");
    } else {
        const common_json_t link = common_json_object(object, "busiest");
        common_json_text(link, "from", end_of(run, busiest, true));
        common_json_text(link, "to", end_of(run, busiest, false));
    }
}

static void simulate(run_t *run)
{
    const pb_simulate_options_t simulate = {.n_segments = run->n_segments};
    const int error =
        pb_simulate(run->cluster->placement, run->judged->plan, &simulate, &run->result);
    if (error != PB_SUCCESS) {
        common_end_error(error);
    }
    if (run->runs != NULL) {
        add_run(run);
    } else {
        print_row(run);
    }
    pb_simulation_clear(&run->result);
}

/* A broken promise is reported in the end; the simulation shows its cost. Returns the exit status.
 */
static int simulate_kind(const tool_options_t *options, const tool_cluster_t *cluster,
                         pb_kind_t kind, common_json_t runs)
{
    tool_judged_t judged;
    tool_judge(cluster->view, kind, &options->plan, &judged);
    const int code = tool_explain(&judged);
    for (int i = 0; judged.broken != NULL && i < options->segments.n; i++) {
        run_t run = {.runs = runs,
                     .cluster = cluster,
                     .judged = &judged,
                     .n_segments = (int) options->segments.values[i]};
        simulate(&run);
    }
    tool_judged_clear(&judged);
    return code;
}

static void print_summary(const tool_cluster_t *cluster)
{
    int n_switches = cluster->n_switches;
    printf("# %d %s from %s on %d %s; times in segment times of a link of the lowest speed\n",
           TOOL_PLURAL(cluster->placement->n_ranks, "rank"), cluster->names[cluster->root],
           n_switches, n_switches == 1 ? "switch" : "switches");
}

static int run(const tool_options_t *options)
{
    static tool_cluster_t cluster; /* there until the program ends */
    common_json_t whole = NULL, runs = NULL;
    int code = COMMON_EXIT_DONE;
    cluster = tool_cluster_open(options);
    if (options->json) {
        whole = common_json_begin("pipebcast-topo simulate");
        tool_json_cluster(whole, &cluster);
        runs = common_json_array(whole, "runs");
    } else {
        print_summary(&cluster);
        print_heading();
    }
    for (int i = 0; i < options->n_kinds; i++) {
        const int of_kind = simulate_kind(options, &cluster, options->kinds[i], runs);
        code = of_kind != COMMON_EXIT_DONE ? of_kind : code;
        fflush(stdout);
    }
    if (options->json) {
        common_json_end(whole, stdout);
    }
    return code;
}

static const common_option_t rows[] = {
    {"algorithm", COMMON_OWN, .take = tool_take_kinds, .argument = "LIST", .missing = "all",
     .help = "names as for tree, separated by commas, or all"},
    {"segment-counts", COMMON_NUMBERS, TOOL_VALUE(segments), .least = 1,
     .most = PB_SIMULATE_MAX_SEGMENTS, .argument = "LIST", .missing = "64",
     .help = "segments of the message, as 16,64 or, doubling, 16:512"},
    TOOL_JSON_ROW,
    {0},
};

const tool_command_t tool_cmd_simulate = {
    .line =
        {
            .name = "pipebcast-topo simulate",
            .usage =
                "Usage: pipebcast-topo simulate FILE [OPTION]...\n"
                "\n"
                "Runs broadcasts in a model of the network. Each rank sends one segment at a time\n"
                "and receives one, and forwards a segment when it has all of it. Each link passes\n"
                "segments one after the other, as switches do. Prints the time until all ranks\n"
                "have the message, in segment times: one is the time of a segment over a link of\n"
                "the lowest speed. Then the mean share of that time in which the used links are\n"
                "busy, and the busiest link with its share.\n",
            .has_operands = true,
            .groups =
                (const common_group_t[]){
                    {NULL, rows}, {NULL, tool_rank_rows}, {NULL, tool_file_rows}, {0}},
            .more = "Examples:\n"
                    "  pipebcast-topo simulate cluster.conf --algorithm all\n"
                    "  pipebcast-topo simulate cluster.conf --algorithm chain,binary,twotree "
                    "--segment-counts 4:512\n"
                    "\n" TOOL_PLAN_EXITS,
        },
    .summary = "compute how long broadcasts take, and how busy the links are",
    .all_kinds = true,
    .run = run,
};
