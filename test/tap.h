/*
 * TAP for the C tests: one line per checked fact, and a plan at the end.
 * A failed fact names its file and line; the program goes on.
 */
#ifndef PB_TAP_H
#define PB_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Facts checked and failed so far, in this program: one of each for all its files. */
__attribute__((weak)) int tap_n_run, tap_n_failed;

__attribute__((format(printf, 4, 5), unused)) static int tap_ok(int passed, const char *file,
                                                                int line, const char *format, ...)
{
    va_list args;
    tap_n_run++;
    tap_n_failed += !passed;
    printf("%sok %d - ", passed ? "" : "not ", tap_n_run);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    if (!passed) {
        printf("# failed at %s:%d\n", file, line);
    }
    fflush(stdout);
    return passed;
}

/** Checks one fact; the rest describes it, as for printf. Yields whether it holds. */
#define ok(condition, ...) tap_ok(!!(condition), __FILE__, __LINE__, __VA_ARGS__)

/** Number of random cases to try: in the long suite (PIPEBCAST_TESTS=long), and in the short one.
 */
__attribute__((unused)) static int tap_trials(int in_long, int in_short)
{
    const char *suite = getenv("PIPEBCAST_TESTS");
    if (in_long < in_short) {
        abort();
    }
    return suite != NULL && strcmp(suite, "long") == 0 ? in_long : in_short;
}

/** Ends the test program: `return tap_done();` from main. */
__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_n_run);
    return tap_n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
