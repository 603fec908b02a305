#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cluster.h"
#include "contrib/tools/common/terminal.h"
#include "json.h"
#include "message.h"
#include "remarks.h"

/* Tells whether there is nothing but a switch for all hosts. */
static bool is_flat(const pb_topology_t *topology)
{
    return topology->network != NULL && pb_network_size(topology->network) == 1 &&
           pb_network_others(topology->network) >= 0;
}

/* Prints the verdict on a file without an error, and how large its network is. */
static void print_size(const char *file, const pb_topology_t *topology)
{
    const pb_network_t *const network = topology->network;
    const size_t n_warnings = topology->warnings.n_errors;
    if (n_warnings == 0) {
        printf("%s: OK; ", file);
    } else {
        printf("%s: %zu %s; ", file, TOOL_PLURAL(n_warnings, "warning"));
    }
    if (is_flat(topology)) {
        printf("the hosts of a job are on one switch\n");
    } else {
        const int n_switches = pb_network_n_switches(network);
        printf("%d %s on %d %s\n", TOOL_PLURAL(pb_network_n_hosts(network), "host"), n_switches,
               n_switches == 1 ? "switch" : "switches");
    }
}

/* Tells a person how a file without an error is used. */
static void print_next(const char *file)
{
    char *const path = realpath(file, NULL);
    if (path != NULL && common_on_terminal(STDOUT_FILENO)) {
        printf("Next: export OMPI_MCA_coll_pipebcast_topology_file='%s'\n"
               "      pipebcast doctor --hostfile HOSTS\n",
               path);
    }
    free(path);
}

/* Prints what a file without an error has, and what was taken from where. */
static void print_good(const char *file, const pb_topology_t *topology)
{
    print_size(file, topology);
    if (topology->picked != NULL) {
        printf("%s: %s\n", file, topology->picked);
    }
    tool_print_errors(stdout, &topology->notes);
    tool_print_warnings(stdout, &topology->warnings);
    if (topology->network != NULL) {
        tool_print_remarks(topology->network, stdout);
    }
    print_next(file);
}

static void print_text(const char *file, bool good, const pb_topology_t *topology,
                       const pb_diag_t *diag)
{
    tool_print_errors(stdout, diag);
    if (good) {
        print_good(file, topology);
    } else {
        printf("%s: %zu %s\n", file, TOOL_PLURAL(diag->n_errors, "error"));
    }
}

static void add_messages(common_json_t to, const char *name, const pb_diag_t *diag)
{
    const common_json_t array = common_json_array(to, name);
    for (size_t i = 0; i < diag->n_kept; i++) {
        common_json_text(array, NULL, diag->messages[i]);
    }
}

static void print_json(const char *file, const pb_topology_t *topology, const pb_diag_t *diag)
{
    const pb_network_t *const network = topology->network;
    const common_json_t whole = common_json_begin("pipebcast check");
    common_json_text(whole, "file", file);
    common_json_integer(whole, "n_errors", (int64_t) diag->n_errors);
    add_messages(whole, "errors", diag);
    common_json_truth(whole, "flat", is_flat(topology));
    if (network != NULL) {
        common_json_integer(whole, "hosts", pb_network_n_hosts(network));
        common_json_integer(whole, "switches", pb_network_n_switches(network));
    }
    common_json_text(whole, "picked", topology->picked);
    add_messages(whole, "notes", &topology->notes);
    add_messages(whole, "warnings", &topology->warnings);
    tool_json_remarks(whole, network);
    common_json_end(whole, stdout);
}

static int run(const tool_options_t *options)
{
    const char *const file = tool_file_name(options->file);
    pb_topology_t topology;
    pb_diag_t diag;
    const bool good = tool_topology_read(options, &topology, &diag);
    if (options->json) {
        print_json(file, &topology, &diag);
    } else {
        print_text(file, good, &topology, &diag);
    }
    pb_diag_clear(&diag);
    pb_topology_clear(&topology);
    return good ? COMMON_EXIT_DONE : COMMON_EXIT_FAILED;
}

static const common_option_t rows[] = {TOOL_JSON_ROW, {0}};

const tool_command_t tool_cmd_check = {
    .line =
        {
            .name = "pipebcast check",
            .usage =
                "Usage: pipebcast check FILE [OPTION]\n"
                "\n"
                "Reads a topology. Prints what is wrong, in which line, and what to do: names "
                "given\n"
                "twice, switches without a line, cycles, several tops, unreadable words. What is\n"
                "invalid costs only the hosts that it concerns, and is a warning; an error costs\n"
                "the whole file. At most 100 of each are printed in full. It also prints how the\n"
                "file was understood: which of its topologies was taken and why, lines that come\n"
                "from comments and other files, merged switches, parallel links, unknown speeds.\n",
            .has_operands = true,
            .groups = (const common_group_t[]){{NULL, tool_file_rows}, {NULL, rows}, {0}},
            .more = "Examples:\n"
                    "  pipebcast check /etc/slurm/topology.conf\n"
                    "  pipebcast check /etc/slurm/topology.yaml --topology-name rack1\n"
                    "  pipebcast check cluster.conf >errors || echo \"not fit for use\"\n"
                    "  echo 'SwitchName=s0 Nodes=n[0-15]' | pipebcast check -\n"
                    "\n"
                    "Exit status: 0 no error; 1 errors, or FILE cannot be read; 2 the command line "
                    "is wrong.\n",
        },
    .summary = "find every error of a topology file",
    .run = run,
};
