/*
 * What may be waiting at each rank of a communicator: the bytes of messages that
 * were sent to it before it had arrived (paper 3's non-blocking model), which its
 * host has to hold until it comes. They are bounded, over all broadcasts and all
 * roots of the communicator, without a message (ours):
 *
 * A root knows what it has sent unasked itself. What other roots may have sent a
 * rank is at most the sum of their broadcasts since the last one at which the
 * rank is known to have been, and every rank can add that up.
 */
#ifndef PB_ARRIVAL_CREDIT_H
#define PB_ARRIVAL_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

/** What this rank knows of another. */
typedef struct pb_arrival_debt {
    uint64_t own;         /**< bytes that this rank has sent it unasked and that may still wait */
    uint64_t others_seen; /**< `others` at the start of the last broadcast where it was seen */
} pb_arrival_debt_t;

typedef struct pb_arrival_credit {
    uint64_t bound;        /**< bytes that may wait at a rank */
    uint64_t others;       /**< bytes of all broadcasts of other roots so far */
    pb_arrival_debt_t *of; /**< indexed by rank; NULL: this rank may send nothing unasked yet */
} pb_arrival_credit_t;

/** Nothing waits anywhere. Needs no memory. */
void pb_arrival_credit_init(pb_arrival_credit_t *credit, uint64_t bound);

/**
 * This rank may send to others from now on; all that others have sent may still wait. False if out
 * of memory. O(n_ranks) once.
 */
bool pb_arrival_credit_reserve(pb_arrival_credit_t *credit, int n_ranks);

void pb_arrival_credit_fini(pb_arrival_credit_t *credit);

/** Another rank broadcasts `total` bytes. */
void pb_arrival_credit_other(pb_arrival_credit_t *credit, uint64_t total);

/** Whether `total` bytes more may wait at `rank`; if so they are noted. */
bool pb_arrival_credit_take(pb_arrival_credit_t *credit, int rank, uint64_t total);

/**
 * `rank` has come to a broadcast of this rank's at whose start `others` was
 * `others_then`, and for which `unasked` bytes were sent to it unasked.
 */
void pb_arrival_credit_return(pb_arrival_credit_t *credit, int rank, uint64_t others_then,
                              uint64_t unasked);

#endif
