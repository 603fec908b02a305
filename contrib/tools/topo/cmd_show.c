#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cluster.h"
#include "contrib/tools/common/report.h"
#include "format.h"
#include "json.h"
#include "preorder.h"
#include "remarks.h"
#include "topo/network/node_names.h"

/** Levels that are drawn by indentation; deeper ones by number. */
#define MAX_INDENT 60

/* ---- the tree ---- */

typedef struct show {
    const pb_network_t *network;
    bool speeds;  /* whether speeds are worth printing */
    char *closed; /* by depth: whether the last child at this depth was printed */
} show_t;

static const pb_node_t *node_of(const show_t *show, int node)
{
    return pb_network_node(show->network, node);
}

static void print_indent(const show_t *show, int depth, bool last)
{
    show->closed[depth] = last ? 1 : 0;
    if (depth > MAX_INDENT) {
        printf("(level %d) ", depth);
        return;
    }
    for (int d = 1; d < depth; d++) {
        fputs(show->closed[d] ? "    " : "|   ", stdout);
    }
    if (depth > 0) {
        fputs(last ? "`-- " : "|-- ", stdout);
    }
}

static void print_speed(const show_t *show, int node)
{
    if (show->speeds && node != pb_network_top(show->network)) {
        printf("  speed %" PRIu32, node_of(show, node)->speed);
    }
    if (node_of(show, node)->members > 1) {
        printf("  in %d links", node_of(show, node)->members);
    }
}

/* Hosts that follow each other below one switch, by alike links. */
static int run_length(const show_t *show, const int *order)
{
    const pb_node_t *first = node_of(show, order[0]);
    int n = 1;
    while (order[n] >= 0 && node_of(show, order[n])->kind == PB_NODE_HOST &&
           node_of(show, order[n])->parent == first->parent &&
           node_of(show, order[n])->speed == first->speed &&
           node_of(show, order[n])->members == first->members) {
        n++;
    }
    return n;
}

/* Tells whether a node is the last one below its switch. */
static bool is_last(const show_t *show, const int *order, int n)
{
    const pb_node_t *node = node_of(show, order[0]);
    if (node->kind == PB_NODE_HOST) {
        return order[n] < 0 || node_of(show, order[n])->parent != node->parent;
    }
    for (int next = node->next_sibling; next >= 0; next = node_of(show, next)->next_sibling) {
        if (node_of(show, next)->kind == PB_NODE_SWITCH) {
            return false;
        }
    }
    return true;
}

static void print_tree(const show_t *show, const int *order)
{
    for (int i = 0, n; order[i] >= 0; i += n) {
        bool is_switch = node_of(show, order[i])->kind == PB_NODE_SWITCH;
        n = is_switch ? 1 : run_length(show, order + i);
        print_indent(show, pb_network_depth(show->network, order[i]), is_last(show, order + i, n));
        if (is_switch) {
            fputs(node_of(show, order[i])->name, stdout);
        } else {
            pb_node_names_print(stdout, show->network, order + i, n);
            printf("  (%d)", n);
        }
        print_speed(show, order[i]);
        putchar('\n');
    }
}

static void print_summary(const pb_network_t *network, bool speeds)
{
    int n_switches = pb_network_n_switches(network);
    printf("%d %s on %d %s; ", TOOL_PLURAL(pb_network_n_hosts(network), "host"), n_switches,
           n_switches == 1 ? "switch" : "switches");
    if (!speeds && pb_network_base_speed(network) == 1) { /* as without any LinkSpeed */
        fputs("all links have one speed", stdout);
    } else {
        printf(speeds ? "lowest speed %" PRIu32 : "all links of speed %" PRIu32,
               pb_network_base_speed(network));
    }
    printf("; hash %016" PRIx64 "\n", pb_network_hash(network));
}

/* A switch, or a host. */
static void add_node(const show_t *show, common_json_t to, int node)
{
    const pb_node_t *const n = node_of(show, node);
    const common_json_t object = common_json_object(to, NULL);
    common_json_text(object, "name", n->name);
    common_json_text(object, "kind", n->kind == PB_NODE_SWITCH ? "switch" : "host");
    if (n->parent < 0) {
        common_json_null(object, "parent");
        return;
    }
    common_json_text(object, "parent", node_of(show, n->parent)->name);
    common_json_integer(object, "speed", n->speed);
    common_json_integer(object, "links", n->members);
}

