/* What a person asks of pipebcast-counters. */
#ifndef COUNTERS_OPTIONS_H
#define COUNTERS_OPTIONS_H

#include <stdbool.h>

#include "contrib/tools/common/options.h"

struct counters_options {
    bool json;
    common_operands_t sizes; /**< each reads as a size */
};

extern const common_command_t counters_command;

/** Reads a command line. COMMON_WRONG leaves a message. */
common_verdict_t counters_options_parse(int argc, char **argv, struct counters_options *options,
                                        common_complaint_t complaint);

/** A size of the command line, in bytes. */
int64_t counters_size(const struct counters_options *options, int i);

#endif
