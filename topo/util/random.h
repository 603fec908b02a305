/*
 * A seeded generator of random numbers. The same seed gives the same numbers on every host.
 */
#ifndef PB_RANDOM_H
#define PB_RANDOM_H

#include <stdint.h>

/** A xorshift64* generator. */
typedef struct pb_random {
    uint64_t state;
} pb_random_t;

pb_random_t pb_random_seed(uint64_t seed);
uint64_t pb_random_next(pb_random_t *random);
/** Uniform in [0, n), n at least 1. */
int pb_random_below(pb_random_t *random, int n);
/** A random order of the n values. */
void pb_random_shuffle(pb_random_t *random, int *values, int n);

#endif
