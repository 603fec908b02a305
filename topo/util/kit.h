/* Helpers of many files: the smaller and the larger of two numbers, and arrays that grow. */
#ifndef PB_KIT_H
#define PB_KIT_H

#include <stdbool.h>
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

/** An ASCII letter in lower case, other characters as they are: on every host, whatever its locale.
 */
static inline int pb_fold(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char) c;
}

/** Tells whether a character is an ASCII letter, whatever the locale. */
static inline bool pb_is_letter(char c)
{
    return pb_fold(c) >= 'a' && pb_fold(c) <= 'z';
}

/** Tells whether the first `n` characters of two texts, or all up to an end, are alike but for the
 * case of ASCII letters. */
static inline bool pb_is_like(const char *a, const char *b, size_t n)
{
    size_t i = 0;
    while (i < n && pb_fold(a[i]) == pb_fold(b[i]) && a[i] != '\0') {
        i++;
    }
    return i == n || pb_fold(a[i]) == pb_fold(b[i]);
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
