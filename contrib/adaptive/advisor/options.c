#include "options.h"

#include <string.h>

#include "contrib/tools/common/topology.h"

static const char *const method_names[] = {[ADVISE_ANNEALED] = "annealed",
                                           [ADVISE_MULTILEVEL] = "multilevel",
                                           [ADVISE_MATEESCU] = "mateescu",
                                           NULL};

const char *advise_method_name(enum advise_method method)
{
    return method_names[method];
}

#define VALUE(member) COMMON_VALUE(struct advisor_options, member)

static const common_option_t rows[] = {
    {"dir", COMMON_TEXT, VALUE(dir), .least = 1, .argument = "DIR",
     .help = "where programs and advisor meet, the programs' coll_pipebcast_advice_dir"},
    {"links", COMMON_TEXT, VALUE(links), .least = 1, .argument = "FILE",
     .missing = "links are assumed", .help = "what pipebcast probe measured"},
    COMMON_TOPOLOGY_ROW(VALUE(topology), "the clusters of the links"),
    COMMON_TOPOLOGY_NAME_ROW(COMMON_TEXT, VALUE(topology_name)),
    {"tree", COMMON_CHOICE, VALUE(method), .choices = method_names, .argument = "KIND",
     .missing = "annealed", .help = "annealed, multilevel (static) or mateescu"},
    {"segment", COMMON_SIZE, VALUE(segment), .least = 1, .most = PB_ADVICE_MAX_SEGMENT,
     .argument = "BYTES", .missing = "the fastest as predicted", .help = "size of a segment"},
    {"max-age", COMMON_NUMBER, VALUE(max_age), .least = 1, .most = PB_ADVICE_MAX_AGE,
     .unit_name = "seconds", .argument = "SECONDS", .missing = "120",
     .help = "for which advice and the programs' measurements hold"},
    {"links-age", COMMON_NUMBER, VALUE(links_age), .least = 1, .most = 1000000000,
     .unit_name = "seconds", .argument = "SECONDS", .missing = "900",
     .help = "for which the file of --links holds"},
    {"budget", COMMON_REAL, VALUE(budget_s), .real_least = 1e-3, .real_most = 1e5,
     .unit_name = "seconds", .argument = "SECONDS",
     .missing = "until the next broadcast; while no program runs, a fixed number of attempts",
     .help = "for a tree, at most"},
    {"transformations", COMMON_NUMBER, VALUE(transformations), .least = 1, .most = 1000000000,
     .argument = "N", .missing = "as --budget says",
     .help = "of a search, which then can be repeated exactly"},
    {"seed", COMMON_NUMBER, VALUE(seed), .least = 1, .argument = "N", .missing = "1",
     .help = "of the random numbers"},
    {"hosts", COMMON_TEXT, VALUE(hosts), .least = 1, .argument = "LIST",
     .missing = "those of --links or --topology",
     .help = "hosts to find trees for while no program runs"},
    {"root", COMMON_TEXT, VALUE(root), .least = 1, .argument = "HOST",
     .missing = "the first of the hosts", .help = "root of these trees"},
    {"idle", COMMON_FLAG, VALUE(idle), .least = true, .help = "ignore running programs"},
    {"ignore-rates", COMMON_FLAG, VALUE(ignore_rates), .least = true,
     .help = "trees by --links alone, not by what programs measured"},
    {"once", COMMON_FLAG, VALUE(once), .least = true,
     .help = "one pass: the next broadcast of each program, or all sizes"},
    {"quiet", COMMON_FLAG, VALUE(quiet), .least = true, .help = "print nothing but errors"},
    {"json", COMMON_FLAG, VALUE(json), .least = true, .help = "status: print JSON instead"},
    {0},
};

const common_command_t advisor_command = {
    .name = "pipebcast advise",
    .usage = "Usage: pipebcast advise --dir DIR [OPTION]...\n"
             "       pipebcast advise status --dir DIR\n"
             "\n"
             "Finds broadcast trees for a network that changes, and hands them to running\n"
             "programs whose coll_pipebcast_advice_dir is DIR. A program that broadcasts\n"
             "shows how fast links are, and predicts when the next broadcast comes, and its size.\n"
             "The advisor spends the time until then on a better tree. While no program\n"
             "runs, it goes through sizes from 1 KB to 2 MB.\n",
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .has_operands = true,
    .more = "SIGTERM and SIGINT end it cleanly; advice stays until it is too old. For example,\n"
            "with programs that run with --mca coll_pipebcast_advice_dir /shared/advice:\n"
            "\n"
            "  pipebcast advise --dir /shared/advice --topology grid.conf --links grid.links &\n"
            "  pipebcast advise status --dir /shared/advice\n"
            "\n"
            "Exit status: 0 all is well, 1 something failed (status: no advisor is at work;\n"
            "--once: no advice was written), 2 the command line is wrong.\n",
};

/** `status` is the only operand, and a command. */
static void take_operands(struct advisor_options *options, common_operands_t operands)
{
    if (operands.n > 1 || (operands.n == 1 && strcmp(operands.words[0], "status") != 0)) {
        common_usage_error("'%s' is no option and no command; there is only status",
                           operands.words[operands.n - 1]);
    }
    options->status = operands.n == 1;
}

static void check(const struct advisor_options *options)
{
    if (options->dir[0] == '\0') {
        common_usage_error("--dir: name the directory that the jobs have as "
                           "coll_pipebcast_advice_dir");
    }
    if (options->json && !options->status) {
        common_usage_error("--json is for status alone");
    }
    if (options->root[0] != '\0' && options->hosts[0] == '\0' && options->links[0] == '\0' &&
        options->topology[0] == '\0') {
        common_usage_error("--root: name its hosts, too: give --links, --topology or "
                           "--hosts");
    }
}

void advisor_options_read(int argc, char **argv, struct advisor_options *options)
{
    *options = (struct advisor_options){.max_age = 120, .links_age = 900, .seed = 1};
    take_operands(options, common_options_read(&advisor_command, argc, argv, options));
    check(options);
}
