/* --help, from the table of a command's options. */
#ifndef COMMON_OPTIONS_HELP_H
#define COMMON_OPTIONS_HELP_H

#include "options.h"

/** Prints the usage, the options with what holds if they are missing, and the command's last lines.
 */
void common_options_help(const common_command_t *command, FILE *out);

#endif
