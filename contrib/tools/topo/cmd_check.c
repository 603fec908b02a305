#include <stdio.h>

#include "cluster.h"
#include "message.h"
#include "remarks.h"

static tool_exit_t run(const tool_options_t *options)
{
    pb_network_t *network = NULL;
    pb_diag_t diag;
    pb_diag_init(&diag);
    tool_exit_t code = tool_network_read(options->file, &network, &diag);
    /* Faults of the file are the result; that it cannot be read is an error. */
    tool_print_faults(code == TOOL_FAULTY ? stdout : stderr, &diag);
    if (code == TOOL_OK) {
        tool_print_check(tool_file_name(options->file), network);
    }
    if (code == TOOL_FAULTY) {
        printf("%s: %zu %s\n", tool_file_name(options->file), diag.n_faults,
               diag.n_faults == 1 ? "fault" : "faults");
    }
    pb_diag_clear(&diag);
    pb_network_free(network);
    return code;
}

const tool_command_t tool_cmd_check = {
    .line =
        {
            .name = "pipebcast-topo check",
            .usage = "usage: pipebcast-topo check FILE\n"
                     "\n"
                     "Reads a topology and prints every fault with its line and what to do about "
                     "it: names\n"
                     "given twice, switches without a line, cycles, several tops, unreadable "
                     "words. At most\n"
                     "100 faults are printed in full; the last line counts all. A file without a "
                     "fault is "
                     "followed by\n"
                     "what its words do not say: switches that are merged, links in parallel, "
                     "links without\n"
                     "LinkSpeed.\n",
            .groups = (const common_group_t[]){{0}},
            .more = "examples:\n"
                    "  pipebcast-topo check /etc/slurm/topology.conf\n"
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
