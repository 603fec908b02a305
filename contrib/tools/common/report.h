/* Messages to people. */
#ifndef TUNE_SAY_H
#define TUNE_SAY_H

#include "topo/util/diag.h"

/** Prints one line, "PROGRAM: ...", to stderr, in one piece. */
void tune_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints what was kept of the faults of a file, a line for each. */
void tune_say_faults(const pb_diag_t *diag);

#endif
