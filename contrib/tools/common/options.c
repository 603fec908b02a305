#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bench_wrong(struct bench_complaint complaint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(complaint.text, complaint.size, format, args);
    va_end(args);
    return false;
}

bool bench_read_number(const char *text, long long min, long long max, long long *number_p)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno || number < min || number > max) {
        return false;
    }
    *number_p = number;
    return true;
}

bool bench_read_int(const char *text, int min, int *number_p)
{
    long long number;
    if (!bench_read_number(text, min, INT_MAX, &number)) {
        return false;
    }
    *number_p = (int) number;
    return true;
}

bool bench_read_text(const char *option, const char *text, char *copy, size_t size,
                     struct bench_complaint complaint)
{
    if (strlen(text) >= size) {
        return bench_wrong(complaint, "%s: longer than %zu bytes", option, size - 1);
    }
    for (const char *at = text; *at; at++) {
        if ((unsigned char) *at < ' ' || *at == 127) {
            return bench_wrong(complaint, "%s: holds a control character", option);
        }
    }
    strcpy(copy, text);
    return true;
}

/** Takes what getopt_long() has found. */
static enum bench_verdict take_found(int code, char *const *argv, bench_take_option_fn *take,
                                     void *options, struct bench_complaint complaint)
{
    switch (code) {
    case BENCH_OPTION_HELP:
        return BENCH_HELP;
    case BENCH_OPTION_VERSION:
        return BENCH_VERSION;
    case ':':
        bench_wrong(complaint, "%s needs a value", argv[optind - 1]);
        return BENCH_WRONG;
    case '?':
        bench_wrong(complaint, "%s is unknown, ambiguous, or takes no value", argv[optind - 1]);
        return BENCH_WRONG;
    default:
        return take(options, code, optarg, complaint) ? BENCH_RUN : BENCH_WRONG;
    }
}

enum bench_verdict bench_read_options(int argc, char **argv, const struct option *known,
                                      bench_take_option_fn *take, void *options,
                                      struct bench_complaint complaint)
{
    enum bench_verdict verdict = BENCH_RUN;
    int code;
    optind = 1;
    opterr = 0;
    while (verdict == BENCH_RUN && (code = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        verdict = take_found(code, argv, take, options, complaint);
    }
    if (verdict == BENCH_RUN && optind < argc) {
        bench_wrong(complaint, "'%s' is no option", argv[optind]);
        return BENCH_WRONG;
    }
    return verdict;
}
