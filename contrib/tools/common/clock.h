/*
 * Time that all ranks agree on. Each host has its own clock. Its distance from rank 0's is
 * estimated from the fastest of several ping-pongs with rank 0 (Cristian 1989). The reply's clock
 * value belongs to the middle of the round trip, give or take half of it.
 */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "ompi_coll_pipebcast/base/clock.h"

typedef struct common_clock {
    MPI_Comm comm;     /**< borrowed */
    bool shared;       /**< all ranks read one clock: nothing to estimate */
    int64_t offset_ns; /**< this rank's clock less rank 0's */
    int64_t error_ns;  /**< the offset is right within this, this rank's bound */
    int64_t synced_ns; /**< agreed time of the last estimate; equal on all ranks */
} common_clock_t;

/** Agreed time now: rank 0's clock, in nanoseconds. */
int64_t common_clock_agreed(const common_clock_t *clock);

/** Sets up the clock and estimates. Collective over comm. */
void common_clock_init(common_clock_t *clock, MPI_Comm comm, bool shared);

/**
 * Estimates again. Collective; O(ranks) round trips, one rank after the other, the others asleep.
 * Clocks drift apart, disciplined ones by some microseconds a second, so that an estimate serves
 * for about a second.
 */
void common_clock_sync(common_clock_t *clock);

/** Sleeps until an agreed time; the last 50 microseconds are spent awake. */
void common_clock_wait_until(const common_clock_t *clock, int64_t agreed_ns);

/** The largest bound of any rank on the error of its offset, in nanoseconds. Collective. */
int64_t common_clock_worst_error(const common_clock_t *clock);

#endif
