/* Messages to people. */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include "topo/util/diag.h"

/** Prints one line, "PROGRAM: ...", to stderr, in one piece. */
void common_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints the faults of a file that were kept, a line for each. */
void common_report_faults(const pb_diag_t *diag);

#endif
