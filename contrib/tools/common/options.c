#include "options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exits.h"
#include "help.h"
#include "report.h"
#include "terminal.h"

/** Options that one command may have, and bytes of a list's text. */
enum { MAX_OPTIONS = 64, MAX_LIST_TEXT = 1024 };

/** Codes for getopt_long(): options are numbered from FIRST_CODE, beyond every character. */
enum { CODE_HELP = 'h', CODE_VERSION = 256, FIRST_CODE };

/** The command whose options are read, for messages. */
static const common_command_t *reading;

void common_usage_error(const char *format, ...)
{
    char text[1024];
    va_list args;
    if (!common_is_first_rank()) {
        exit(COMMON_EXIT_DONE);
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    common_report("%s; see %s --help", text, reading != NULL ? reading->name : "pipebcast");
    exit(COMMON_EXIT_USAGE);
}

void common_options_done(void)
{
    if (getenv(COMMON_ONLY_OPTIONS) != NULL) {
        exit(COMMON_EXIT_DONE);
    }
}

void common_print_version(void)
{
    static const char version[] = PB_OMPI_VERSION;
    const char *last = strrchr(version, '.');
    printf("%s %s (built for Open MPI %.*s)\n", program_invocation_short_name, PACKAGE_VERSION,
           (int) (last - version), version);
}

/* ---- values ---- */

bool common_read_number(const char *text, int64_t least, int64_t most, int64_t *number_p)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < least ||
        number > most) {
        return false;
    }
    *number_p = number;
    return true;
}

/** The power of two that the letter behind a number stands for; -1 if it is none. */
static int shift_of(const char *suffix)
{
    static const char letters[] = "kKmMgG";
    const char *found = suffix[0] != '\0' ? strchr(letters, suffix[0]) : NULL;
    if (suffix[0] == '\0') {
        return 0;
    }
    return found != NULL && suffix[1] == '\0' ? 10 * (int) ((found - letters) / 2 + 1) : -1;
}

bool common_read_size(const char *text, int64_t least, int64_t most, int64_t *bytes_p)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    const int shift = shift_of(end);
    if (text[0] < '0' || text[0] > '9' || errno != 0 || shift < 0 || number > most >> shift ||
        number << shift < least) {
        return false;
    }
    *bytes_p = number << shift;
    return true;
}

/** The largest number that fits an option's value, if its row has no limit of its own. */
static int64_t most_of(const common_option_t *option)
{
    const bool is_list = option->type == COMMON_NUMBERS || option->type == COMMON_SIZES;
    if (option->most != 0) {
        return option->most;
    }
    return option->size == sizeof(int32_t) && !is_list ? INT32_MAX : INT64_MAX;
}

static void store_integer(const common_option_t *option, void *value, int64_t number)
{
    assert(option->size == 1 || option->size == sizeof(int32_t) || option->size == sizeof number);
    if (option->size == 1) {
        *(bool *) value = number != 0;
    } else if (option->size == sizeof(int32_t)) {
        memcpy(value, &(int32_t){(int32_t) number}, sizeof(int32_t));
    } else {
        memcpy(value, &number, sizeof number);
    }
}

/** Reads a number, or a size, that is an option's value or an item of it. */
static int64_t read_integer(const common_option_t *option, const char *text)
{
    const bool is_size = option->type == COMMON_SIZE || option->type == COMMON_SIZES;
    const char *unit = option->unit_name != NULL ? option->unit_name : "";
    char to[32] = "";
    int64_t number = 0;
    if ((is_size ? common_read_size : common_read_number)(text, option->least, most_of(option),
                                                          &number)) {
        return number;
    }
    if (option->most != 0) {
        snprintf(to, sizeof to, " to %lld", (long long) option->most);
    }
    common_usage_error(is_size ? "--%s: '%s' is not a size from %lld%s bytes%s; write for example "
                                 "1426, 64K or 1M"
                               : "--%s: '%s' is not a whole number from %lld%s%s%s",
                       option->name, text, (long long) option->least, to,
                       unit[0] != '\0' ? " " : "", unit);
}

