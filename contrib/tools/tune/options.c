#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/model/model.h"

/** The largest message that a model of this program speaks of; both windows of it fit memory. */
#define MAX_BYTES ((long long) 64 << 20)

static bool read_text(const char *option, const char *text, char *copy,
                      struct bench_complaint complaint)
{
    if (text[0] == '\0') {
        return bench_wrong(complaint, "%s: is empty; leave it out or give a value", option);
    }
    return bench_read_text(option, text, copy, TUNE_MAX_TEXT, complaint);
}

/** Reads a number of bytes with an optional K or M. */
static bool read_size(const char *text, uint64_t *bytes_p)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    const int shift = strcasecmp(end, "k") == 0 ? 10 : strcasecmp(end, "m") == 0 ? 20 : 0;
    if (end == text || (*end != '\0' && shift == 0) || errno != 0 || number < 1 ||
        number > MAX_BYTES >> shift) {
        return false;
    }
    *bytes_p = (uint64_t) number << shift;
    return true;
}

static bool add_size(struct tune_options *options, const char *item,
                     struct bench_complaint complaint)
{
    uint64_t bytes;
    const int n = options->n_sizes;
    if (!read_size(item, &bytes)) {
        return bench_wrong(complaint,
                           "--sizes: '%s' is no size from 1 to 64M; write for example 1426 or 64K",
                           item);
    }
    if (n == TUNE_MAX_SIZES) {
        return bench_wrong(complaint, "--sizes: more than %d sizes; give fewer", TUNE_MAX_SIZES);
    }
    if (n > 0 && bytes <= options->sizes[n - 1]) {
        return bench_wrong(complaint, "--sizes: '%s' is not more than the size before it", item);
    }
    if (n > 0 && bytes / PB_MODEL_MAX_STEP > options->sizes[n - 1]) {
        return bench_wrong(complaint,
                           "--sizes: '%s' is more than %d times the size before it; give sizes "
                           "between them",
                           item, PB_MODEL_MAX_STEP);
    }
    options->sizes[options->n_sizes++] = bytes;
    return true;
}

static bool read_sizes(struct tune_options *options, const char *text,
                       struct bench_complaint complaint)
{
    char *copy = strdup(text);
    if (copy == NULL) {
        return bench_wrong(complaint, "--sizes: out of memory");
    }
    bool good = true;
    char *rest = copy;
    options->n_sizes = 0;
    while (good && rest != NULL) {
        good = add_size(options, strsep(&rest, ","), complaint);
    }
    free(copy);
    if (good && (options->n_sizes < 2 || options->sizes[0] > PB_MODEL_MIDDLE_BYTES ||
                 options->sizes[options->n_sizes - 1] < PB_MODEL_MIDDLE_BYTES)) {
        return bench_wrong(complaint,
                           "--sizes: a model needs two sizes or more, from %d bytes or less to %d "
                           "or more",
                           PB_MODEL_MIDDLE_BYTES, PB_MODEL_MIDDLE_BYTES);
    }
    return good;
}

/** Reads a number above 0 and up to max. */
static bool read_number(const char *option, const char *text, double max, const char *what,
                        double *number_p, struct bench_complaint complaint)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || number <= 0 || number > max) {
        return bench_wrong(complaint, "%s: '%s' is no number of %s above 0 and up to %g", option,
                           text, what, max);
    }
    *number_p = number;
    return true;
}

