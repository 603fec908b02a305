/* Messages to people. */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include <stddef.h>

#include "topo/util/diag.h"

/** Prints one line, "PROGRAM: ...", to stderr, in one piece; PROGRAM is how it was called. */
void common_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints a line, and ends the program with an exit status. In a job this ends all ranks. */
void common_end(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/** Ends the program as failed by an error of topo/. */
void common_end_error(int error) __attribute__((noreturn));

/** Called by common_end() before the program ends; NULL: nothing. Programs of jobs set it. */
extern void (*common_abort)(int status);

/** Ends the program as failed if standard output could not be written, as that must not look like
 * success. */
void common_check_output(void);

/** As calloc() and strdup(); these end the program if out of memory. */
void *common_alloc(size_t n, size_t size);
char *common_copy(const char *text);

/** A new text, as printf() prints it; ends the program if out of memory. */
char *common_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Writes the time of day with its zone, as files say when they were made. Returns text. */
const char *common_date(char text[64]);

/** Prints the errors of a file that were kept, a line for each. */
void common_report_errors(const pb_diag_t *diag);

#endif
