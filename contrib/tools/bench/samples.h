/* A growing list of times. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stdint.h>

struct bench_samples {
    int64_t *values_ns; /**< owned */
    int n;
};

/** An empty list with room for capacity values; NULL in values_ns if there is no memory. */
struct bench_samples bench_samples_make(int capacity);

void bench_samples_free(struct bench_samples *samples);

/** Appends; the caller keeps within the capacity. */
void bench_samples_add(struct bench_samples *samples, int64_t value_ns);

/** Sorts ascending, so that [0] is the least and [n - 1] the greatest. O(n log n). */
void bench_samples_sort(struct bench_samples *samples);

/** Median of a sorted list that is not empty: of an even number, the mean of the middle two. */
int64_t bench_samples_median(const struct bench_samples *samples);

#endif