/** Where the model goes if nobody says so: with --install a place that lasts. */
static bool choose_output(struct tune_options *options, struct bench_complaint complaint)
{
    const char *home = getenv("HOME");
    if (options->install && (home == NULL || home[0] != '/')) {
        return bench_wrong(complaint, "--install: HOME is not set, so that there is no "
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
           bench_wrong(complaint, "--install: HOME is too long; name a file by --output");
}

enum option_code {
    OPT_HOSTS = BENCH_OPTION_FIRST,
    OPT_INSTALL,
    OPT_NO_FALLBACK,
    OPT_OUTPUT,
    OPT_PRECISION,
    OPT_QUIET,
    OPT_SIZES,
    OPT_TIME_LIMIT,
    OPT_TOPOLOGY,
};

static const struct option long_options[] = {
    {"help", no_argument, NULL, BENCH_OPTION_HELP},
    {"hosts", required_argument, NULL, OPT_HOSTS},
    {"install", no_argument, NULL, OPT_INSTALL},
    {"no-previous", no_argument, NULL, OPT_NO_FALLBACK},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"precision", required_argument, NULL, OPT_PRECISION},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"sizes", required_argument, NULL, OPT_SIZES},
    {"time-limit", required_argument, NULL, OPT_TIME_LIMIT},
    {"topology", required_argument, NULL, OPT_TOPOLOGY},
    {"version", no_argument, NULL, BENCH_OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

/** Takes one option other than --help and --version. */
static bool take_option(void *context, int code, const char *value,
                        struct bench_complaint complaint)
{
    struct tune_options *options = context;
    switch (code) {
    case OPT_HOSTS:
        return read_text("--hosts", value, options->hosts, complaint);
    case OPT_INSTALL:
        return options->install = true;
    case OPT_NO_FALLBACK:
        options->fallback = false;
        return true;
    case OPT_OUTPUT:
        return read_text("--output", value, options->output, complaint);
    case OPT_PRECISION:
        if (!read_number("--precision", value, 50, "percent", &options->precision, complaint)) {
            return false;
        }
        options->precision /= 100;
        return true;
    case OPT_QUIET:
        return options->quiet = true;
    case OPT_SIZES:
        return read_sizes(options, value, complaint);
    case OPT_TIME_LIMIT:
        return read_number("--time-limit", value, 1e6, "seconds", &options->time_limit_s,
                           complaint);
    case OPT_TOPOLOGY:
        return read_text("--topology", value, options->topology, complaint);
    default:
        return bench_wrong(complaint, "option %d is not handled", code);
    }
}

static void set_defaults(struct tune_options *options)
{
    memset(options, 0, sizeof *options);
    options->fallback = true;
    options->time_limit_s = 300;
    options->precision = 0.01;
}

enum bench_verdict tune_options_parse(int argc, char **argv, struct tune_options *options,
                                      char *error, size_t error_size)
{
    const struct bench_complaint complaint = {error, error_size};
    set_defaults(options);
    const enum bench_verdict verdict =
        bench_read_options(argc, argv, long_options, take_option, options, complaint);
    if (verdict != BENCH_RUN) {
        return verdict;
    }
    return choose_output(options, complaint) ? BENCH_RUN : BENCH_WRONG;
}

void tune_options_help(FILE *stream)
{
    fputs("Usage: mpirun ... pipebcast-tune [OPTION]...\n"
          "Measures what messages cost on this network, for pipebcast to choose trees and segment\n"
          "sizes by. Run it over the hosts of the cluster, while nothing else uses them; ranks on\n"
          "two hosts are enough, and all of them are better.\n"
          "\n"
          "  --topology FILE       the switches, as coll_pipebcast_topology_file [one switch]\n"
          "  --output FILE         the model [pipebcast-model.txt; with --install\n"
          "                        $HOME/.openmpi/pipebcast-model.txt]\n"
          "  --install             enter the model in $HOME/.openmpi/mca-params.conf\n"
          "  --time-limit SECONDS  for all of it, about [300]\n"
          "  --precision PERCENT   repeat until the 99 % confidence interval is within this [1]\n"
          "  --sizes LIST          of messages, ascending: 256,1426,4K,... [the sizes of the\n"
          "                        paper, whole TCP segments, powers of two up to 1M]\n"
          "  --no-previous         do not measure the broadcast that is there without pipebcast\n"
          "  --hosts LIST          for trials on one host: host names for the ranks in turn\n"
          "  --quiet               no progress\n"
          "  --help, --version\n"
          "\n"
          "Exit status: 0 measured and written, 1 something failed, 2 wrong options.\n",
          stream);
}
