/* The options of arrival patterns; see options.h for who holds them. */
#ifndef BENCH_OPTIONS_ARRIVAL_H
#define BENCH_OPTIONS_ARRIVAL_H

#include <stdio.h>

#include "arrival_pattern.h"
#include "contrib/tools/common/options.h"

enum {
    BENCH_MAX_MAX_IFS = 32,
    BENCH_MOST_MAX_IF = 1000000,
    BENCH_MAX_PATH = 1024,
};

struct bench_arrival_options {
    enum bench_arrival_kind kind;
    int max_ifs[BENCH_MAX_MAX_IFS]; /**< MAX_IF, one point of results after the other */
    int n_max_ifs;                  /**< 0: one point, with as many as there are ranks */
    double late_share;              /**< 0 to 1; BENCH_UNSET until the options are whole */
    int patterns;                   /**< likewise */
    long long seed;                 /**< likewise */
    int per_pattern;                /**< broadcasts of each pattern; likewise */
    char record[BENCH_MAX_PATH];    /**< empty: nothing is recorded */
    char replay[BENCH_MAX_PATH];    /**< of BENCH_ARRIVAL_REPLAY */
};

/** What an option of the command line is, of those of arrival patterns. */
enum bench_arrival_option {
    BENCH_OPT_ARRIVAL,
    BENCH_OPT_MAX_IF,
    BENCH_OPT_LATE_SHARE,
    BENCH_OPT_PATTERNS,
    BENCH_OPT_SEED,
    BENCH_OPT_PER_PATTERN,
    BENCH_OPT_RECORD,
    BENCH_OPT_REPLAY,
};

/** The state before any option is read. */
void bench_arrival_options_clear(struct bench_arrival_options *options);

/** Takes one option. False leaves a message. */
bool bench_arrival_options_take(struct bench_arrival_options *options,
                                enum bench_arrival_option option, const char *value,
                                struct bench_complaint complaint);

/** Once all are read: checks that they fit each other, and fills in what was not given. */
bool bench_arrival_options_finish(struct bench_arrival_options *options,
                                  struct bench_complaint complaint);

/** Prints what the options are, a section of the program's help. */
void bench_arrival_options_help(FILE *out);

#endif
