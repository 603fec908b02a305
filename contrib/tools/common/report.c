#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void common_report(const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
    fflush(stderr);
}

void common_report_faults(const pb_diag_t *diag)
{
    for (size_t i = 0; i < diag->n_kept; i++) {
        common_report("%s", diag->messages[i]);
    }
}
