#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "topo/check/simulator.h"
#include "topo/model/model.h"

/* Every option of the tool. The letters are what commands say they accept; of two options of one
 * name a command accepts at most one. */
static const struct option all_options[] = {
    {"root", required_argument, NULL, 'r'},
    {"hosts", required_argument, NULL, 'H'},
    {"ppn", required_argument, NULL, 'p'},
    {"algorithm", required_argument, NULL, 'a'},
    {"fanout", required_argument, NULL, 'k'},
    {"format", required_argument, NULL, 'f'},
    {"segments", required_argument, NULL, 's'},
    {"model", required_argument, NULL, 'm'},
    {"links", no_argument, NULL, 'l'},
    {"sizes", required_argument, NULL, 'z'},
    {"per-switch", required_argument, NULL, 'w'},
    {"topologies", required_argument, NULL, 't'},
    {"seed", required_argument, NULL, 'd'},
    {"picture", required_argument, NULL, 'P'},
    {"help", no_argument, NULL, 'h'},
    {"topology", required_argument, NULL, 'T'},
    {"model", required_argument, NULL, 'M'},
    {"bytes", required_argument, NULL, 'b'},
    {"segment", required_argument, NULL, 'S'},
    {"all", no_argument, NULL, 'A'},
    {"speed", required_argument, NULL, 'g'},
    {"mtu", required_argument, NULL, 'u'},
};

/** Bytes of a list, its end included. */
enum { MAX_LIST_TEXT = 1024 };

enum { N_OPTIONS = sizeof(all_options) / sizeof(all_options[0]) };

static const char *const format_names[TOOL_FORMAT_COUNT] = {
    [TOOL_FORMAT_TEXT] = "text",
    [TOOL_FORMAT_JSON] = "json",
    [TOOL_FORMAT_DOT] = "dot",
    [TOOL_FORMAT_SVG] = "svg",
};

__attribute__((format(printf, 1, 2))) static bool wrong(const char *format, ...)
{
    va_list args;
    char text[512];
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    tool_complain(TOOL_USAGE, "%s", text);
    return false;
}

/* A whole number from min to max with nothing before or behind it. */
static bool read_number(const char *text, int min, int max, int *number_p)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < min ||
        number > max) {
        return false;
    }
    *number_p = (int) number;
    return true;
}

static bool number_option(const char *name, const char *text, int min, int max, int *number_p)
{
    return read_number(text, min, max, number_p) ||
           wrong("--%s: '%s' is not a whole number from %d to %d", name, text, min, max);
}

static bool add_value(const char *name, tool_list_t *list, int value)
{
    if (list->n == TOOL_MAX_LIST) {
        return wrong("--%s: more than %d numbers", name, TOOL_MAX_LIST);
    }
    list->values[list->n++] = value;
    return true;
}

/* A number, or FIRST:LAST for FIRST, twice that, ... up to LAST. */
static bool add_item(const char *name, tool_list_t *list, char *item, int max)
{
    char *colon = strchr(item, ':');
    int first, last;
    if (colon != NULL) {
        *colon = '\0';
    }
    if (!read_number(item, 1, max, &first) ||
        (colon != NULL && !read_number(colon + 1, first, max, &last))) {
        return wrong("--%s takes whole numbers from 1 to %d, as in 16,64 or, doubling, 16:1024",
                     name, max);
    }
    if (colon == NULL) {
        return add_value(name, list, first);
    }
    for (int64_t value = first; value <= last; value *= 2) {
        if (!add_value(name, list, (int) value)) {
            return false;
        }
    }
    return true;
}

/* A copy of a list that can be cut at its commas. */
static bool copy_list(const char *name, const char *text, char copy[MAX_LIST_TEXT])
{
    if (strlen(text) >= MAX_LIST_TEXT) {
        return wrong("--%s: the list is longer than %d bytes", name, MAX_LIST_TEXT - 1);
    }
    strcpy(copy, text);
    return true;
}

static bool list_option(const char *name, const char *text, int max, tool_list_t *list)
{
    char copy[MAX_LIST_TEXT], *rest = copy;
    if (!copy_list(name, text, copy)) {
        return false;
    }
    bool good = true;
    list->n = 0;
    while (good && rest != NULL) {
        good = add_item(name, list, strsep(&rest, ","), max);
    }
    return good;
}

static bool unknown_kind(const char *name)
{
    char known[512] = "";
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        size_t length = strlen(known);
        snprintf(known + length, sizeof(known) - length, "%s%s", kind > 0 ? ", " : "",
                 pb_kind_name((pb_kind_t) kind));
    }
    return wrong("--algorithm: '%s' is unknown; known are %s", name, known);
}

