/* Messages on files, for people. */
#ifndef TOOL_MESSAGE_H
#define TOOL_MESSAGE_H

#include <stdio.h>

#include "topo/util/diag.h"

/** Prints possible mistakes in a file: "warning: ...", one on a line. */
void tool_print_warnings(FILE *stream, const pb_diag_t *diag);

/** Prints all errors, one on a line, and the number of those that were not kept. */
void tool_print_errors(FILE *stream, const pb_diag_t *diag);

#endif
