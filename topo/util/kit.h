/* Helpers of many files: the smaller and the larger of two numbers, and arrays that grow. */
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
static inline uint64_t pb_minu64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static inline int64_t pb_max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
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

#endif
