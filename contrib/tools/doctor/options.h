/* The command line of pipebcast-doctor. */
#ifndef DOCTOR_OPTIONS_H
#define DOCTOR_OPTIONS_H

#include <stddef.h>

#include "contrib/tools/common/options.h"

enum { DOCTOR_MAX_SIZES = 16 };

struct doctor_options {
    common_list_t sizes; /**< of broadcasts, bytes; DOCTOR_MAX_SIZES at most */
    double time_limit_s; /**< for what is measured */
    double patience_s;   /**< for a rank that does not answer */
    bool multicast;      /**< try it */
    bool quick;          /**< measures nothing */
    bool json;
};

/** Reads the command line; a wrong one ends the program. */
void doctor_options_read(int argc, char **argv, struct doctor_options *options);

#endif
