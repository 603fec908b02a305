/*
 * The table of options: each type's values and faults, operands, and --help.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/options.h"
#include "contrib/tools/common/options_help.h"
#include "test/tap.h"

enum colour { RED = 3, GREEN };

typedef struct values {
    bool flag, unflag;
    char text[8];
    const char *word;
    int number;
    int64_t nanoseconds, size;
    uint32_t small;
    double minutes;
    enum colour colour;
    bool second;
    common_list_t numbers, sizes;
    int own;
} values_t;

static bool take_own(void *options, const char *value, common_complaint_t complaint)
{
    ((values_t *) options)->own = 7;
    return strcmp(value, "7") == 0 || common_wrong(complaint, "--own: not 7");
}

static const common_library_t missing = {
    .is_here = false, .name = "Missing", .package = "libmissing-dev"};

static const char *const colours[] = {"red", "green", NULL};
static const char *const ordinals[] = {"first", "second", NULL};

#define VALUE(member) COMMON_VALUE(values_t, member)

static const common_option_t first_rows[] = {
    {"flag", COMMON_FLAG, VALUE(flag), .least = true, .help = "a flag"},
    {"no-flag", COMMON_FLAG, VALUE(unflag), .least = false, .help = "no flag"},
    {"text", COMMON_TEXT, VALUE(text), .least = 1, .argument = "TEXT", .help = "a text"},
    {"word", COMMON_WORD, VALUE(word), .argument = "WORD", .help = "a word"},
    {"number", COMMON_NUMBER, VALUE(number), .least = 1, .argument = "N", .missing = "5",
     .help = "a number"},
    {"lacking", COMMON_FLAG, VALUE(flag), .least = true, .needs = &missing},
    {"former", COMMON_NUMBER, VALUE(number), .least = 1, .argument = "N", .now = "number"},
    {"percent", COMMON_NUMBER, VALUE(number), .least = 1, .most = 100, .argument = "P",
     .help = "another one"},
    {"wait", COMMON_NUMBER, VALUE(nanoseconds), .unit = 1000, .unit_name = "microseconds",
     .argument = "US", .help = "a time"},
    {"old-wait", COMMON_NUMBER, VALUE(nanoseconds), .unit = 1000, .argument = "US"},
    {0},
};
static const common_option_t second_rows[] = {
    {"size", COMMON_SIZE, VALUE(size), .least = 1, .argument = "BYTES", .help = "a size"},
    {"small", COMMON_SIZE, VALUE(small), .least = 4, .most = 4096, .argument = "BYTES",
     .help = "a size up to 4K"},
    {"minutes", COMMON_REAL, VALUE(minutes), .real_least = 0.5, .real_most = 2, .unit = 60,
     .unit_name = "minutes", .argument = "MINUTES", .help = "a time"},
    {"colour", COMMON_CHOICE, VALUE(colour), .choices = colours, .least = RED, .argument = "COLOUR",
     .help = "red\n  green, with a text that is so long that it must go on in another line of the "
             "help"},
    {"ordinal", COMMON_CHOICE, VALUE(second), .choices = ordinals, .argument = "ORDINAL",
     .help = "first or second"},
    {"numbers", COMMON_NUMBERS, VALUE(numbers), .least = 1, .most = 1000, .argument = "LIST",
     .help = "numbers"},
    {"sizes", COMMON_SIZES, VALUE(sizes), .least = 1, .argument = "LIST", .help = "sizes"},
    {"own", COMMON_OWN, .take = take_own, .argument = "7", .help = "seven"},
    {0},
};
static const common_command_t command = {
    .name = "program command",
    .usage = "usage: program command\n",
    .groups = (const common_group_t[]){{NULL, first_rows}, {"More", second_rows}, {0}},
    .more = "exit status\n",
};

static values_t values;
static char message[256];
static common_operands_t operands;

/** Reads up to three arguments; `has_operands`: operands are allowed. */
static common_verdict_t reads(bool has_operands, const char *a, const char *b, const char *c)
{
    static char copies[3][1200];
    static char program[] = "program", *argv[5]; /* operands point into it */
    const char *const given[] = {a, b, c};
    memset(argv, 0, sizeof(argv));
    argv[0] = program;
    int argc = 1;
    for (int i = 0; i < 3 && given[i] != NULL; i++) {
        snprintf(copies[i], sizeof(copies[i]), "%s", given[i]);
        argv[argc++] = copies[i];
    }
    memset(&values, 0, sizeof(values));
    message[0] = '\0';
    return common_options_read(&command, argc, argv, &values, has_operands ? &operands : NULL,
                               (common_complaint_t){message, sizeof(message)});
}

static bool takes(const char *option, const char *value)
{
    return reads(false, option, value, NULL) == COMMON_RUN;
}

static void refuses(const char *option, const char *value, const char *part)
{
    const bool wrong = reads(false, option, value, NULL) == COMMON_WRONG;
    ok(wrong && strstr(message, part) != NULL, "%s %s: %s", option, value != NULL ? value : "",
       message);
}

