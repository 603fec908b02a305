#include "help.h"

#include <stdio.h>
#include <string.h>

/** Columns of a line, and the column at which the text of an option begins. */
enum { WIDTH = 90, INDENT = 26 };

static void begin_line(FILE *stream, int indent, int *column)
{
    fprintf(stream, "\n%*s", indent, "");
    *column = indent;
}

int common_fill(FILE *stream, const char *text, int column, int indent, int width)
{
    while (*text != '\0') {
        const int spaces = (int) strspn(text, " ");
        const int length = (int) strcspn(text + spaces, " \n");
        if (column > indent && column + spaces + length > width) {
            begin_line(stream, indent, &column);
            column += fprintf(stream, "%.*s", length, text + spaces);
        } else {
            column += fprintf(stream, "%*s%.*s", spaces, "", length, text + spaces);
        }
        text += spaces + length;
        if (*text == '\n') {
            begin_line(stream, indent, &column);
            text++;
        }
    }
    return column;
}

static void print_option(const common_option_t *option)
{
    char head[128], letter[8] = "    ", missing[256];
    if (option->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    int column = snprintf(head, sizeof head, "  %s--%s%s%s", letter, option->name,
                          option->argument != NULL ? " " : "",
                          option->argument != NULL ? option->argument : "");
    printf("%s", head);
    if (column + 2 > INDENT) {
        begin_line(stdout, INDENT, &column);
    } else {
        column += printf("%*s", INDENT - column, "");
    }
    column = common_fill(stdout, option->help, column, INDENT, WIDTH);
    if (option->missing != NULL) {
        snprintf(missing, sizeof missing, " [%s]", option->missing);
        common_fill(stdout, missing, column, INDENT, WIDTH);
    }
    putchar('\n');
}

void common_print_help(const common_command_t *command)
{
    printf("%s\n", command->usage);
    for (const common_group_t *group = command->groups; group->options != NULL; group++) {
        if (group->heading != NULL) {
            printf("%s\n", group->heading);
        }
        for (const common_option_t *option = group->options; option->name != NULL; option++) {
            print_option(option);
        }
        putchar('\n');
    }
    printf("  -h, --help, --version\n\n%s", command->more);
}
