#include <stdio.h>

#include "cluster.h"
#include "json.h"
#include "message.h"
#include "remarks.h"

/* Whether there is nothing but a switch for all hosts. */
static bool is_flat(const pb_topology_t *topology)
{
    return topology->network != NULL && pb_network_size(topology->network) == 1 &&
           pb_network_others(topology->network) >= 0;
}

/* What a good file is, and what was taken from where. */
static void print_good(const char *file, const pb_topology_t *topology)
{
    if (is_flat(topology)) {
        printf("%s: no fault; the hosts of a job are on one switch\n", file);
    } else {
        tool_print_size(file, topology->network);
    }
    if (topology->picked != NULL) {
        printf("%s: %s\n", file, topology->picked);
    }
    tool_print_faults(stdout, &topology->notes);
    tool_print_warnings(stdout, &topology->warnings);
    if (topology->network != NULL) {
        tool_print_remarks(topology->network, stdout);
    }
}

static void print_text(const tool_options_t *options, tool_exit_t code,
                       const pb_topology_t *topology, const pb_diag_t *diag)
{
    const char *const file = tool_file_name(options->file);
    /* Faults of the file are the result; that it cannot be read is an error. */
    tool_print_faults(code == TOOL_FAULTY ? stdout : stderr, diag);
    if (code == TOOL_OK) {
        print_good(file, topology);
    }
    if (code == TOOL_FAULTY) {
        printf("%s: %zu %s\n", file, diag->n_faults, diag->n_faults == 1 ? "fault" : "faults");
    }
}

static tool_exit_t print_json(const tool_options_t *options, tool_exit_t code,
                              const pb_topology_t *topology, const pb_diag_t *diag)
{
    const pb_network_t *const network = topology->network;
    const common_json_t whole = common_json_begin("pipebcast check");
    common_json_text(whole, "file", tool_file_name(options->file));
    common_json_integer(whole, "n_faults", (int64_t) diag->n_faults);
    tool_json_messages(whole, "faults", diag);
    common_json_truth(whole, "flat", is_flat(topology));
    if (network != NULL) {
        common_json_integer(whole, "hosts", pb_network_n_hosts(network));
        common_json_integer(whole, "switches", pb_network_n_switches(network));
    }
    common_json_text(whole, "picked", topology->picked);
    tool_json_messages(whole, "notes", &topology->notes);
    tool_json_messages(whole, "warnings", &topology->warnings);
    tool_json_remarks(whole, network);
    return tool_json_end(whole, code);
}

static tool_exit_t run(const tool_options_t *options)
{
    pb_topology_t topology;
    pb_diag_t diag;
    pb_diag_init(&diag);
    tool_exit_t code = tool_topology_read(options, &topology, &diag);
    if (options->json && code != TOOL_SYSTEM) {
        code = print_json(options, code, &topology, &diag);
    } else {
        print_text(options, code, &topology, &diag);
    }
    pb_diag_clear(&diag);
    pb_topology_clear(&topology);
    return code;
}

static const common_option_t rows[] = {TOOL_JSON_ROW, {0}};

const tool_command_t tool_cmd_check = {
    .line =
        {
            .name = "pipebcast check",
            .usage = "usage: pipebcast check FILE [OPTION]\n"
                     "\n"
                     "Reads a topology and prints every fault with its line and what to do about "
                     "it: names\n"
                     "given twice, switches without a line, cycles, several tops, unreadable "
                     "words. At most\n"
                     "100 faults are printed in full; the last line counts all. A file without a "
                     "fault is "
                     "followed by\n"
                     "what its words do not say: which of its topologies was taken and why, what "
                     "was taken from\n"
                     "comments and other files, switches that are merged, links in parallel, links "
                     "without\n"
                     "LinkSpeed.\n",
            .has_operands = true,
            .groups = (const common_group_t[]){{NULL, tool_file_rows}, {NULL, rows}, {0}},
            .more = "examples:\n"
                    "  pipebcast check /etc/slurm/topology.conf\n"
                    "  pipebcast check /etc/slurm/topology.yaml --topology-name rack1\n"
                    "  pipebcast check cluster.conf > faults || echo \"not fit for use\"\n"
                    "  echo 'SwitchName=s0 Nodes=n[0-15]' | pipebcast check -\n"
                    "\n"
                    "exit status: 0 no fault; 1 faults, or FILE cannot be read; 2 the command line "
                    "is wrong.\n",
        },
    .summary = "find every fault of a topology file",
    .needs_file = true,
    .run = run,
};