static void test_values(void)
{
    ok(takes("--flag", NULL) && values.flag, "a flag is set");
    values.unflag = true;
    ok(reads(false, "--no-flag", "--flag", NULL) == COMMON_RUN && !values.unflag && values.flag,
       "two flags, one of which clears");
    ok(takes("--text", "seven c") && strcmp(values.text, "seven c") == 0, "a text");
    ok(takes("--word", "") && values.word[0] == '\0', "a word may be empty");
    ok(takes("--number", "2147483647") && values.number == 2147483647, "a number");
    ok(takes("--wait", "3") && values.nanoseconds == 3000, "a number with a unit");
    ok(takes("--old-wait", "4") && values.nanoseconds == 4000, "an old name");
    ok(takes("--size", "1426") && values.size == 1426, "a size in bytes");
    ok(takes("--size", "64K") && values.size == 65536 && takes("--size", "1m") &&
           values.size == 1048576 && takes("--size", "2G") && values.size == INT64_C(2147483648),
       "sizes with K, M and G");
    ok(takes("--small", "4k") && values.small == 4096, "a size of four bytes of memory");
    ok(takes("--minutes", "1.5") && values.minutes == 90, "a real number with a unit");
    ok(takes("--colour", "green") && values.colour == GREEN, "a choice, counted from its first");
    ok(takes("--ordinal", "second") && values.second, "one of two");
    ok(takes("--own", "7") && values.own == 7, "an option with a function of its own");
    ok(takes("--numbers", "3,16:100,1") && values.numbers.n == 5 && values.numbers.values[0] == 3 &&
           values.numbers.values[3] == 64 && values.numbers.values[4] == 1,
       "a list with a range of doublings");
    ok(takes("--sizes", "1K:4K,9") && values.sizes.n == 4 && values.sizes.values[2] == 4096 &&
           values.sizes.values[3] == 9,
       "a list of sizes");
    ok(takes("--sizes", "4G:8000000000G") && values.sizes.n == 31, "up to the largest number");
    ok(takes("--num", "1") == false && takes("--minu", "1"), "an abbreviation that fits only one");
}

static void test_faults(void)
{
    static const char *const many = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                                    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                                    "1,1,1";
    char longest[1100];
    memset(longest, '1', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    refuses("--text", "eight ch", "--text: longer than 7 bytes");
    refuses("--text", "", "--text: is empty");
    refuses("--text", "a\nb", "--text: holds a control character");
    refuses("--number", "0", "--number: '0' is not a whole number from 1");
    refuses("--number", "2147483648", "not a whole number");
    refuses("--number", "1x", "not a whole number");
    refuses("--number", "+1", "not a whole number");
    refuses("--number", " 1", "not a whole number");
    refuses("--number", "1K", "not a whole number");
    refuses("--percent", "101", "from 1 to 100");
    refuses("--wait", "-1", "a whole number of microseconds from 0");
    refuses("--size", "0", "not a size from 1 bytes");
    refuses("--size", "1T", "not a size");
    refuses("--size", "1KB", "not a size");
    refuses("--size", "K", "not a size");
    refuses("--size", "9999999999G", "not a size");
    refuses("--small", "5K", "not a size from 4 to 4096 bytes");
    refuses("--minutes", "0.4", "not a number of minutes from 0.5 to 2");
    refuses("--minutes", "nan", "not a number of minutes");
    refuses("--minutes", "1m", "not a number of minutes");
    refuses("--colour", "blue", "--colour: 'blue' is unknown; known are red, green");
    refuses("--numbers", "", "'' is not a whole number");
    refuses("--numbers", "1,,2", "'' is not a whole number");
    refuses("--numbers", "1,1001", "'1001' is not a whole number from 1 to 1000");
    refuses("--numbers", "8:4", "'8:4' ends before it begins");
    refuses("--numbers", "8:", "'' is not a whole number");
    refuses("--numbers", many, "more than 64 numbers");
    refuses("--numbers", longest, "the list is longer than 1023 bytes");
    refuses("--own", "8", "--own: not 7");
    refuses("--lacking", NULL, "--lacking needs the library Missing, which was not there when");
    refuses("--size", NULL, "--size needs a value");
    refuses("--frobnicate", NULL, "'--frobnicate' is unknown");
    refuses("--number", "--flag", "not a whole number");
    refuses("64K", NULL, "'64K' is no option");
}

static void test_command_line(void)
{
    ok(reads(false, "--help", "--frobnicate", NULL) == COMMON_HELP, "--help comes first");
    ok(reads(false, "-h", NULL, NULL) == COMMON_HELP, "-h");
    ok(reads(false, "--version", NULL, NULL) == COMMON_VERSION, "--version");
    ok(reads(true, "file", "--flag", "other") == COMMON_RUN && values.flag && operands.n == 2 &&
           strcmp(operands.words[0], "file") == 0 && strcmp(operands.words[1], "other") == 0,
       "operands before and after options");
    ok(reads(false, "--former", "7", NULL) == COMMON_RUN && values.number == 7, "an old name");
    ok(reads(true, "--", "--flag", NULL) == COMMON_RUN && !values.flag && operands.n == 1,
       "what follows -- is an operand");
}

static void test_help(void)
{
    static const char expected[] =
        "usage: program command\n"
        "\n"
        "  --flag             a flag\n"
        "  --no-flag          no flag\n"
        "  --text TEXT        a text\n"
        "  --word WORD        a word\n"
        "  --number N         a number [5]\n"
        "  --percent P        another one\n"
        "  --wait US          a time\n"
        "\n"
        "More\n"
        "  --size BYTES       a size\n"
        "  --small BYTES      a size up to 4K\n"
        "  --minutes MINUTES  a time\n"
        "  --colour COLOUR    red\n"
        "                       green, with a text that is so long that it must go on in another\n"
        "                     line of the help\n"
        "  --ordinal ORDINAL  first or second\n"
        "  --numbers LIST     numbers\n"
        "  --sizes LIST       sizes\n"
        "  --own 7            seven\n"
        "\n"
        "  --help, --version\n"
        "\n"
        "exit status\n";
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        exit(EXIT_FAILURE);
    }
    common_options_help(&command, stream);
    fclose(stream);
    if (!ok(strcmp(text, expected) == 0, "--help shows names, arguments and what is missing")) {
        printf("# %s\n", text);
    }
    free(text);
}

int main(void)
{
    test_values();
    test_faults();
    test_command_line();
    test_help();
    return tap_done();
}
