#include "options.h"

#include <string.h>

#include "contrib/tools/common/numbers.h"

enum option_code {
    OPT_BUDGET = BENCH_OPTION_FIRST,
    OPT_DIR,
    OPT_HOSTS,
    OPT_IDLE,
    OPT_LINKS,
    OPT_LINKS_AGE,
    OPT_MAX_AGE,
    OPT_ONCE,
    OPT_QUIET,
    OPT_ROOT,
    OPT_SEED,
    OPT_SEGMENT,
    OPT_TOPOLOGY,
    OPT_TREE,
};

static const struct option long_options[] = {
    {"budget", required_argument, NULL, OPT_BUDGET},
    {"dir", required_argument, NULL, OPT_DIR},
    {"help", no_argument, NULL, BENCH_OPTION_HELP},
    {"hosts", required_argument, NULL, OPT_HOSTS},
    {"idle", no_argument, NULL, OPT_IDLE},
    {"links", required_argument, NULL, OPT_LINKS},
    {"links-age", required_argument, NULL, OPT_LINKS_AGE},
    {"max-age", required_argument, NULL, OPT_MAX_AGE},
    {"once", no_argument, NULL, OPT_ONCE},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"root", required_argument, NULL, OPT_ROOT},
    {"seed", required_argument, NULL, OPT_SEED},
    {"segment", required_argument, NULL, OPT_SEGMENT},
    {"topology", required_argument, NULL, OPT_TOPOLOGY},
    {"tree", required_argument, NULL, OPT_TREE},
    {"version", no_argument, NULL, BENCH_OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static const char *const method_names[] = {[ADVISE_ANNEALED] = "annealed",
                                           [ADVISE_MULTILEVEL] = "multilevel",
                                           [ADVISE_MATEESCU] = "mateescu"};

const char *advise_method_name(enum advise_method method)
{
    return method_names[method];
}

static bool read_method(const char *value, enum advise_method *method_p,
                        struct bench_complaint complaint)
{
    for (size_t i = 0; i < sizeof method_names / sizeof method_names[0]; i++) {
        if (strcmp(value, method_names[i]) == 0) {
            *method_p = (enum advise_method) i;
            return true;
        }
    }
    return bench_wrong(complaint,
                       "--tree: '%s' is unknown; known are annealed, multilevel and "
                       "mateescu",
                       value);
}

static bool read_segment(struct advisor_options *options, const char *value,
                         struct bench_complaint complaint)
{
    int64_t bytes;
    if (!advise_read_bytes("--segment", value, 1, PB_ADVICE_MAX_SEGMENT, &bytes, complaint)) {
        return false;
    }
    options->segment = (uint32_t) bytes;
    return true;
}

static bool read_seed(struct advisor_options *options, const char *value,
                      struct bench_complaint complaint)
{
    long long seed;
    if (!bench_read_number(value, 1, INT64_MAX, &seed)) {
        return bench_wrong(complaint, "--seed: '%s' is no whole number from 1", value);
    }
    options->seed = (uint64_t) seed;
    return true;
}

static bool take_option(void *context, int code, const char *value,
                        struct bench_complaint complaint)
{
    struct advisor_options *options = context;
    const size_t size = ADVISE_MAX_TEXT;
    switch (code) {
    case OPT_BUDGET:
        return advise_read_real("--budget", value, 1e-3, 1e5, "seconds", &options->budget_s,
                                complaint);
    case OPT_DIR:
        return advise_read_text("--dir", value, options->dir, size, complaint);
    case OPT_HOSTS:
        return advise_read_text("--hosts", value, options->hosts, size, complaint);
    case OPT_IDLE:
        return options->idle = true;
    case OPT_LINKS:
        return advise_read_text("--links", value, options->links, size, complaint);
    case OPT_LINKS_AGE:
        return advise_read_int("--links-age", value, 1, 1000000000, &options->links_age, complaint);
    case OPT_MAX_AGE:
        return advise_read_int("--max-age", value, 1, PB_ADVICE_MAX_AGE, &options->max_age,
                               complaint);
    case OPT_ONCE:
        return options->once = true;
    case OPT_QUIET:
        return options->quiet = true;
    case OPT_ROOT:
        return advise_read_text("--root", value, options->root, size, complaint);
    case OPT_SEED:
        return read_seed(options, value, complaint);
    case OPT_SEGMENT:
        return read_segment(options, value, complaint);
    case OPT_TOPOLOGY:
        return advise_read_text("--topology", value, options->topology, size, complaint);
    case OPT_TREE:
        return read_method(value, &options->method, complaint);
    default:
        return bench_wrong(complaint, "option %d is not handled", code);
    }
}

/** `status` is the only word, and comes first. */
static bool take_word(struct advisor_options *options, int *argc, char ***argv,
                      struct bench_complaint complaint)
{
    if (*argc < 2 || (*argv)[1][0] == '-') {
        return true;
    }
    if (strcmp((*argv)[1], "status") != 0) {
        return bench_wrong(complaint, "'%s' is no command; there is only 'status'", (*argv)[1]);
    }
    options->status = true;
    (*argc)--;
    (*argv)++;
    return true;
}

static bool complete(const struct advisor_options *options, struct bench_complaint complaint)
{
    if (options->dir[0] == '\0') {
        return bench_wrong(complaint, "--dir: name the directory that the jobs have as "
                                      "coll_pipebcast_advice_dir");
    }
    if (options->root[0] != '\0' && options->hosts[0] == '\0' && options->links[0] == '\0' &&
        options->topology[0] == '\0') {
        return bench_wrong(complaint, "--root: of which hosts? Give --links, --topology or "
                                      "--hosts");
    }
    return true;
}

enum bench_verdict advisor_options_parse(int argc, char **argv, struct advisor_options *options,
                                         char *error, size_t error_size)
{
    const struct bench_complaint complaint = {error, error_size};
    *options = (struct advisor_options){.max_age = 120, .links_age = 900, .seed = 1};
    if (!take_word(options, &argc, &argv, complaint)) {
        return BENCH_WRONG;
    }
    const enum bench_verdict verdict =
        bench_read_options(argc, argv, long_options, take_option, options, complaint);
    if (verdict != BENCH_RUN) {
        return verdict;
    }
    return complete(options, complaint) ? BENCH_RUN : BENCH_WRONG;
}

void advisor_options_help(FILE *stream)
{
    fputs(
        "Usage: pipebcast-advisor --dir DIR [OPTION]...\n"
        "       pipebcast-advisor status --dir DIR\n"
        "Finds broadcast trees for a network that changes, and hands them to running programs\n"
        "whose coll_pipebcast_advice_dir is DIR. While a program broadcasts, it learns from it "
        "how\n"
        "fast links are and when the next broadcast will come, of which size, and spends the time\n"
        "until then on a better tree. While none does, it goes through sizes from 1 KB to 2 MB.\n"
        "\n"
        "  --dir DIR            where programs and advisor meet\n"
        "  --links FILE         what pipebcast-probe measured [links are assumed]\n"
        "  --topology FILE      the switches, as coll_pipebcast_topology_file [clusters of links]\n"
        "  --tree KIND          annealed, multilevel (static) or mateescu [annealed]\n"
        "  --segment BYTES      of a segment [what is predicted to be fastest]\n"
        "  --max-age SECONDS    for which advice and what programs measured hold [120]\n"
        "  --links-age SECONDS  for which FILE of --links holds [900]\n"
        "  --budget SECONDS     for a tree, at most [until the next broadcast; while no program\n"
        "                       runs, a fixed number of attempts]\n"
        "  --seed N             of the random numbers [1]\n"
        "  --hosts LIST, --root HOST\n"
        "                       to go through sizes for while no program runs [those of --links "
        "or\n"
        "                       --topology, the first]\n"
        "  --idle               take no notice of running programs\n"
        "  --once               one pass: the next broadcast of each program, or all sizes\n"
        "  --quiet              print nothing but what is wrong\n"
        "  --help, --version\n"
        "\n"
        "It ends when it gets SIGTERM or SIGINT, cleanly; advice stays until it is too old. For\n"
        "example, with programs that run with --mca coll_pipebcast_algorithm adaptive\n"
        "--mca coll_pipebcast_advice_dir /shared/advice:\n"
        "\n"
        "  pipebcast-advisor --dir /shared/advice --topology grid.conf --links grid.links &\n"
        "  pipebcast-advisor status --dir /shared/advice\n"
        "\n"
        "Exit status: 0 all is well, 1 something failed (status: no advisor is at work; --once:\n"
        "no advice was written), 2 wrong options.\n",
        stream);
}
