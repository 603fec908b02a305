/* What rank 0 prints: a table, comma-separated values, or one JSON object. */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include "measure.h"

/** Facts about the run that stand above the results. */
struct bench_output {
    const struct bench_options *options;
    int n_ranks;
    int n_hosts;
    int n_results; /**< printed so far */
};

/** Each of the three writes to stdout and flushes, so that a reader of a pipe sees rows at once. */
void bench_output_begin(const struct bench_output *output);
void bench_output_result(struct bench_output *output, const struct bench_result *result);
void bench_output_end(const struct bench_output *output);

/** What every row of the CSV begins with: the facts about the run. */
void bench_output_csv_head(const struct bench_output *output);

#endif
