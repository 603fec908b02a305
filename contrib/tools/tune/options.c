#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/json.h"
#include "contrib/tools/common/topology.h"
#include "topo/model/model.h"

/** The largest message that a model of this program describes; both windows of it fit memory. */
#define MAX_BYTES (INT64_C(64) << 20)

#define VALUE(member) COMMON_VALUE(struct tune_options, member)

static const common_option_t rows[] = {
    {"topology", COMMON_TEXT, VALUE(topology), .least = 1, .argument = "FILE",
     .missing = "one switch", .help = "the switches, as coll_pipebcast_topology_file"},
    {"topology-name", COMMON_TEXT, VALUE(topology_name), .least = 1, .argument = "NAME",
     .missing = COMMON_TOPOLOGY_MISSING,
     .help = "which topology of a topology.yaml, as coll_pipebcast_topology_name"},
    {"output", COMMON_TEXT, VALUE(output), .least = 1, .argument = "FILE",
     .missing = "pipebcast-model.txt; with --install $HOME/.openmpi/pipebcast-model.txt",
     .help = "the model"},
    {"install", COMMON_FLAG, VALUE(install), .least = true,
     .help = "enter the model in $HOME/.openmpi/mca-params.conf"},
    {"discover", COMMON_TEXT, VALUE(discover), .least = 1, .argument = "FILE",
     .help = "find the topology by flows that contend, and write it there; no model"},
    {"verify", COMMON_FLAG, VALUE(verify), .least = true,
     .help = "measure whether flows that --topology calls disjoint are; no model"},
    {"flows", COMMON_NUMBER, VALUE(flows), .least = 2, .most = 65536, .argument = "NUMBER",
     .missing = "one from each host", .help = "--discover and --verify: at once at most"},
    {"load", COMMON_REAL, VALUE(load), .real_least = 1, .real_most = 100, .unit = 0.01,
     .unit_name = "percent", .argument = "PERCENT", .missing = "100",
     .help = "--discover and --verify: flows are sent in this share of the time at most"},
    {"time-limit", COMMON_REAL, VALUE(time_limit_s), .real_least = 1e-6, .real_most = 1e6,
     .unit_name = "seconds", .argument = "SECONDS", .missing = "300",
     .help = "for the whole run, about"},
    {"precision", COMMON_REAL, VALUE(precision), .real_least = 1e-6, .real_most = 50, .unit = 0.01,
     .unit_name = "percent", .argument = "PERCENT", .missing = "1",
     .help = "repeat until the 99 % confidence interval is within this"},
    {"sizes", COMMON_SIZES, VALUE(asked), .least = 1, .most = MAX_BYTES, .argument = "LIST",
     .missing = "the paper's sizes, whole TCP segments, powers of two up to 1M",
     .help = "message sizes, ascending: 256,1426,4K, or 1K:1M for doublings"},
    {"no-fallback", COMMON_FLAG, VALUE(fallback), .least = false,
     .help = "do not measure the broadcast of the fallback component, the one that serves without "
             "pipebcast"},
    {"sender-gap", COMMON_NUMBER, VALUE(sender_gap), .least = 1, .most = 1000000,
     .argument = "MESSAGES",
     .help = "print the gap as its sender sees it, too, over so many messages of each size"},
    {"no-previous", COMMON_FLAG, VALUE(fallback), .least = false, .now = "no-fallback"},
    {"pretend-hosts", COMMON_TEXT, VALUE(hosts), .least = 1, .argument = "LIST",
     .help = "for trials on one host: host names for the ranks in turn"},
    {"hosts", COMMON_TEXT, VALUE(hosts), .least = 1, .argument = "LIST", .now = "pretend-hosts"},
    {"quiet", COMMON_FLAG, VALUE(quiet), .least = true, .help = "no progress"},
    COMMON_JSON_ROW(VALUE(json)),
    {0},
};

