/*
 * What many files need and none should write again: the smaller and the larger of two numbers,
 * logarithms, arrays that grow, and the first of several errors.
 */
#ifndef PB_KIT_H
#define PB_KIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline int pb_min(int a, int b)
{
    return a < b ? a : b;
}
static inline int pb_max(int a, int b)
{
    return a > b ? a : b;
}
static inline int64_t pb_min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t pb_max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
static inline uint64_t pb_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static inline uint64_t pb_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/** The largest k with 2^k <= n, and the smallest with 2^k >= n; 0 for n of 0. */
static inline int pb_log2_down(uint64_t n)
{
    int k = 0;
    while (n > 1) {
        n >>= 1;
        k++;
    }
    return k;
}
static inline int pb_log2_up(uint64_t n)
{
    return pb_log2_down(n) + (n > 1 && (n & (n - 1)) != 0);
}

/**
 * The array with room for one more than n elements of `size` bytes, perhaps moved; *capacity_p
 * doubles where it is full. NULL if out of memory: the array is then as it was. O(1) amortized.
 */
static inline void *pb_grow(void *array, int n, int *capacity_p, size_t size)
{
    if (n < *capacity_p) {
        return array;
    }
    const int capacity = *capacity_p > 0 ? 2 * *capacity_p : 16;
    void *more = realloc(array, (size_t) capacity * size);
    if (more != NULL) {
        *capacity_p = capacity;
    }
    return more;
}

/** Keeps an error where none was kept before; 0 is none. */
static inline void pb_keep_first(int *kept_p, int error)
{
    if (*kept_p == 0) {
        *kept_p = error;
    }
}

#endif
