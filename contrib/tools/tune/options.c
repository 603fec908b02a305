#include "options.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/topology.h"
#include "topo/model/model.h"

/** The largest message that a model of this program describes; both windows of it fit memory. */
#define MAX_BYTES (INT64_C(64) << 20)

#define VALUE(member) COMMON_VALUE(struct tune_options, member)

static const common_option_t rows[] = {
    COMMON_TOPOLOGY_ROW(VALUE(topology), "one switch"),
    COMMON_TOPOLOGY_NAME_ROW(COMMON_TEXT, VALUE(topology_name)),
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
     .missing = "one from each host",
     .help = "--discover and --verify: flows under way together, at most"},
    {"load", COMMON_REAL, VALUE(load), .real_least = 1, .real_most = 100, .unit = 0.01,
     .unit_name = "percent", .argument = "PERCENT", .missing = "100",
     .help = "--discover and --verify: flows are sent in this share of the time at most"},
    {"time-limit", COMMON_REAL, VALUE(time_limit_s), .real_least = 1e-6, .real_most = 1e6,
     .unit_name = "seconds", .argument = "SECONDS", .missing = "300",
     .help = "for the whole run, about"},
    {"precision", COMMON_REAL, VALUE(precision), .real_least = 1e-6, .real_most = 50, .unit = 0.01,
     .unit_name = "percent", .argument = "PERCENT", .missing = "1",
     .help = "repeat until the 99 % confidence interval is within this"},
    {"sizes", COMMON_SIZES, VALUE(asked), .letter = 'm', .least = 1, .most = MAX_BYTES,
     .argument = "LIST", .missing = "256:1M and whole TCP segments",
     .help = "message sizes, ascending: 256,1426,4K, or 1K:1M for doublings"},
    {"pretend-hosts", COMMON_TEXT, VALUE(hosts), .least = 1, .argument = "LIST",
     .help = "for trials on one host: host names for the ranks in turn"},
    {"quiet", COMMON_FLAG, VALUE(quiet), .least = true, .help = "print nothing but errors"},
    {0},
};

static const common_command_t command = {
    .name = "pipebcast tune",
    .usage = "Usage: pipebcast tune --hostfile FILE [OPTION]...\n"
             "       mpirun ... pipebcast tune [OPTION]...\n"
             "\n"
             "Measures the cost of messages on this network, by which pipebcast chooses trees and\n"
             "segment sizes. Run it over the hosts of the cluster while nothing else uses them;\n"
             "ranks on two hosts are enough, and all of them are better. No model is written of\n"
             "measurements that did not settle. --discover finds the switches instead, and\n"
             "--verify checks a file of them.\n",
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .more = "Examples:\n"
            "  pipebcast tune --hostfile hosts --install\n"
            "  pipebcast tune --hostfile hosts --discover cluster.conf\n"
            "  pipebcast tune --hostfile hosts --verify --topology cluster.conf\n"
            "\n" COMMON_EXITS,
};

/** The sizes of the command line must ascend, in steps that a model allows, around its middle. */
static void take_sizes(struct tune_options *options)
{
    const common_list_t *asked = &options->asked;
    if (asked->n > TUNE_MAX_SIZES) {
        common_usage_error("--sizes: more than %d sizes; give fewer", TUNE_MAX_SIZES);
    }
    for (int i = 0; i < asked->n; i++) {
        const long long bytes = asked->values[i];
        if (i > 0 && bytes <= asked->values[i - 1]) {
            common_usage_error("--sizes: %lld is not more than the size before it", bytes);
        }
        if (i > 0 && bytes / PB_MODEL_MAX_STEP > asked->values[i - 1]) {
            common_usage_error("--sizes: %lld is more than %d times the size before it; give "
                               "sizes between them",
                               bytes, PB_MODEL_MAX_STEP);
        }
        options->sizes[i] = (uint64_t) bytes;
    }
    options->n_sizes = asked->n;
    if (asked->n > 0 && (asked->n < 2 || asked->values[0] > PB_MODEL_MIDDLE_BYTES ||
                         asked->values[asked->n - 1] < PB_MODEL_MIDDLE_BYTES)) {
        common_usage_error("--sizes: a model needs two sizes or more, from %d bytes or less to "
                           "%d or more",
                           PB_MODEL_MIDDLE_BYTES, PB_MODEL_MIDDLE_BYTES);
    }
}

/** Chooses the model's file if no --output is given: with --install one that lasts. */
static void choose_output(struct tune_options *options)
{
    const char *home = getenv("HOME");
    if (options->install && (home == NULL || home[0] != '/')) {
        common_usage_error("--install: HOME is not set, so that there is no "
                           "$HOME/.openmpi/mca-params.conf; set HOME, or leave "
                           "--install out");
    }
    if (options->output[0] != '\0') {
        return;
    }
    const int length =
        options->install ? snprintf(options->output, sizeof options->output,
                                    "%s/.openmpi/pipebcast-model.txt", home)
                         : snprintf(options->output, sizeof options->output, "pipebcast-model.txt");
    if (length >= (int) sizeof options->output) {
        common_usage_error("--install: HOME is too long; name a file by --output");
    }
}

/** --discover and --verify write no model, so what is said of one means nothing there. */
static void refuse_model(const struct tune_options *options)
{
    const char *instead = options->verify ? "--verify" : "--discover";
    if (!options->verify && options->discover[0] == '\0') {
        return;
    }
    if (options->install) {
        common_usage_error("%s and --install: %s makes no model that could be entered; leave "
                           "--install out",
                           instead, instead);
    }
    if (options->output[0] != '\0') {
        common_usage_error("%s and --output: %s makes no model; %s", instead, instead,
                           options->verify ? "leave --output out"
                                           : "name the topology's file by --discover alone");
    }
}

void tune_options_read(int argc, char **argv, struct tune_options *options)
{
    memset(options, 0, sizeof *options);
    options->time_limit_s = 300;
    options->precision = 0.01;
    options->load = 1;
    common_options_read(&command, argc, argv, options);
    if (options->verify && options->discover[0] != '\0') {
        common_usage_error("--discover and --verify: give one of them; what was found can be "
                           "verified afterwards");
    }
    if (fnmatch("*.y?(a)ml", options->discover, FNM_CASEFOLD | FNM_EXTMATCH) == 0) {
        common_usage_error("--discover: a file '%s' would be read as YAML, which it is not; name "
                           "it cluster.conf",
                           options->discover);
    }
    if (options->verify && options->topology[0] == '\0') {
        common_usage_error("--verify needs the topology that is to be verified: --verify "
                           "--topology cluster.conf");
    }
    refuse_model(options);
    take_sizes(options);
    choose_output(options);
    common_options_done();
}
