/* Options of pipebcast-counters. */
#ifndef COUNTERS_OPTIONS_H
#define COUNTERS_OPTIONS_H

#include <stdbool.h>

#include "contrib/tools/common/options.h"

struct counters_options {
    bool json;
    common_list_t sizes; /**< none: the counters are listed */
};

extern const common_command_t counters_command;

/** Reads the command line; a wrong one ends the program. */
void counters_options_read(int argc, char **argv, struct counters_options *options);

#endif
