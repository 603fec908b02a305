/* The command line of pipebcast-doctor. */
#ifndef DOCTOR_OPTIONS_H
#define DOCTOR_OPTIONS_H

#include <stddef.h>

#include "contrib/tools/common/options.h"

enum { DOCTOR_MAX_SIZES = 16 };

/** Whether verdicts are coloured. */
enum doctor_colour { DOCTOR_COLOUR_AUTO, DOCTOR_COLOUR_ALWAYS, DOCTOR_COLOUR_NEVER };

struct doctor_options {
    common_list_t sizes; /**< of broadcasts, bytes; DOCTOR_MAX_SIZES at most */
    double time_limit_s; /**< for what is measured */
    double patience_s;   /**< for a rank that does not answer */
    int colour;          /**< an enum doctor_colour */
    bool quick;          /**< measures nothing */
    bool json;
};

extern const common_command_t doctor_command;

/** Reads the command line; COMMON_WRONG with a message. */
common_verdict_t doctor_options_parse(int argc, char **argv, struct doctor_options *options,
                                      char *error, size_t error_size);

#endif
