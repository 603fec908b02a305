/*
 * The measuring loops: T(M) between two ranks, the papers' loop, and iterations with an agreed
 * start. All are collective and yield the same numbers on every rank.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "contrib/tools/common/clock.h"
#include "options.h"
#include "payload.h"

enum { BENCH_SERVED_SIZE = 64 };

/** Measurements of one size. Times in nanoseconds; n is the number of their samples. */
struct bench_result {
    long long bytes;
    struct {
        int64_t median_ns;
        int n;
    } pingpong; /**< one way */
    struct {
        double mean_ns; /**< one broadcast and one barrier */
        int n;
    } loop;
    struct {
        int64_t median_ns, min_ns, max_ns; /**< over iterations, of the last rank's end */
        int n;
        int n_late; /**< iterations done again because a rank heard of the start too late */
    } sync;
    struct {
        double mean_ns, min_ns, max_ns; /**< over ranks, of each one's mean time in the call */
        int n;
    } calls; /**< of mode sync */
    int n_warmup;
    char served_by[BENCH_SERVED_SIZE]; /**< kind of tree, or why another component; empty: not known
                                        */
    bool limited;           /**< the time limit cut broadcasts, of warm-up or those that count */
    int64_t clock_error_ns; /**< bound on what clocks add to sync times; 0 for a shared clock */
};

/** A run of the benchmark on one rank. */
struct bench_run {
    const struct bench_options *options;
    MPI_Comm comm;    /**< the communicator that is measured: borrowed */
    MPI_Comm control; /**< the benchmark's own messages: borrowed */
    int rank, n_ranks;
    common_clock_t clock;
    long long n_broadcasts; /**< so far; also the number of the next one's pattern */
};

/** Measures one size. */
struct bench_result bench_measure_size(struct bench_run *run, long long bytes);

#endif
