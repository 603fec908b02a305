#include "options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "exits.h"
#include "options_help.h"
#include "report.h"

/** Options that one command may have, and bytes of a list's text. */
enum { MAX_OPTIONS = 64, MAX_LIST_TEXT = 1024 };

/** Codes for getopt_long(): options are numbered from FIRST_CODE, beyond every character. */
enum { CODE_HELP = 'h', CODE_VERSION = 256, FIRST_CODE };

bool common_wrong(common_complaint_t complaint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(complaint.text, complaint.size, format, args);
    va_end(args);
    return false;
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

/** " of seconds", or nothing. */
static const char *of_unit(const common_option_t *option, char text[64])
{
    text[0] = '\0';
    if (option->unit_name != NULL) {
        snprintf(text, 64, " of %s", option->unit_name);
    }
    return text;
}

static bool is_size(const common_option_t *option)
{
    return option->type == COMMON_SIZE || option->type == COMMON_SIZES;
}

/** Reads a number, or a size, that is the whole of an option's value or an item of it. */
static bool read_integer(const common_option_t *option, const char *text, int64_t least,
                         int64_t *number_p, common_complaint_t complaint)
{
    const int64_t most = most_of(option);
    char unit[64], to[64] = "";
    if (is_size(option) ? common_read_size(text, least, most, number_p)
                        : common_read_number(text, least, most, number_p)) {
        return true;
    }
    if (option->most != 0) {
        snprintf(to, sizeof to, " to %lld", (long long) most);
    }
    if (is_size(option)) {
        return common_wrong(complaint,
                            "--%s: '%s' is not a size from %lld%s bytes; write for example 1426, "
                            "64K or 1M",
                            option->name, text, (long long) least, to);
    }
    return common_wrong(complaint, "--%s: '%s' is not a whole number%s from %lld%s", option->name,
                        text, of_unit(option, unit), (long long) least, to);
}

static bool take_integer(const common_option_t *option, void *value, const char *text,
                         common_complaint_t complaint)
{
    int64_t number;
    if (!read_integer(option, text, option->least, &number, complaint)) {
        return false;
    }
    store_integer(option, value, option->unit != 0 ? number * (int64_t) option->unit : number);
    return true;
}

static bool take_real(const common_option_t *option, void *value, const char *text,
                      common_complaint_t complaint)
{
    char *end, unit[64];
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= option->real_least) ||
        !(number <= option->real_most)) {
        return common_wrong(complaint, "--%s: '%s' is not a number%s from %g to %g", option->name,
                            text, of_unit(option, unit), option->real_least, option->real_most);
    }
    *(double *) value = option->unit != 0 ? number * option->unit : number;
    return true;
}

static bool take_text(const common_option_t *option, char *value, const char *text,
                      common_complaint_t complaint)
{
    if (text[0] == '\0' && option->least > 0) {
        return common_wrong(complaint, "--%s: is empty; leave it out or give a value",
                            option->name);
    }
    if (strlen(text) >= option->size) {
        return common_wrong(complaint, "--%s: longer than %zu bytes", option->name,
                            option->size - 1);
    }
    for (const char *at = text; *at != '\0'; at++) {
        if ((unsigned char) *at < ' ' || *at == 127) {
            return common_wrong(complaint, "--%s: holds a control character", option->name);
        }
    }
    strcpy(value, text);
    return true;
}

static bool take_choice(const common_option_t *option, void *value, const char *text,
                        common_complaint_t complaint)
{
    char known[512] = "";
    for (int i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(text, option->choices[i]) == 0) {
            store_integer(option, value, option->least + i);
            return true;
        }
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "",
                 option->choices[i]);
    }
    return common_wrong(complaint, "--%s: '%s' is unknown; known are %s", option->name, text,
                        known);
}

static bool add_number(const common_option_t *option, common_list_t *list, int64_t number,
                       common_complaint_t complaint)
{
    if (list->n == COMMON_MAX_LIST) {
        return common_wrong(complaint, "--%s: more than %d numbers; give fewer", option->name,
                            COMMON_MAX_LIST);
    }
    list->values[list->n++] = number;
    return true;
}

/** Adds one item of a list: a number, or FIRST:LAST. */
static bool add_item(const common_option_t *option, common_list_t *list, char *item,
                     common_complaint_t complaint)
{
    int64_t first, last;
    char *const end = strchr(item, ':');
    if (end != NULL) {
        *end = '\0';
    }
    if (!read_integer(option, item, option->least, &first, complaint)) {
        return false;
    }
    if (end == NULL) {
        return add_number(option, list, first, complaint);
    }
    if (!read_integer(option, end + 1, option->least, &last, complaint)) {
        return false;
    }
    if (last < first || first == 0) {
        return common_wrong(complaint, "--%s: '%s:%s' ends before it begins, or begins at 0",
                            option->name, item, end + 1);
    }
    bool good = true;
    for (int64_t number = first; good && number <= last; number *= 2) {
        good = add_number(option, list, number, complaint);
        if (number > INT64_MAX / 2) {
            break;
        }
    }
    return good;
}

static bool take_list(const common_option_t *option, common_list_t *list, const char *text,
                      common_complaint_t complaint)
{
    char copy[MAX_LIST_TEXT], *rest = copy;
    bool good = true;
    if (strlen(text) >= sizeof copy) {
        return common_wrong(complaint, "--%s: the list is longer than %d bytes", option->name,
                            MAX_LIST_TEXT - 1);
    }
    strcpy(copy, text);
    list->n = 0;
    while (good && rest != NULL) {
        good = add_item(option, list, strsep(&rest, ","), complaint);
    }
    return good;
}