static void take_integer(const common_option_t *option, void *value, const char *text)
{
    const int64_t number = read_integer(option, text);
    store_integer(option, value, option->unit != 0 ? number * (int64_t) option->unit : number);
}

static void take_real(const common_option_t *option, void *value, const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= option->real_least) ||
        !(number <= option->real_most)) {
        common_usage_error("--%s: '%s' is not a number from %g to %g %s", option->name, text,
                           option->real_least, option->real_most,
                           option->unit_name != NULL ? option->unit_name : "");
    }
    *(double *) value = option->unit != 0 ? number * option->unit : number;
}

static void take_text(const common_option_t *option, char *value, const char *text)
{
    if (text[0] == '\0') {
        common_usage_error("--%s is empty", option->name);
    }
    if (strlen(text) >= option->size) {
        common_usage_error("--%s is longer than %zu bytes", option->name, option->size - 1);
    }
    for (const char *at = text; *at != '\0'; at++) {
        if ((unsigned char) *at < ' ' || *at == 127) {
            common_usage_error("--%s has a control character", option->name);
        }
    }
    strcpy(value, text);
}

void common_unknown_word(const char *option, const char *word, const char *const *words)
{
    char known[512] = "";
    for (int i = 0; words[i] != NULL; i++) {
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    common_usage_error("--%s: '%s' is unknown; known are %s", option, word, known);
}

static void take_choice(const common_option_t *option, void *value, const char *text)
{
    for (int i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(text, option->choices[i]) == 0) {
            store_integer(option, value, option->least + i);
            return;
        }
    }
    common_unknown_word(option->name, text, option->choices);
}

static void add_number(const common_option_t *option, common_list_t *list, int64_t number)
{
    if (list->n == COMMON_MAX_LIST) {
        common_usage_error("--%s has more than %d numbers", option->name, COMMON_MAX_LIST);
    }
    list->values[list->n++] = number;
}

/** Adds one item of a list: a number, or FIRST:LAST. */
static void add_item(const common_option_t *option, common_list_t *list, char *item)
{
    char *const end = strchr(item, ':');
    if (end != NULL) {
        *end = '\0';
    }
    const int64_t first = read_integer(option, item);
    const int64_t last = end != NULL ? read_integer(option, end + 1) : first;
    if (last < first || (first == 0 && last > 0)) {
        common_usage_error("--%s: '%s:%s' ends before it begins, or begins at 0", option->name,
                           item, end + 1);
    }
    add_number(option, list, first);
    for (int64_t number = first; number > 0 && number <= last / 2;) {
        number *= 2;
        add_number(option, list, number);
    }
}

static void take_list(const common_option_t *option, common_list_t *list, const char *text)
{
    char copy[MAX_LIST_TEXT], *rest = copy;
    if (strlen(text) >= sizeof copy) {
        common_usage_error("--%s: the list is longer than %d bytes", option->name,
                           MAX_LIST_TEXT - 1);
    }
    strcpy(copy, text);
    list->n = 0;
    while (rest != NULL) {
        add_item(option, list, strsep(&rest, ","));
    }
}

static void take_value(const common_option_t *option, void *options, const char *text)
{
    void *const value = (char *) options + option->offset;
    switch (option->type) {
    case COMMON_FLAG:
        store_integer(option, value, option->least);
        break;
    case COMMON_TEXT:
        take_text(option, value, text);
        break;
    case COMMON_WORD:
        *(const char **) value = text;
        break;
    case COMMON_NUMBER:
    case COMMON_SIZE:
        take_integer(option, value, text);
        break;
    case COMMON_REAL:
        take_real(option, value, text);
        break;
    case COMMON_CHOICE:
        take_choice(option, value, text);
        break;
    case COMMON_NUMBERS:
    case COMMON_SIZES:
        take_list(option, value, text);
        break;
    case COMMON_OWN:
        option->take(options, text);
        break;
    }
}

/* ---- the command line ---- */

