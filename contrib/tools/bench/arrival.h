/*
 * Measuring broadcasts at which ranks arrive at different times: random patterns, or those of a
 * file. Source: P. Patarasuk and X. Yuan, "Efficient MPI_Bcast across Different Process Arrival
 * Patterns", section 5.
 */
#ifndef BENCH_ARRIVAL_H
#define BENCH_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "arrival_metrics.h"
#include "measure.h"

struct bench_output;

/** What was measured of one pattern: means over its broadcasts, at rank 0. */
struct bench_arrival_pattern {
    int number;
    int root;
    int n_broadcasts;
    struct bench_arrival_metrics metrics;
};

/** What is measured with one size and MAX_IF. */
struct bench_arrival_point {
    long long bytes;
    int max_if;      /**< BENCH_UNSET: replayed */
    int n_patterns;  /**< wanted */
    int64_t unit_ns; /**< T(M) of this run, by which delays, imbalance and bounds are counted */
    int n_pingpong;  /**< samples that T(M) rests on */
    int n_again;     /**< broadcasts done again because a rank was late by itself */
    int64_t clock_error_ns;
    /* Over the patterns measured so far, at rank 0: */
    int n_measured;
    struct bench_arrival_metrics sum;
    double sum_ratio[BENCH_N_RATIOS], max_ratio[BENCH_N_RATIOS];
};

/**
 * Measures what the options ask for and prints it at rank 0. Collective. Errors are reported by the
 * rank concerned; all ranks yield the same status.
 */
enum bench_status bench_arrival_run(struct bench_run *run, struct bench_output *output);

#endif
