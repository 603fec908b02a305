/*
 * A 64-bit hash that is the same on every host: FNV-1a over bytes, with a final mix for indices of
 * tables. Numbers enter as eight bytes, least significant first; strings enter with their length,
 * so that "ab","c" and "a","bc" differ. It guards against mistakes, not against adversaries.
 */
#ifndef PB_HASH_H
#define PB_HASH_H

#include <stddef.h>
#include <stdint.h>

/** The state before anything has entered. */
#define PB_HASH_START UINT64_C(0xcbf29ce484222325)

/** The state after `size` more bytes. */
uint64_t pb_hash_bytes(uint64_t state, const void *bytes, size_t size);
/** The state after a number. */
uint64_t pb_hash_number(uint64_t state, uint64_t number);
/** The state after a string and its length. */
uint64_t pb_hash_string(uint64_t state, const char *text);
/** The hash of all that has entered. */
uint64_t pb_hash_end(uint64_t state);

#endif
