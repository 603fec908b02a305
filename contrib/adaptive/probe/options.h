/* Options of pipebcast-probe. */
#ifndef PROBE_OPTIONS_H
#define PROBE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/tools/common/options.h"

enum { PROBE_MAX_TEXT = 4096 };

struct probe_options {
    char topology[PROBE_MAX_TEXT]; /**< empty: all hosts on one switch */
    char topology_name[PROBE_MAX_TEXT];
    char output[PROBE_MAX_TEXT]; /**< never empty */
    char hosts[PROBE_MAX_TEXT];  /**< for trials: names for the ranks in turn; empty: true ones */
    int64_t train;               /**< bytes whose time gives a bandwidth */
    bool quiet;
};

extern const common_command_t probe_command;

/** Reads the command line; a wrong one ends the program. */
void probe_options_read(int argc, char **argv, struct probe_options *options);

#endif
