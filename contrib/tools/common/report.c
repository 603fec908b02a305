#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exits.h"
#include "topo/util/error.h"

static void vreport(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

static void vreport(const char *format, va_list args)
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
    vreport(format, args);
    va_end(args);
}

void (*common_abort)(int status);

void common_end(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vreport(format, args);
    va_end(args);
    if (common_abort != NULL) {
        common_abort(status);
    }
    exit(status);
}

void common_end_error(int error)
{
    common_end(COMMON_EXIT_FAILED, "%s", pb_error_text(error));
}

void common_check_output(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        common_end(COMMON_EXIT_FAILED, "standard output cannot be written");
    }
}

void *common_alloc(size_t n, size_t size)
{
    void *memory = calloc(n > 0 ? n : 1, size);
    if (memory == NULL) {
        common_end(COMMON_EXIT_FAILED, "out of memory for %zu times %zu bytes", n, size);
    }
    return memory;
}

char *common_copy(const char *text)
{
    return strcpy(common_alloc(strlen(text) + 1, 1), text);
}

char *common_format(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        common_end_error(PB_ERR_NO_MEMORY);
    }
    va_end(args);
    return text;
}

const char *common_date(char text[64])
{
    const time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts) == NULL ||
        strftime(text, 64, "%Y-%m-%d %H:%M:%S %z", &parts) == 0) {
        text[0] = '\0';
    }
    return text;
}

void common_report_errors(const pb_diag_t *diag)
{
    for (size_t i = 0; i < diag->n_kept; i++) {
        common_report("%s", diag->messages[i]);
    }
}