/** The options of all groups, for getopt_long(), and their rows at the same index. */
typedef struct known {
    int n;
    struct option options[MAX_OPTIONS + 3];
    const common_option_t *rows[MAX_OPTIONS];
    char letters[2 * MAX_OPTIONS + 4]; /**< for getopt_long() */
} known_t;

static void add_known(known_t *known, const common_option_t *row)
{
    const bool has_value = row->type != COMMON_FLAG;
    assert(known->n < MAX_OPTIONS);
    known->options[known->n] =
        (struct option){.name = row->name, .has_arg = has_value, .val = FIRST_CODE + known->n};
    if (row->letter != 0) {
        const size_t length = strlen(known->letters);
        snprintf(known->letters + length, sizeof known->letters - length, "%c%s", row->letter,
                 has_value ? ":" : "");
    }
    known->rows[known->n++] = row;
}

static void make_known(const common_command_t *command, known_t *known)
{
    *known = (known_t){.letters = ":h"};
    for (const common_group_t *group = command->groups; group->options != NULL; group++) {
        for (const common_option_t *row = group->options; row->name != NULL; row++) {
            add_known(known, row);
        }
    }
    known->options[known->n] = (struct option){"help", no_argument, NULL, CODE_HELP};
    known->options[known->n + 1] = (struct option){"version", no_argument, NULL, CODE_VERSION};
}

static const common_option_t *row_of(const known_t *known, int code)
{
    for (int i = 0; i < known->n; i++) {
        if (code == FIRST_CODE + i || code == known->rows[i]->letter) {
            return known->rows[i];
        }
    }
    assert(false);
    return NULL;
}

/** Tells whether a long option's name begins the names of several. */
static bool is_ambiguous(const known_t *known, const char *name)
{
    int n = 0;
    for (int i = 0; name[0] != '\0' && known->options[i].name != NULL; i++) {
        n += strncmp(known->options[i].name, name, strlen(name)) == 0;
    }
    return n > 1;
}

static void refuse(const known_t *known, const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int) strcspn(word, "="), word);
    if (strcmp(name, word) != 0 && optopt != 0) {
        common_usage_error("%s takes no value", name);
    }
    common_usage_error("'%s' is %s", name,
                       strncmp(name, "--", 2) == 0 && is_ambiguous(known, name + 2) ? "ambiguous"
                                                                                    : "unknown");
}

/** Answers --help and --version, once under a launcher. */
static void answer(const common_command_t *command, bool help)
{
    if (common_is_first_rank() && help) {
        common_print_help(command);
    } else if (common_is_first_rank()) {
        common_print_version();
    }
    exit(fflush(stdout) == 0 && !ferror(stdout) ? COMMON_EXIT_DONE : COMMON_EXIT_FAILED);
}

common_operands_t common_options_read(const common_command_t *command, int argc, char **argv,
                                      void *options)
{
    known_t known;
    int code;
    reading = command;
    make_known(command, &known);
    optind = 0; /* a new command line, in GNU's and musl's getopt */
    opterr = 0;
    while ((code = getopt_long(argc, argv, known.letters, known.options, NULL)) != -1) {
        if (code == CODE_HELP || code == CODE_VERSION) {
            answer(command, code == CODE_HELP);
        } else if (code == ':') {
            common_usage_error("%s needs a value", argv[optind - 1]);
        } else if (code == '?') {
            /* Of several letters in a word getopt has not left the word yet. */
            const char letter[] = {'-', (char) optopt, '\0'};
            const bool is_letter = optopt > 0 && optopt < CODE_VERSION && optopt != CODE_HELP;
            refuse(&known, is_letter ? letter : argv[optind - 1]);
        } else {
            take_value(row_of(&known, code), options, optarg);
        }
    }
    if (!command->has_operands && optind < argc) {
        common_usage_error("'%s' is no option", argv[optind]);
    }
    program_invocation_short_name = (char *) command->name; /* for messages; it is not changed */
    return (common_operands_t){.n = argc - optind, .words = argv + optind};
}
