/*
 * What rank 0 prints: a table, comma-separated values, or one JSON object, which is printed at the
 * end.
 */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include "contrib/tools/common/json.h"
#include "measure.h"

/** Facts about the run that stand above the results. */
struct bench_output {
    const struct bench_options *options;
    int n_ranks;
    int n_hosts;
    int n_results; /**< printed so far */
    bool begun, failed;
    common_json_t json, results;   /**< as JSON: all, and its array of results */
    common_json_t point, patterns; /**< and of an arrival pattern's group, and its array */
};

/**
 * Each of the three writes to stdout and flushes, so that a reader of a pipe sees rows at once, but
 * JSON comes as a whole. Where memory for it is missing,
 * there is a message and `failed`. What has not begun need not end.
 */
void bench_output_begin(struct bench_output *output);
void bench_output_result(struct bench_output *output, const struct bench_result *result);
void bench_output_end(struct bench_output *output);

/** What every row of the CSV begins with: the facts about the run. */
void bench_output_csv_head(const struct bench_output *output);

#endif