static bool add_kind(tool_options_t *options, const char *name)
{
    int kind = pb_kind_find(name);
    if (kind < 0) {
        return unknown_kind(name);
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

static bool kinds_option(tool_options_t *options, const char *text)
{
    char copy[MAX_LIST_TEXT], *rest = copy;
    if (!copy_list("algorithm", text, copy)) {
        return false;
    }
    bool good = true;
    options->n_kinds = 0;
    options->all_kinds = false;
    if (strcmp(text, "all") == 0) {
        add_all_kinds(options);
        rest = NULL;
    }
    while (good && rest != NULL) {
        good = add_kind(options, strsep(&rest, ","));
    }
    return good;
}

static bool format_option(const char *text, tool_format_t *format_p)
{
    for (int i = 0; i < TOOL_FORMAT_COUNT; i++) {
        if (strcmp(text, format_names[i]) == 0) {
            *format_p = (tool_format_t) i;
            return true;
        }
    }
    return wrong("--format: '%s' is unknown; known are text, json, dot, svg", text);
}

/* One of two words: *second_p says whether it is the second. */
static bool choice_option(const char *name, const char *text, const char *first, const char *second,
                          bool *second_p)
{
    *second_p = strcmp(text, second) == 0;
    return *second_p || strcmp(text, first) == 0 ||
           wrong("--%s: '%s' is unknown; known are %s, %s", name, text, first, second);
}

static bool seed_option(const char *text, uint64_t *seed_p)
{
    char *end;
    errno = 0;
    unsigned long long seed = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        return wrong("--seed: '%s' is not a whole number from 0", text);
    }
    *seed_p = seed;
    return true;
}

/* Bytes from 1 to `max`, as 65536, 64K, 1M or 2G. */
static bool bytes_option(const char *name, const char *text, uint64_t max, uint64_t *bytes_p)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    const int shift = unit != NULL ? 10 * (int) (unit - units + 1) : 0;
    end += unit != NULL;
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < 1 ||
        number > max >> shift) {
        return wrong("--%s: '%s' is not a number of bytes from 1 to %llu, as 65536, 64K or 1M",
                     name, text, (unsigned long long) max);
    }
    *bytes_p = (uint64_t) number << shift;
    return true;
}

static bool take_option(tool_options_t *options, int letter, const char *text)
{
    switch (letter) {
    case 'r':
        options->root = text;
        return true;
    case 'H':
        options->hosts = text;
        return true;
    case 'p':
        return number_option("ppn", text, 1, 4096, &options->ppn);
    case 'a':
        return kinds_option(options, text);
    case 'k':
        return number_option("fanout", text, 1, TOOL_MAX_RANKS, &options->plan.fanout);
    case 'f':
        return format_option(text, &options->format);
    case 's':
        return list_option("segments", text, PB_SIMULATE_MAX_SEGMENTS, &options->segments);
    case 'm':
        return choice_option("model", text, "slot", "links", &options->links_model);
    case 'l':
        options->show_links = true;
        return true;
    case 'z':
        return list_option("sizes", text, 1 << 16, &options->sizes);
    case 'w':
        return list_option("per-switch", text, 1 << 16, &options->per_switch);
    case 't':
        return number_option("topologies", text, 1, 1000000, &options->topologies);
    case 'd':
        return seed_option(text, &options->seed);
    case 'P':
        options->picture = text;
        return true;
    case 'T':
        options->file = text;
        return true;
    case 'M':
        options->model_file = text;
        return true;
    case 'b':
        return bytes_option("bytes", text, PB_MODEL_MAX_BYTES, &options->bytes);
    case 'S':
        return bytes_option("segment", text, UINT64_C(1) << 30, &options->segment);
    case 'A':
        options->all_candidates = true;
        return true;
    case 'g':
        return number_option("speed", text, 1, 10000000, &options->megabits);
    case 'u':
        return number_option("mtu", text, 576, 65535, &options->mtu);
    default:
        options->help = true;
        return true;
    }
}

/* The options of the command, --help among them; `accepted` has room for all and an end. */
static void accept_options(const tool_command_t *command, struct option *accepted)
{
    int n = 0;
    for (int i = 0; i < N_OPTIONS; i++) {
        if (all_options[i].val == 'h' || strchr(command->accepts, all_options[i].val) != NULL) {
            accepted[n++] = all_options[i];
        }
    }
    memset(&accepted[n], 0, sizeof(accepted[n]));
}

static bool wrong_option(const tool_command_t *command, int what, const char *text)
{
    if (what == ':') {
        return wrong("%s needs a value; see pipebcast-topo %s --help", text, command->name);
    }
    return wrong("'%s' is no option of %s, or takes no value; see pipebcast-topo %s --help", text,
                 command->name, command->name);
}

static bool take_operands(const tool_command_t *command, int argc, char **argv,
                          tool_options_t *options)
{
    int n = argc - optind;
    if (n == 0 && options->file != NULL) {
        return true;
    }
    if (n != command->needs_file || options->file != NULL) {
        return wrong("%s takes %s; see pipebcast-topo %s --help", command->name,
                     command->needs_file ? "one FILE, or - for standard input" : "no FILE",
                     command->name);
    }
    options->file = n > 0 ? argv[optind] : NULL;
    return true;
}

bool tool_options_read(const tool_command_t *command, int argc, char **argv,
                       tool_options_t *options)
{
    *options = (tool_options_t){.ppn = 1,
                                .plan.fanout = 3,
                                .topologies = 20,
                                .seed = 1,
                                .megabits = 1000,
                                .mtu = 1500,
                                .segments = {.n = 1, .values = {64}},
                                .per_switch = {.n = 2, .values = {16, 8}},
                                .sizes = {.n = 7, .values = {16, 32, 64, 128, 256, 512, 1024}}};
    struct option accepted[N_OPTIONS + 1];
    accept_options(command, accepted);
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, ":h", accepted, NULL)) != -1;) {
        if (letter == ':' || letter == '?') {
            return wrong_option(command, letter, argv[optind - 1]);
        }
        if (!take_option(options, letter, optarg)) {
            return false;
        }
    }
    if (options->n_kinds == 0 && command->all_kinds) {
        add_all_kinds(options);
    }
    return options->help || take_operands(command, argc, argv, options);
}
