/*
 * Broadcasts of given sizes at given times, as a program makes them: nothing is repeated, and what
 * comes between them is computing. For networks that change meanwhile.
 */
#ifndef BENCH_SCHEDULE_H
#define BENCH_SCHEDULE_H

#include "measure.h"
#include "output.h"

enum { BENCH_MOST_SCHEDULED = 100000 };

/** One line of the file. */
struct bench_scheduled {
    long long bytes; /**< of the packed message */
    int64_t at_ns;   /**< after the first one's beginning; later if the one before is not over */
};

/** What came of it. */
struct bench_schedule_result {
    int number; /**< from 0 */
    struct bench_scheduled wanted;
    int64_t begun_ns; /**< after the first one's beginning */
    int64_t taken_ns; /**< until the last rank was done */
    int n_again;      /**< how often it was done again because a rank was late by itself */
};

/** Runs the schedule that the options name, and prints each broadcast when it is over. Collective.
 */
enum bench_status bench_schedule_run(struct bench_run *run, struct bench_output *output);

#endif
