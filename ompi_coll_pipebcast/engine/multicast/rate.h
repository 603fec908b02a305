/*
 * Rate at which a root sends frames: the pacing where the slowest link that all frames pass is not
 * the root's own. The plan knows that link's speed. Where it is the root's own link, its socket
 * pushes back, and no pacing is needed.
 */
#ifndef PB_MULTICAST_RATE_H
#define PB_MULTICAST_RATE_H

#include <stdbool.h>
#include <stdint.h>

/** Bytes that may leave without a gap after a pause are those of this time, in nanoseconds. */
#define PB_RATE_BURST_NS INT64_C(500000)

typedef struct pb_rate {
    uint64_t ceiling; /**< bytes per second; 0: no pacing */
    int64_t credit;   /**< bytes that may be sent; below 0 after a datagram that was larger */
    int64_t then;     /**< nanoseconds, when that was so */
    bool has_begun;   /**< `then` is known */
} pb_rate_t;

/** Returns a rate with this ceiling. */
static inline pb_rate_t pb_rate_of(uint64_t ceiling)
{
    return (pb_rate_t){.ceiling = ceiling};
}

/**
 * Bytes that may be sent at `now`, in nanoseconds on a clock that does not go back; UINT64_MAX
 * where there is no pacing. Where it is not 0, one datagram may be sent, however long it is.
 */
uint64_t pb_rate_allows(pb_rate_t *rate, int64_t now);

/** Notes that `bytes` were sent. */
void pb_rate_spend(pb_rate_t *rate, uint64_t bytes);

#endif
