#include <stdio.h>

#include "cluster.h"
#include "message.h"
#include "remarks.h"

/* What a good file is, and what was taken from where. */
static void print_good(const char *file, const pb_topology_t *topology)
{
    if (topology->is_flat) {
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
        tool_print_remarks(topology->network);
    }
}

static tool_exit_t run(const tool_options_t *options)
{
    pb_topology_t topology;
    pb_diag_t diag;
    pb_diag_init(&diag);
    tool_exit_t code = tool_topology_read(options, &topology, &diag);
    /* Faults of the file are the result; that it cannot be read is an error. */
    tool_print_faults(code == TOOL_FAULTY ? stdout : stderr, &diag);
    if (code == TOOL_OK) {
        print_good(tool_file_name(options->file), &topology);
    }
    if (code == TOOL_FAULTY) {
        printf("%s: %zu %s\n", tool_file_name(options->file), diag.n_faults,
               diag.n_faults == 1 ? "fault" : "faults");
    }
    pb_diag_clear(&diag);
    pb_topology_clear(&topology);
    return code;
}

const tool_command_t tool_cmd_check = {
    .line =
        {
            .name = "pipebcast-topo check",
            .usage = "usage: pipebcast-topo check FILE [OPTION]\n"
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
            .groups = (const common_group_t[]){{NULL, tool_file_rows}, {0}},
            .more = "examples:\n"
                    "  pipebcast-topo check /etc/slurm/topology.conf\n"
                    "  pipebcast-topo check /etc/slurm/topology.yaml --topology-name rack1\n"
                    "  pipebcast-topo check cluster.conf > faults || echo \"not fit for use\"\n"
                    "  echo 'SwitchName=s0 Nodes=n[0-15]' | pipebcast-topo check -\n"
                    "\n"
                    "exit status: 0 no fault; 1 faults; 2 the command line is wrong; 5 FILE cannot "
                    "be read.\n",
        },
    .summary = "find every fault of a topology file",
    .needs_file = true,
    .run = run,
};
