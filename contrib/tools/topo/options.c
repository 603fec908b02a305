#include "options.h"

#include <string.h>

#include "command.h"
#include "contrib/tools/common/topology.h"

/** Bytes of a list of algorithms, its end included. */
enum { MAX_LIST_TEXT = 1024 };

const common_option_t tool_rank_rows[] = {
    {"root", COMMON_WORD, TOOL_VALUE(root), .argument = "WHO", .missing = "0",
     .help = "who sends: rank N, or the first rank on HOST; HOST:SLOT for a further one"},
    {"hosts", COMMON_WORD, TOOL_VALUE(hosts), .argument = "LIST",
     .missing = "all, in order of their names",
     .help = "hosts that take part, as n[0-7,12],login1; ranks are numbered in this order"},
    {"ppn", COMMON_NUMBER, TOOL_VALUE(ppn), .least = 1, .most = 4096, .argument = "N",
     .missing = "1", .help = "ranks on each host, named HOST:0 to HOST:N-1"},
    {"fanout", COMMON_NUMBER, TOOL_VALUE(plan.fanout), .least = 1, .most = TOOL_MAX_RANKS,
     .argument = "K", .missing = "8", .help = "children of a rank in a kary tree"},
    {0},
};

const common_option_t tool_file_rows[] = {
    COMMON_TOPOLOGY_NAME_ROW(COMMON_WORD, TOOL_VALUE(topology_name)),
    {0},
};

static void add_kind(tool_options_t *options, const char *name)
{
    const char *known[PB_KIND_COUNT + 1] = {NULL};
    const int kind = pb_kind_find(name);
    for (int i = 0; i < PB_KIND_COUNT; i++) {
        known[i] = pb_kind_name((pb_kind_t) i);
    }
    if (kind < 0) {
        common_unknown_word("algorithm", name, known);
    }
    for (int i = 0; i < options->n_kinds; i++) {
        if (options->kinds[i] == (pb_kind_t) kind) {
            return;
        }
    }
    options->kinds[options->n_kinds++] = (pb_kind_t) kind;
}

static void add_all_kinds(tool_options_t *options)
{
    options->all_kinds = true;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        options->kinds[kind] = (pb_kind_t) kind;
    }
    options->n_kinds = PB_KIND_COUNT;
}

void tool_take_kinds(void *context, const char *value)
{
    tool_options_t *options = context;
    char copy[MAX_LIST_TEXT], *rest = copy;
    if (strlen(value) >= sizeof(copy)) {
        common_usage_error("--algorithm: the list is longer than %d bytes", MAX_LIST_TEXT - 1);
    }
    strcpy(copy, value);
    options->n_kinds = 0;
    options->all_kinds = false;
    if (strcmp(value, "all") == 0) {
        add_all_kinds(options);
        rest = NULL;
    }
    while (rest != NULL) {
        add_kind(options, strsep(&rest, ","));
    }
}

static void take_operands(const common_operands_t *operands, tool_options_t *options)
{
    if (operands->n == 0 && options->file != NULL) {
        return;
    }
    if (operands->n != 1 || options->file != NULL) {
        common_usage_error("give one FILE, or - for standard input");
    }
    options->file = operands->words[0];
}

void tool_options_read(const tool_command_t *command, int argc, char **argv,
                       tool_options_t *options)
{
    *options = (tool_options_t){.ppn = 1,
                                .plan = {.fanout = PB_DEFAULT_FANOUT, .leaders = true},
                                .mtu = 1500,
                                .sizes = {.n = 1, .values = {65536}},
                                .segments = {.n = 1, .values = {64}}};
    const common_operands_t operands = common_options_read(&command->line, argc, argv, options);
    if (options->n_kinds == 0 && command->all_kinds) {
        add_all_kinds(options);
    }
    take_operands(&operands, options);
}