static void print_json(const show_t *show, const char *file, const int *order)
{
    const pb_network_t *const network = show->network;
    char hash[17];
    const common_json_t whole = common_json_begin("pipebcast show");
    snprintf(hash, sizeof hash, "%016" PRIx64, pb_network_hash(network));
    common_json_text(whole, "file", file);
    common_json_integer(whole, "hosts", pb_network_n_hosts(network));
    common_json_integer(whole, "switches", pb_network_n_switches(network));
    common_json_truth(whole, "speeds_differ", show->speeds);
    common_json_integer(whole, "lowest_speed", pb_network_base_speed(network));
    common_json_text(whole, "hash", hash);
    const common_json_t nodes = common_json_array(whole, "nodes");
    for (int i = 0; order[i] >= 0; i++) {
        add_node(show, nodes, order[i]);
    }
    tool_json_remarks(whole, network);
    common_json_end(whole, stdout);
}

/* Tells whether links have different speeds, so that loads alone do not show contention. */
static bool speeds_differ(const pb_network_t *network)
{
    for (int node = 0; node < pb_network_size(network); node++) {
        if (node != pb_network_top(network) &&
            pb_network_node(network, node)->speed != pb_network_base_speed(network)) {
            return true;
        }
    }
    return false;
}

static int deepest(const pb_network_t *network)
{
    int depth = 0;
    for (int node = 0; node < pb_network_size(network); node++) {
        int d = pb_network_depth(network, node);
        depth = d > depth ? d : depth;
    }
    return depth;
}

static void show_network(const tool_options_t *options, const pb_network_t *network)
{
    show_t show = {.network = network,
                   .speeds = speeds_differ(network),
                   .closed = common_alloc((size_t) deepest(network) + 1, 1)};
    int *order = tool_preorder(network);
    if (options->json) {
        print_json(&show, tool_file_name(options->file), order);
    } else if (options->dot) {
        tool_format_dot_network(stdout, tool_file_name(options->file), network);
    } else {
        print_summary(network, show.speeds);
        print_tree(&show, order);
        tool_print_remarks(network, stdout);
    }
    free(show.closed);
    free(order);
}

static int run(const tool_options_t *options)
{
    pb_network_t *network = tool_network_read(options);
    show_network(options, network);
    pb_network_free(network);
    return COMMON_EXIT_DONE;
}

static const common_option_t rows[] = {{"dot", COMMON_FLAG, TOOL_VALUE(dot), .least = true,
                                        .help = "print a graph for Graphviz instead"},
                                       TOOL_JSON_ROW,
                                       {0}};

const tool_command_t tool_cmd_show = {
    .line =
        {
            .name = "pipebcast show",
            .usage =
                "Usage: pipebcast show FILE [OPTION]\n"
                "\n"
                "Prints the network as it was understood: switches below switches, the hosts of "
                "each\n"
                "as a hostlist with their number. Where links have different speeds, the speed of "
                "the\n"
                "link upwards stands behind each, in the unit of FILE; for parallel links "
                "(Uplinks) it\n"
                "is of one of them, and their number follows. The last lines are those of "
                "check.\n"
                "Two files with the same hash describe the same network: names, shape, order, "
                "speeds,\n"
                "numbers of links and of merged switches.\n",
            .has_operands = true,
            .groups = (const common_group_t[]){{NULL, tool_file_rows}, {NULL, rows}, {0}},
            .more = "Examples:\n"
                    "  pipebcast show /etc/slurm/topology.conf\n"
                    "  pipebcast show cluster.conf --dot | dot -Tsvg > cluster.svg\n"
                    "  ssh login1 cat /etc/slurm/topology.conf | pipebcast show -\n"
                    "\n"
                    "Exit status: 0 all is well; 1 FILE is invalid or cannot be read; 2 the "
                    "command line\n"
                    "is wrong.\n",
        },
    .summary = "print the tree of switches and hosts",
    .run = run,
};
