/*
 * Advice at random, for programs that broadcast while it changes.
 */
#ifndef PB_TEST_MPI_RANDOM_ADVICE_H
#define PB_TEST_MPI_RANDOM_ADVICE_H

#include <stdbool.h>

#include "topo/util/random.h"

/** For hosts "n0", "n1" and so on. To be called first. */
void random_advice_hosts(int n_hosts);

/**
 * Other advice for all of them: a few trees for some sizes and roots, or none. Publishes it in the
 * directory, or only draws it, so that ranks draw alike.
 */
void random_advice(pb_random_t *random, const char *dir, bool publishes);

#endif
