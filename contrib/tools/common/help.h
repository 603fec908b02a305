/* --help, printed from a command's table of options. */
#ifndef COMMON_HELP_H
#define COMMON_HELP_H

#include "options.h"

void common_print_help(const common_command_t *command);

#endif
