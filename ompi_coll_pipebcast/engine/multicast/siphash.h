/*
 * SipHash-2-4 (Aumasson and Bernstein 2012): 64 bits by which nobody without the key can
 * give bytes of his own for somebody else's.
 */
#ifndef PB_MULTICAST_SIPHASH_H
#define PB_MULTICAST_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct pb_siphash {
    uint64_t v[4];
    uint64_t word;  /**< bytes that are no whole word yet, least significant first */
    uint64_t bytes; /**< that have entered */
} pb_siphash_t;

/** Before anything has entered. */
void pb_siphash_start(pb_siphash_t *hash, const uint64_t key[2]);
/** So many more bytes enter. */
void pb_siphash_add(pb_siphash_t *hash, const void *bytes, size_t n);
/** The hash of all that has entered; nothing may enter after that. */
uint64_t pb_siphash_end(pb_siphash_t *hash);

#endif
