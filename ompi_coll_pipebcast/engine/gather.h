/*
 * A gather: every rank learns one number of each rank, without blocking.
 *
 * In round k a rank sends what it has to the rank 2^k before it, and receives as much
 * from the one 2^k behind it, so that ceil(log2 P) messages are enough (Bruck and others
 * 1997). The rounds' partners are all different ranks, so that one tag is enough, also for
 * several gathers one after the other: what a partner sends for the next one comes second. The
 * ranks may advance it at different points of their programs, where a collective operation
 * of the communicator's own could not be started alike on all.
 */
#ifndef PB_GATHER_H
#define PB_GATHER_H

#include <stdint.h>

#include "engine/transport.h"

typedef struct pb_gather {
    pb_transport_t *transport; /**< borrowed; its tag is the gather's own */
    int rank, n_ranks;
    int n_there;          /**< numbers that have come: of `rank` and of those behind it */
    uint64_t *numbers;    /**< the one of rank (rank + i) mod n_ranks in entry i */
    pb_request_t send;    /**< of the round under way */
    pb_request_t receive; /**< likewise */
    int error;            /**< the first one */
} pb_gather_t;

/**
 * A gather of `n_ranks` numbers, of which `own` is this rank's. Memory of 8 bytes a rank.
 * False if out of memory.
 */
bool pb_gather_init(pb_gather_t *gather, pb_transport_t *transport, int rank, int n_ranks,
                    uint64_t own);

/** Begins another one of other numbers, in the same memory, when all of the last one are there. */
void pb_gather_again(pb_gather_t *gather, uint64_t own);

/**
 * Does what can be done without waiting. True when all numbers are there, or there is
 * an error and nothing more is under way; *error_p is 0 or the caller's error.
 */
bool pb_gather_advance(pb_gather_t *gather, int *error_p);

/** The number of a rank, after pb_gather_advance() was true and without an error. */
static inline uint64_t pb_gather_number(const pb_gather_t *gather, int rank)
{
    return gather->numbers[(rank - gather->rank + gather->n_ranks) % gather->n_ranks];
}

/** Gives the memory back; for a gather of zeros, too. Nothing may be under way. */
void pb_gather_fini(pb_gather_t *gather);

#endif
