/* Messages to people, on standard error and under the tool's name. */
#ifndef TOOL_MESSAGE_H
#define TOOL_MESSAGE_H

#include <stdio.h>

#include "command.h"
#include "topo/util/diag.h"

/** Prints one message; returns `code`, so that a failing function can end with it. */
tool_exit_t tool_complain(tool_exit_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** A message for a code of topo/ that only memory or the system can cause: TOOL_SYSTEM. */
tool_exit_t tool_complain_error(int error);

/** Prints possible mistakes in a file: "warning: ...", one on a line. */
void tool_print_warnings(FILE *stream, const pb_diag_t *diag);

/** Prints all errors, one on a line, and the number of those that were not kept. */
void tool_print_faults(FILE *stream, const pb_diag_t *diag);

#endif
