#include "options.h"

#include <string.h>

#include "contrib/tools/common/numbers.h"

/** Bytes of a train: what fits a few frames, and no more than a probe may load a network with. */
enum { LEAST_TRAIN = 4096, MOST_TRAIN = 16 << 20 };

enum option_code {
    OPT_BYTES = BENCH_OPTION_FIRST,
    OPT_EVERY,
    OPT_HOSTS,
    OPT_OUTPUT,
    OPT_QUIET,
    OPT_ROUNDS,
    OPT_TOPOLOGY,
};

static const struct option long_options[] = {
    {"bytes", required_argument, NULL, OPT_BYTES},
    {"every", required_argument, NULL, OPT_EVERY},
    {"help", no_argument, NULL, BENCH_OPTION_HELP},
    {"hosts", required_argument, NULL, OPT_HOSTS},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"rounds", required_argument, NULL, OPT_ROUNDS},
    {"topology", required_argument, NULL, OPT_TOPOLOGY},
    {"version", no_argument, NULL, BENCH_OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

/** The options, and which of them were given. */
struct reading {
    struct probe_options *options;
    bool every, rounds;
};

static bool take_option(void *context, int code, const char *value,
                        struct bench_complaint complaint)
{
    struct reading *reading = context;
    struct probe_options *options = reading->options;
    double minutes;
    switch (code) {
    case OPT_BYTES:
        return advise_read_bytes("--bytes", value, LEAST_TRAIN, MOST_TRAIN, &options->train,
                                 complaint);
    case OPT_EVERY:
        reading->every = true;
        if (!advise_read_real("--every", value, 1e-3, 1e5, "minutes", &minutes, complaint)) {
            return false;
        }
        options->every_s = 60 * minutes;
        return true;
    case OPT_HOSTS:
        return advise_read_text("--hosts", value, options->hosts, PROBE_MAX_TEXT, complaint);
    case OPT_OUTPUT:
        return advise_read_text("--output", value, options->output, PROBE_MAX_TEXT, complaint);
    case OPT_QUIET:
        return options->quiet = true;
    case OPT_ROUNDS:
        reading->rounds = true;
        return advise_read_int("--rounds", value, 1, 1000000000, &options->rounds, complaint);
    case OPT_TOPOLOGY:
        return advise_read_text("--topology", value, options->topology, PROBE_MAX_TEXT, complaint);
    default:
        return bench_wrong(complaint, "option %d is not handled", code);
    }
}

/** One round is enough unless --every says that it goes on. */
static bool complete(const struct reading *reading, struct bench_complaint complaint)
{
    struct probe_options *options = reading->options;
    if (reading->rounds && options->rounds > 1 && !reading->every) {
        return bench_wrong(complaint,
                           "--rounds %d: say by --every MINUTES how often they are begun",
                           options->rounds);
    }
    if (!reading->rounds) {
        options->rounds = reading->every ? 0 : 1;
    }
    return true;
}

enum bench_verdict probe_options_parse(int argc, char **argv, struct probe_options *options,
                                       char *error, size_t error_size)
{
    const struct bench_complaint complaint = {error, error_size};
    struct reading reading = {.options = options};
    *options = (struct probe_options){.train = 65536};
    strcpy(options->output, "pipebcast-links.txt");
    const enum bench_verdict verdict =
        bench_read_options(argc, argv, long_options, take_option, &reading, complaint);
    if (verdict != BENCH_RUN) {
        return verdict;
    }
    return complete(&reading, complaint) ? BENCH_RUN : BENCH_WRONG;
}

void probe_options_help(FILE *stream)
{
    fputs(
        "Usage: mpirun ... pipebcast-probe [OPTION]...\n"
        "Measures latencies and bandwidths between the clusters of a network and inside each,\n"
        "lightly, for pipebcast-advisor to find broadcast trees by. Run it with one rank on each\n"
        "host of the jobs that shall be advised; it may run beside them. Clusters are switches\n"
        "with hosts; one host stands for each.\n"
        "\n"
        "  --topology FILE   the switches, as coll_pipebcast_topology_file [one switch]\n"
        "  --output FILE     the links, replaced as a whole [pipebcast-links.txt]\n"
        "  --every MINUTES   measure again so often, until it is ended\n"
        "  --rounds N        measure so often [1; with --every: without end]\n"
        "  --bytes BYTES     sent each way between two hosts for a bandwidth, 4K to 16M [64K]\n"
        "  --hosts LIST      for trials on one host: host names for the ranks in turn\n"
        "  --quiet           print nothing but what is wrong\n"
        "  --help, --version\n"
        "\n"
        "It says how many bytes each round sends. For example, every five minutes:\n"
        "\n"
        "  mpirun --hostfile hosts --map-by node pipebcast-probe --topology grid.conf \\\n"
        "      --output /shared/grid.links --every 5\n"
        "  pipebcast-advisor --dir /shared/advice --links /shared/grid.links\n"
        "\n"
        "Exit status: 0 measured and written, 1 something failed, 2 wrong options.\n",
        stream);
}
