/*
 * SipHash-2-4 (Aumasson and Bernstein 2012): 64 bits by which nobody without the key can
 * give bytes of his own for somebody else's.
 */
#ifndef PB_MULTICAST_SIPHASH_H
#define PB_MULTICAST_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/** The hash of a head, whose bytes are a multiple of 8, and of n bytes behind it. O(bytes). */
uint64_t pb_siphash(const uint64_t key[2], const void *head, size_t head_bytes, const void *bytes,
                    size_t n);

#endif
