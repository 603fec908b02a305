#include "samples.h"

#include <stdlib.h>

struct bench_samples bench_samples_make(int capacity)
{
    return (struct bench_samples){.values_ns = calloc((size_t) capacity, sizeof(int64_t))};
}

void bench_samples_free(struct bench_samples *samples)
{
    free(samples->values_ns);
    *samples = (struct bench_samples){.values_ns = NULL};
}

void bench_samples_add(struct bench_samples *samples, int64_t value_ns)
{
    samples->values_ns[samples->n++] = value_ns;
}

static int compare(const void *a_p, const void *b_p)
{
    int64_t a = *(const int64_t *) a_p, b = *(const int64_t *) b_p;
    return (a > b) - (a < b);
}

void bench_samples_sort(struct bench_samples *samples)
{
    qsort(samples->values_ns, (size_t) samples->n, sizeof(int64_t), compare);
}

int64_t bench_samples_median(const struct bench_samples *samples)
{
    int64_t low = samples->values_ns[(samples->n - 1) / 2];
    int64_t high = samples->values_ns[samples->n / 2];
    return low + (high - low) / 2;
}