static bool take_value(const common_option_t *option, void *options, const char *text,
                       common_complaint_t complaint)
{
    void *const value = (char *) options + option->offset;
    if (option->needs != NULL && !option->needs->is_here) {
        return common_wrong(complaint,
                            "--%s needs the library %s, which was not there when this program was "
                            "built; install it (on Debian %s), and run configure and make again",
                            option->name, option->needs->name, option->needs->package);
    }
    switch (option->type) {
    case COMMON_FLAG:
        store_integer(option, value, option->least);
        return true;
    case COMMON_TEXT:
        return take_text(option, value, text, complaint);
    case COMMON_WORD:
        *(const char **) value = text;
        return true;
    case COMMON_NUMBER:
    case COMMON_SIZE:
        return take_integer(option, value, text, complaint);
    case COMMON_REAL:
        return take_real(option, value, text, complaint);
    case COMMON_CHOICE:
        return take_choice(option, value, text, complaint);
    case COMMON_NUMBERS:
    case COMMON_SIZES:
        return take_list(option, value, text, complaint);
    case COMMON_OWN:
        return option->take(options, text, complaint);
    }
    return common_wrong(complaint, "--%s: has no type", option->name);
}

/* ---- the command line ---- */

/** The options of all groups, for getopt_long(), and their rows at the same index. */
typedef struct known {
    int n;
    struct option options[MAX_OPTIONS + 3];
    const common_option_t *rows[MAX_OPTIONS];
} known_t;

static void add_known(known_t *known, const common_option_t *row)
{
    assert(known->n < MAX_OPTIONS);
    known->options[known->n] = (struct option){
        .name = row->name,
        .has_arg = row->type == COMMON_FLAG ? no_argument : required_argument,
        .val = FIRST_CODE + known->n,
    };
    known->rows[known->n++] = row;
}

static void make_known(const common_command_t *command, known_t *known)
{
    known->n = 0;
    for (const common_group_t *group = command->groups; group->options != NULL; group++) {
        for (const common_option_t *row = group->options; row->name != NULL; row++) {
            add_known(known, row);
        }
    }
    known->options[known->n] = (struct option){"help", no_argument, NULL, CODE_HELP};
    known->options[known->n + 1] = (struct option){"version", no_argument, NULL, CODE_VERSION};
    known->options[known->n + 2] = (struct option){NULL, 0, NULL, 0};
}

static void warn_of_old_name(const common_option_t *option)
{
    if (option->now != NULL) {
        common_report("warning: --%s is called --%s now; the next release will not know --%s",
                      option->name, option->now, option->name);
    }
}

/** Takes what getopt_long() has found. */
static common_verdict_t take_found(const known_t *known, int code, char *const *argv, void *options,
                                   common_complaint_t complaint)
{
    switch (code) {
    case CODE_HELP:
        return COMMON_HELP;
    case CODE_VERSION:
        return COMMON_VERSION;
    case ':':
        common_wrong(complaint, "%s needs a value", argv[optind - 1]);
        return COMMON_WRONG;
    case '?':
        common_wrong(complaint, "'%s' is unknown, ambiguous, or takes no value", argv[optind - 1]);
        return COMMON_WRONG;
    default:
        warn_of_old_name(known->rows[code - FIRST_CODE]);
        return take_value(known->rows[code - FIRST_CODE], options, optarg, complaint)
                   ? COMMON_RUN
                   : COMMON_WRONG;
    }
}

common_verdict_t common_options_read(const common_command_t *command, int argc, char **argv,
                                     void *options, common_operands_t *operands_p,
                                     common_complaint_t complaint)
{
    known_t known;
    common_verdict_t verdict = COMMON_RUN;
    int code;
    make_known(command, &known);
    optind = 0; /* a new command line, in GNU's and musl's getopt */
    opterr = 0;
    while (verdict == COMMON_RUN &&
           (code = getopt_long(argc, argv, ":h", known.options, NULL)) != -1) {
        verdict = take_found(&known, code, argv, options, complaint);
    }
    if (verdict != COMMON_RUN) {
        return verdict;
    }
    if (operands_p == NULL && optind < argc) {
        common_wrong(complaint, "'%s' is no option", argv[optind]);
        return COMMON_WRONG;
    }
    if (operands_p != NULL) {
        *operands_p = (common_operands_t){.n = argc - optind, .words = argv + optind};
    }
    return COMMON_RUN;
}

void common_options_answer(const common_command_t *command, common_verdict_t verdict,
                           const char *message)
{
    switch (verdict) {
    case COMMON_RUN:
        break;
    case COMMON_HELP:
        common_options_help(command, stdout);
        fputs(COMMON_BUGS, stdout);
        break;
    case COMMON_VERSION:
        printf("%s %s\n", program_invocation_short_name, PACKAGE_VERSION);
        break;
    case COMMON_WRONG:
        common_report("%s; see %s --help", message, command->name);
        break;
    }
}

int common_options_exit(common_verdict_t verdict, bool good)
{
    switch (verdict) {
    case COMMON_RUN:
        return good ? COMMON_EXIT_DONE : COMMON_EXIT_FAILED;
    case COMMON_WRONG:
        return COMMON_EXIT_USAGE;
    default:
        return COMMON_EXIT_DONE;
    }
}
