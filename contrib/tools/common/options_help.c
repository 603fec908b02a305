#include "options_help.h"

#include <string.h>

/** Columns of a line, and the last column at which the text of an option begins. */
enum { WIDTH = 88, MAX_INDENT = 24 };

/** Text that is being filled into lines. */
typedef struct filler {
    FILE *out;
    int indent; /**< of continued lines */
    int column; /**< of the next character */
} filler_t;

static void begin_line(filler_t *filler)
{
    fprintf(filler->out, "\n%*s", filler->indent, "");
    filler->column = filler->indent;
}

/** Prints a word with the spaces before it; on a new line, without them, if it does not fit. */
static void fill_word(filler_t *filler, int spaces, const char *word, int length)
{
    if (filler->column > filler->indent && filler->column + spaces + length > WIDTH) {
        begin_line(filler);
        spaces = 0;
    }
    fprintf(filler->out, "%*s%.*s", spaces, "", length, word);
    filler->column += spaces + length;
}

/** Fills a text in; a newline in it begins a line, and spaces stay as they are within a line. */
static void fill_text(filler_t *filler, const char *text)
{
    while (*text != '\0') {
        const int spaces = (int) strspn(text, " ");
        const int length = (int) strcspn(text + spaces, " \n");
        if (length > 0) {
            fill_word(filler, spaces, text + spaces, length);
        }
        text += spaces + length;
        if (*text == '\n') {
            begin_line(filler);
            text++;
        }
    }
}

/** Bytes of "  --NAME ARGUMENT". */
static int head_length(const common_option_t *option)
{
    const size_t argument = option->argument != NULL ? strlen(option->argument) + 1 : 0;
    return (int) (strlen("  --") + strlen(option->name) + argument);
}

static void print_option(const common_option_t *option, int indent, FILE *out)
{
    filler_t filler = {.out = out, .indent = indent, .column = head_length(option)};
    fprintf(out, "  --%s%s%s", option->name, option->argument != NULL ? " " : "",
            option->argument != NULL ? option->argument : "");
    if (filler.column + 2 > indent) {
        begin_line(&filler);
    } else {
        fprintf(out, "%*s", indent - filler.column, "");
        filler.column = indent;
    }
    fill_text(&filler, option->help);
    if (option->missing != NULL) {
        char missing[256];
        snprintf(missing, sizeof missing, " [%s]", option->missing);
        fill_text(&filler, missing);
    }
    fputc('\n', out);
}

/** The column at which the texts of all options of a command begin. */
static int indent_of(const common_command_t *command)
{
    int indent = (int) strlen("  --version  ");
    for (const common_group_t *group = command->groups; group->options != NULL; group++) {
        for (const common_option_t *option = group->options; option->name != NULL; option++) {
            const int length = option->help != NULL ? head_length(option) + 2 : 0;
            indent = length > indent && length <= MAX_INDENT ? length : indent;
        }
    }
    return indent;
}

static void print_group(const common_group_t *group, int indent, FILE *out)
{
    if (group->heading != NULL) {
        fprintf(out, "%s\n", group->heading);
    }
    for (const common_option_t *option = group->options; option->name != NULL; option++) {
        if (option->help != NULL) {
            print_option(option, indent, out);
        }
    }
    fputc('\n', out);
}

void common_options_help(const common_command_t *command, FILE *out)
{
    const int indent = indent_of(command);
    fprintf(out, "%s\n", command->usage);
    for (const common_group_t *group = command->groups; group->options != NULL; group++) {
        print_group(group, indent, out);
    }
    fprintf(out, "  --help, --version\n\n%s", command->more);
}
