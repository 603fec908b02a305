#include "report.h"

#include <errno.h>
#include <stdio.h>

void common_vreport(const char *format, va_list args)
{
    char text[8192];
    vsnprintf(text, sizeof text, format, args);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
    fflush(stderr);
}

void common_report(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    common_vreport(format, args);
    va_end(args);
}

void common_report_faults(const pb_diag_t *diag)
{
    for (size_t i = 0; i < diag->n_kept; i++) {
        common_report("%s", diag->messages[i]);
    }
}
