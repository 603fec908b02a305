/* Output of rank 0: a table, comma-separated values, JSON, or the columns of another benchmark. */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include "contrib/tools/common/json.h"
#include "measure.h"

/** Facts about the run, and the state of the output. */
struct bench_output {
    const struct bench_options *options;
    int n_ranks, n_hosts;
    char component[BENCH_SERVED_SIZE]; /**< of Open MPI that serves; empty: not known */
    int n_results;
    struct bench_result last;        /**< the result that the last line is about */
    bool spread, below_one, limited; /**< marks that were printed */
    common_json_t json, results;
};

/** A figure of a result. */
struct bench_column {
    const char *name; /**< in CSV and JSON */
    double value;     /**< NAN where it was not measured */
    int decimals;
};

/** Each of the three writes to stdout and flushes. */
void bench_output_begin(struct bench_output *output);
void bench_output_result(struct bench_output *output, const struct bench_result *result);
void bench_output_end(struct bench_output *output);

/** A row of CSV: the facts about the run, then the columns. With the first row their names. */
void bench_output_csv(struct bench_output *output, const struct bench_column *columns, int n);

#endif
