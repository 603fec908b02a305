/*
 * The results in the columns of two other benchmarks, so that scripts and plots made for them work.
 * They are osu_bcast of the OSU Micro-Benchmarks 5 to 7, and Bcast of the Intel MPI Benchmarks
 * (IMB-MPI1). What is measured is explained in pipebcast-bench(1): the same times, but from starts
 * that are agreed on.
 */
#ifndef BENCH_OUTPUT_FOREIGN_H
#define BENCH_OUTPUT_FOREIGN_H

#include <stdbool.h>

#include "measure.h"

/** Tells whether this file has the format. */
bool bench_output_is_foreign(enum bench_format format);

/** Print the lines above the results, one result, and the lines below. */
void bench_output_foreign_begin(enum bench_format format, int n_ranks);
void bench_output_foreign_result(enum bench_format format, const struct bench_result *result);
void bench_output_foreign_end(enum bench_format format);

#endif
