#include "options.h"

#include <string.h>

#include "command.h"
#include "contrib/tools/common/topology.h"
#include "topo/search/anneal.h"

/** Bytes of a list of algorithms, its end included. */
enum { MAX_LIST_TEXT = 1024 };

const common_option_t tool_rank_rows[] = {
    {"root", COMMON_WORD, TOOL_VALUE(root), .argument = "HOST", .missing = "the first rank",
     .help = "sender of the broadcast; HOST:SLOT for one of several ranks on a host"},
    {"hosts", COMMON_WORD, TOOL_VALUE(hosts), .argument = "LIST",
     .missing = "all, in order of their names",
     .help = "hosts that take part, as n[0-7,12],login1; ranks are numbered in this order"},
    {"ppn", COMMON_NUMBER, TOOL_VALUE(ppn), .least = 1, .most = 4096, .argument = "N",
     .missing = "1", .help = "ranks on each host, named HOST:0 to HOST:N-1"},
    {"fanout", COMMON_NUMBER, TOOL_VALUE(plan.fanout), .least = 1, .most = TOOL_MAX_RANKS,
     .argument = "K", .missing = "3", .help = "children of a rank in a kary tree"},
    {0},
};

const common_option_t tool_file_rows[] = {
    {"topology-name", COMMON_WORD, TOOL_VALUE(topology_name), .argument = "NAME",
     .missing = COMMON_TOPOLOGY_MISSING,
     .help = "which topology of a topology.yaml, as coll_pipebcast_topology_name"},
    {0},
};

static bool unknown_kind(const char *name, common_complaint_t complaint)
{
    char known[512] = "";
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        size_t length = strlen(known);
        snprintf(known + length, sizeof(known) - length, "%s%s", kind > 0 ? ", " : "",
                 pb_kind_name((pb_kind_t) kind));
    }
    return common_wrong(complaint, "--algorithm: '%s' is unknown; known are %s", name, known);
}

static bool add_kind(tool_options_t *options, const char *name, common_complaint_t complaint)
{
    int kind = pb_kind_find(name);
    if (kind < 0) {
        return unknown_kind(name, complaint);
    }
    for (int i = 0; i < options->n_kinds; i++) {
        if (options->kinds[i] == (pb_kind_t) kind) {
            return true;
        }
    }
    options->kinds[options->n_kinds++] = (pb_kind_t) kind;
    return true;
}

static void add_all_kinds(tool_options_t *options)
{
    options->all_kinds = true;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        options->kinds[kind] = (pb_kind_t) kind;
    }
    options->n_kinds = PB_KIND_COUNT;
}

bool tool_take_kinds(void *context, const char *value, common_complaint_t complaint)
{
    tool_options_t *options = context;
    char copy[MAX_LIST_TEXT], *rest = copy;
    if (strlen(value) >= sizeof(copy)) {
        return common_wrong(complaint, "--algorithm: the list is longer than %d bytes",
                            MAX_LIST_TEXT - 1);
    }
    strcpy(copy, value);
    bool good = true;
    options->n_kinds = 0;
    options->all_kinds = false;
    if (strcmp(value, "all") == 0) {
        add_all_kinds(options);
        rest = NULL;
    }
    while (good && rest != NULL) {
        good = add_kind(options, strsep(&rest, ","), complaint);
    }
    return good;
}

/** Adds a value to those of an option. */
static bool add_word(tool_words_t *words, const char *option, const char *value,
                     common_complaint_t complaint)
{
    if (value[0] == '\0') {
        return common_wrong(complaint, "--%s: the value is empty", option);
    }
    if (words->n == TOOL_MAX_WORDS) {
        return common_wrong(complaint, "--%s: is there more than %d times", option, TOOL_MAX_WORDS);
    }
    words->words[words->n++] = value;
    return true;
}

bool tool_take_switches(void *options, const char *value, common_complaint_t complaint)
{
    return add_word(&((tool_options_t *) options)->switches, "switches", value, complaint);
}

bool tool_take_interfaces(void *options, const char *value, common_complaint_t complaint)
{
    return add_word(&((tool_options_t *) options)->interfaces, "interface", value, complaint);
}

bool tool_take_pairs(void *options, const char *value, common_complaint_t complaint)
{
    return add_word(&((tool_options_t *) options)->pairs, "pair", value, complaint);
}

bool tool_take_ignored(void *options, const char *value, common_complaint_t complaint)
{
    return add_word(&((tool_options_t *) options)->ignored, "ignore", value, complaint);
}

bool tool_take_tops(void *options, const char *value, common_complaint_t complaint)
{
    return add_word(&((tool_options_t *) options)->tops, "top", value, complaint);
}

int64_t tool_sum(const common_list_t *list)
{
    int64_t sum = 0;
    for (int i = 0; i < list->n; i++) {
        sum += list->values[i];
    }
    return sum;
}

static bool take_operands(const tool_command_t *command, const common_operands_t *operands,
                          tool_options_t *options, common_complaint_t complaint)
{
    options->operands = *operands;
    if (command->many_files || (operands->n == 0 && options->file != NULL)) {
        return true;
    }
    const bool needs_file = command->needs_file && !options->grow;
    if (operands->n != needs_file || options->file != NULL) {
        return common_wrong(complaint, "%s takes %s", strchr(command->line.name, ' ') + 1,
                            needs_file ? "one FILE, or - for standard input" : "no FILE");
    }
    options->file = operands->n > 0 ? operands->words[0] : NULL;
    return true;
}

common_verdict_t tool_options_read(const tool_command_t *command, int argc, char **argv,
                                   tool_options_t *options, common_complaint_t complaint)
{
    common_operands_t operands;
    *options = (tool_options_t){.ppn = 1,
                                .plan = {.fanout = 3, .leaders = true},
                                .topologies = 20,
                                .seed = 1,
                                .trunk_speed = 1,
                                .n_roots = 20,
                                .mtu = 1500,
                                .random_runs = PB_ANNEAL_RANDOM_RUNS,
                                .refine_runs = PB_ANNEAL_REFINE_RUNS,
                                .segments = {.n = 1, .values = {64}},
                                .grow_sizes = {.n = 12,
                                               .values = {32, 64, 128, 256, 512, 1024, 2048, 4096,
                                                          8192, 16384, 32768, 65536}},
                                .grow_per_switch = 32,
                                .speeds = {.n = 4, .values = {1000, 10000, 25000, 100000}},
                                .per_switch = {.n = 2, .values = {16, 8}},
                                .sizes = {.n = 7, .values = {16, 32, 64, 128, 256, 512, 1024}}};
    common_verdict_t verdict =
        common_options_read(&command->line, argc, argv, options, &operands, complaint);
    if (verdict != COMMON_RUN) {
        return verdict;
    }
    if (options->n_kinds == 0 && command->all_kinds) {
        add_all_kinds(options);
    }
    return take_operands(command, &operands, options, complaint) ? COMMON_RUN : COMMON_WRONG;
}
