/*
 * Numbers as bytes, least significant first, for what is stored or sent.
 */
#ifndef PB_BYTES_H
#define PB_BYTES_H

#include <stdint.h>

/** Writes the lowest `n` bytes of `value`. */
static inline void pb_bytes_put(uint8_t *to, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) {
        to[i] = (uint8_t) (value >> (8 * i));
    }
}

/** Reads a number of `n` bytes, at most 8. */
static inline uint64_t pb_bytes_get(const uint8_t *from, int n)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++) {
        value |= (uint64_t) from[i] << (8 * i);
    }
    return value;
}

#endif
