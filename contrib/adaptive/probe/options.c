#include "options.h"

#include <string.h>

#include "contrib/tools/common/topology.h"

/** Bytes of a train: what fits a few frames, and no more than a probe may load a network with. */
enum { LEAST_TRAIN = 4096, MOST_TRAIN = 16 << 20 };

#define VALUE(member) COMMON_VALUE(struct probe_options, member)

static const common_option_t rows[] = {
    COMMON_TOPOLOGY_ROW(VALUE(topology), "one switch"),
    COMMON_TOPOLOGY_NAME_ROW(COMMON_TEXT, VALUE(topology_name)),
    {"output", COMMON_TEXT, VALUE(output), .least = 1, .argument = "FILE",
     .missing = "pipebcast-links.txt", .help = "the links; the file is replaced as a whole"},
    {"train", COMMON_SIZE, VALUE(train), .least = LEAST_TRAIN, .most = MOST_TRAIN,
     .argument = "BYTES", .missing = "64K",
     .help = "sent each way between two hosts for a bandwidth, 4K to 16M"},
    {"pretend-hosts", COMMON_TEXT, VALUE(hosts), .least = 1, .argument = "LIST",
     .help = "for trials on one host: host names for the ranks in turn"},
    {"quiet", COMMON_FLAG, VALUE(quiet), .least = true, .help = "print nothing but errors"},
    {0},
};

const common_command_t probe_command = {
    .name = "pipebcast probe",
    .usage = "Usage: pipebcast probe --hostfile FILE [OPTION]...\n"
             "       mpirun ... pipebcast probe [OPTION]...\n"
             "\n"
             "Measures latencies and bandwidths between the clusters of a network and inside\n"
             "each, lightly, for pipebcast advise to find broadcast trees by. Run it with one\n"
             "rank on each host of the jobs that are to be advised; it may run while they do.\n"
             "Clusters are switches with hosts; one host stands for each.\n",
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .more =
        "It reports how many bytes it sends. For example, every five minutes:\n"
        "\n"
        "  while sleep 300; do pipebcast probe --hostfile hosts --topology grid.conf \\\n"
        "      --output /shared/grid.links; done &\n"
        "  pipebcast advise --dir /shared/advice --links /shared/grid.links\n"
        "\n"
        "Exit status: 0 measured and written, 1 something failed, 2 the command line is wrong.\n",
};

void probe_options_read(int argc, char **argv, struct probe_options *options)
{
    *options = (struct probe_options){.train = 65536};
    strcpy(options->output, "pipebcast-links.txt");
    common_options_read(&probe_command, argc, argv, options);
    common_options_done();
}
