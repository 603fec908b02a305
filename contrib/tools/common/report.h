/* Messages to people. */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include <stdarg.h>

#include "topo/util/diag.h"

/** Prints one line, "PROGRAM: ...", to stderr, in one piece; PROGRAM is how it was called. */
void common_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same, as vprintf(). */
void common_vreport(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/** Prints the errors of a file that were kept, a line for each. */
void common_report_faults(const pb_diag_t *diag);

#endif
