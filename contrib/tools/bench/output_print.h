/* Printing figures, for all formats and ways of measuring. */
#ifndef BENCH_OUTPUT_PRINT_H
#define BENCH_OUTPUT_PRINT_H

#include <stddef.h>

#include "contrib/tools/common/json.h"
#include "options.h"

enum { BENCH_FLAG = -1 /**< as decimals: the value is 0 or 1, in JSON false or true */ };

/** A figure of a result. */
struct bench_column {
    const char *name; /**< in CSV and JSON */
    double value;     /**< NAN where it was not measured */
    int decimals;     /**< or BENCH_FLAG */
};

/** Nanoseconds as microseconds; NAN if they rest on n = 0 samples. */
double bench_microseconds(double ns, int n);

/** ",value" for each column. */
void bench_print_csv(const struct bench_column *columns, int n);

/** ",name" for each column. */
void bench_print_csv_names(const struct bench_column *columns, int n);

/** A member of an object for each column, values that were not measured being null. */
void bench_add_columns(common_json_t to, const struct bench_column *columns, int n);

/** A blank and the value, "-" where it was not measured, in so many characters. */
void bench_print_cell(int width, int decimals, double value);

/** A string in double quotes; each character of escaped in it preceded by an escape character. */
void bench_print_quoted(const char *text, const char *escaped, char escape);

/** "rotate" or the number of the rank, in text. */
const char *bench_root_name(const struct bench_options *options, char *text, size_t size);

#endif
