#include "probe_options.h"

#include <getopt.h>
#include <string.h>

#include "numbers.h"

/** Bytes of a train: what fits a few frames, and no more than a probe may load a network with. */
enum { LEAST_TRAIN = 4096, MOST_TRAIN = 16 << 20 };

enum option_code {
    OPT_BYTES = 1000,
    OPT_EVERY,
    OPT_HELP,
    OPT_HOSTS,
    OPT_OUTPUT,
    OPT_QUIET,
    OPT_ROUNDS,
    OPT_TOPOLOGY,
    OPT_VERSION,
};

static const struct option long_options[] = {
    {"bytes", required_argument, NULL, OPT_BYTES},
    {"every", required_argument, NULL, OPT_EVERY},
    {"help", no_argument, NULL, OPT_HELP},
    {"hosts", required_argument, NULL, OPT_HOSTS},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"rounds", required_argument, NULL, OPT_ROUNDS},
    {"topology", required_argument, NULL, OPT_TOPOLOGY},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

/** What was read beside the options themselves. */
struct given {
    bool every, rounds;
};

static bool take_option(struct probe_options *options, struct given *given, int code,
                        const char *value, struct bench_complaint complaint)
{
    double minutes;
    switch (code) {
    case OPT_BYTES:
        return advise_read_bytes("--bytes", value, LEAST_TRAIN, MOST_TRAIN, &options->train,
                                 complaint);
    case OPT_EVERY:
        given->every = true;
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
        given->rounds = true;
        return advise_read_int("--rounds", value, 1, 1000000000, &options->rounds, complaint);
    case OPT_TOPOLOGY:
        return advise_read_text("--topology", value, options->topology, PROBE_MAX_TEXT, complaint);
    default:
        return bench_wrong(complaint, "option %d is not handled", code);
    }
}

/** One round is enough unless --every says that it goes on. */
static bool complete(struct probe_options *options, const struct given *given,
                     struct bench_complaint complaint)
{
    if (given->rounds && options->rounds > 1 && !given->every) {
        return bench_wrong(complaint,
                           "--rounds %d: say by --every MINUTES how often they are begun",
                           options->rounds);
    }
    if (!given->rounds) {
        options->rounds = given->every ? 0 : 1;
    }
    return true;
}

enum probe_verdict probe_options_parse(int argc, char **argv, struct probe_options *options,
                                       char *error, size_t error_size)
{
    const struct bench_complaint complaint = {error, error_size};
    struct given given = {.every = false};
    int code;
    *options = (struct probe_options){.train = 65536};
    strcpy(options->output, "pipebcast-links.txt");
    optind = 1;
    opterr = 0;
    while ((code = getopt_long(argc, argv, "+:", long_options, NULL)) != -1) {
        if (code == OPT_HELP) {
            return PROBE_HELP;
        }
        if (code == OPT_VERSION) {
            return PROBE_VERSION;
        }
        if (code == ':' || code == '?') {
            bench_wrong(complaint,
                        code == ':' ? "%s needs a value"
                                    : "%s is unknown, ambiguous, or takes no value",
                        argv[optind - 1]);
            return PROBE_WRONG;
        }
        if (!take_option(options, &given, code, optarg, complaint)) {
            return PROBE_WRONG;
        }
    }
    if (optind < argc) {
        bench_wrong(complaint, "'%s' is no option", argv[optind]);
        return PROBE_WRONG;
    }
    return complete(options, &given, complaint) ? PROBE_RUN : PROBE_WRONG;
}

void probe_options_help(FILE *stream)
{
    fputs(
        "Usage: mpirun ... pipebcast-probe [OPTION]...\n"
        "Measures latencies and bandwidths between the clusters of a network and inside each,\n"
        "lightly, for pipebcast-advisor to find broadcast trees by. Run it with one rank on each\n"
        "host of the jobs that shall be advised; it may run beside them. Clusters are switches\n"
        "with machines; one machine stands for each.\n"
        "\n"
        "  --topology FILE   the switches, as coll_pipebcast_topology_file [one switch]\n"
        "  --output FILE     the links, replaced as a whole [pipebcast-links.txt]\n"
        "  --every MINUTES   measure again so often, until it is ended\n"
        "  --rounds N        measure so often [1; with --every: without end]\n"
        "  --bytes BYTES     sent each way between two machines for a bandwidth, 4K to 16M [64K]\n"
        "  --hosts LIST      for trials on one machine: host names for the ranks in turn\n"
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
