/*
 * Files of arrival patterns: when each rank came to and left each of some broadcasts. Free of MPI.
 *
 *     pipebcast-arrivals 1
 *     ranks 2
 *     # broadcast bytes root rank arrival_ns exit_ns
 *     0 65536 0 0 1200 58300000
 *     0 65536 0 1 117000000 175000000
 *     end 1
 *
 * One line for each rank of each broadcast, both counted from 0 and in order; times in nanoseconds
 * from any moment before the first arrival, of each broadcast its own. The last line counts the
 * broadcasts, so that a file that was cut off is known. Lines with # are for people.
 */
#ifndef BENCH_ARRIVAL_TRACE_H
#define BENCH_ARRIVAL_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arrival_metrics.h"

enum {
    BENCH_TRACE_MOST_BROADCASTS = 1000000,
    BENCH_TRACE_MOST_RANKS = 1000000,
    BENCH_TRACE_MOST_TIMES = 1 << 26, /**< broadcasts times ranks: half a gigabyte */
};

struct bench_trace_broadcast {
    long long bytes;
    int root;
};

struct bench_trace {
    int n_ranks;
    int n_broadcasts;
    struct bench_trace_broadcast *broadcasts; /**< owned */
    int64_t *arrivals_ns;                     /**< of broadcast b and rank r: [b * n_ranks + r] */
};

/**
 * Reads a file. On failure yields -1, leaves a message with name and line in error, and nothing is
 * to be freed. O(lines).
 */
int bench_trace_read(struct bench_trace *trace, FILE *file, const char *name, char *error,
                     size_t error_size);

void bench_trace_free(struct bench_trace *trace);

/**
 * Arrivals of a broadcast, moved so that the first is 0: delays that make them happen again.
 * O(ranks).
 */
void bench_trace_delays(const struct bench_trace *trace, int broadcast, int64_t *delays_ns);

/** A file being written. */
struct bench_trace_writer {
    FILE *file; /**< owned; NULL: nothing is written */
    int n_broadcasts;
};

/** Creates the file and writes its head. Yields -1 with errno set where that fails. */
int bench_trace_create(struct bench_trace_writer *writer, const char *name, int n_ranks);

/** Writes one broadcast. Errors are reported by bench_trace_close(). */
void bench_trace_write(struct bench_trace_writer *writer, long long bytes,
                       const struct bench_arrival_times *times);

/**
 * Writes the end, if the file is whole, and closes it. Yields -1 with errno set if anything could
 * not be written. Does nothing without a file.
 */
int bench_trace_close(struct bench_trace_writer *writer, int whole);

#endif
