/* The options of arrival patterns; see options.h for who holds them. */
#ifndef BENCH_OPTIONS_ARRIVAL_H
#define BENCH_OPTIONS_ARRIVAL_H

#include "arrival_pattern.h"
#include "contrib/tools/common/options.h"

enum {
    BENCH_MOST_MAX_IF = 1000000,
    BENCH_MAX_PATH = 1024,
};

struct bench_arrival_options {
    enum bench_arrival_kind kind;
    common_list_t max_ifs; /**< MAX_IF, one point of results after the other; without numbers: one
                                point, with as many as there are ranks */
    double late_share;     /**< 0 to 1; BENCH_UNSET until the options are whole */
    int patterns;          /**< likewise */
    long long seed;        /**< likewise */
    int per_pattern;       /**< broadcasts of each pattern; likewise */
    char record[BENCH_MAX_PATH]; /**< empty: nothing is recorded */
    char replay[BENCH_MAX_PATH]; /**< of BENCH_ARRIVAL_REPLAY */
};

/** The options of arrival patterns, in a struct bench_options. */
extern const common_option_t bench_arrival_rows[];

/** The state before any option is read. */
void bench_arrival_options_clear(struct bench_arrival_options *options);

/** Once all are read: checks that they fit each other, and fills in the defaults. */
bool bench_arrival_options_finish(struct bench_arrival_options *options,
                                  common_complaint_t complaint);

#endif
