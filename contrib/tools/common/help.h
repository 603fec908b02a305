/* --help, printed from a command's table of options. */
#ifndef COMMON_HELP_H
#define COMMON_HELP_H

#include <stdio.h>

#include "options.h"

void common_print_help(const common_command_t *command);

/** Prints a text from a column on, in lines up to `width`. Further lines, and text behind a
 * newline, begin at column `indent`. Returns the column behind it. */
int common_fill(FILE *stream, const char *text, int column, int indent, int width);

#endif
