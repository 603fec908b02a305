/* Reading the values of options. */
#ifndef BENCH_OPTIONS_READ_H
#define BENCH_OPTIONS_READ_H

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

#endif