const common_command_t tune_command = {
    .name = "pipebcast tune",
    .usage = "Usage: mpirun ... pipebcast tune [OPTION]...\n"
             "Measures what messages cost on this network, for pipebcast to choose trees and\n"
             "segment sizes by. Run it over the hosts of the cluster while nothing else uses\n"
             "them; ranks on two hosts are enough, and all of them are better.\n"
             "--discover finds the switches instead, and --verify checks a file of them.\n",
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .more = "Exit status: 0 measured and written, 1 something failed or contradicts the\n"
            "topology, 2 wrong options.\n",
};

/** The sizes of the command line must ascend, in steps that a model allows, around its middle. */
static bool take_sizes(struct tune_options *options, common_complaint_t complaint)
{
    const common_list_t *asked = &options->asked;
    if (asked->n > TUNE_MAX_SIZES) {
        return common_wrong(complaint, "--sizes: more than %d sizes; give fewer", TUNE_MAX_SIZES);
    }
    for (int i = 0; i < asked->n; i++) {
        const long long bytes = asked->values[i];
        if (i > 0 && bytes <= asked->values[i - 1]) {
            return common_wrong(complaint, "--sizes: %lld is not more than the size before it",
                                bytes);
        }
        if (i > 0 && bytes / PB_MODEL_MAX_STEP > asked->values[i - 1]) {
            return common_wrong(complaint,
                                "--sizes: %lld is more than %d times the size before it; give "
                                "sizes between them",
                                bytes, PB_MODEL_MAX_STEP);
        }
        options->sizes[i] = (uint64_t) bytes;
    }
    options->n_sizes = asked->n;
    if (asked->n > 0 && (asked->n < 2 || asked->values[0] > PB_MODEL_MIDDLE_BYTES ||
                         asked->values[asked->n - 1] < PB_MODEL_MIDDLE_BYTES)) {
        return common_wrong(complaint,
                            "--sizes: a model needs two sizes or more, from %d bytes or less to "
                            "%d or more",
                            PB_MODEL_MIDDLE_BYTES, PB_MODEL_MIDDLE_BYTES);
    }
    return true;
}

/** Where the model goes if no --output is given: with --install a file that lasts. */
static bool choose_output(struct tune_options *options, common_complaint_t complaint)
{
    const char *home = getenv("HOME");
    if (options->install && (home == NULL || home[0] != '/')) {
        return common_wrong(complaint, "--install: HOME is not set, so that there is no "
                                       "$HOME/.openmpi/mca-params.conf; set HOME, or leave "
                                       "--install out");
    }
    if (options->output[0] != '\0') {
        return true;
    }
    const int length =
        options->install ? snprintf(options->output, sizeof options->output,
                                    "%s/.openmpi/pipebcast-model.txt", home)
                         : snprintf(options->output, sizeof options->output, "pipebcast-model.txt");
    return length < (int) sizeof options->output ||
           common_wrong(complaint, "--install: HOME is too long; name a file by --output");
}

common_verdict_t tune_options_parse(int argc, char **argv, struct tune_options *options,
                                    char *error, size_t error_size)
{
    const common_complaint_t complaint = {error, error_size};
    memset(options, 0, sizeof *options);
    options->fallback = true;
    options->time_limit_s = 300;
    options->precision = 0.01;
    options->load = 1;
    const common_verdict_t verdict =
        common_options_read(&tune_command, argc, argv, options, NULL, complaint);
    if (verdict != COMMON_RUN) {
        return verdict;
    }
    if (options->verify && options->discover[0] != '\0') {
        common_wrong(complaint, "--discover and --verify: give one of them; what was found can be "
                                "verified afterwards");
        return COMMON_WRONG;
    }
    if (options->verify && options->topology[0] == '\0') {
        common_wrong(complaint, "--verify needs the topology that is to be verified: --verify "
                                "--topology cluster.conf");
        return COMMON_WRONG;
    }
    return take_sizes(options, complaint) && choose_output(options, complaint) ? COMMON_RUN
                                                                               : COMMON_WRONG;
}
