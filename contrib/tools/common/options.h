/* Reading a command line, and the values of options. */
#ifndef BENCH_OPTIONS_READ_H
#define BENCH_OPTIONS_READ_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/** Where a reader of options puts its message. */
struct bench_complaint {
    char *text;
    size_t size;
};

/** Leaves a message. Always yields false, so that a reader can return it. */
__attribute__((format(printf, 2, 3))) bool bench_wrong(struct bench_complaint complaint,
                                                       const char *format, ...);

/** Reads a number of at least min and at most max with nothing behind it. */
bool bench_read_number(const char *text, long long min, long long max, long long *number_p);

/** Likewise, up to INT_MAX. */
bool bench_read_int(const char *text, int min, int *number_p);

/** Copies a text of less than size bytes and without control characters. */
bool bench_read_text(const char *option, const char *text, char *copy, size_t size,
                     struct bench_complaint complaint);

/** What a command line asks for. BENCH_WRONG: there is a message. */
enum bench_verdict { BENCH_RUN, BENCH_HELP, BENCH_VERSION, BENCH_WRONG };

/**
 * Codes of the long options that every program has; its own follow. All are beyond every
 * character, as none has a short form.
 */
enum { BENCH_OPTION_HELP = 256, BENCH_OPTION_VERSION, BENCH_OPTION_FIRST };

/** Takes one option other than these two into `options`. False with a message if it is wrong. */
typedef bool bench_take_option_fn(void *options, int code, const char *value,
                                  struct bench_complaint complaint);

/**
 * Reads a command line of long options alone, each known to `known` (ended by zeros) and taken by
 * `take`.
 */
enum bench_verdict bench_read_options(int argc, char **argv, const struct option *known,
                                      bench_take_option_fn *take, void *options,
                                      struct bench_complaint complaint);

#endif
