/*
 * Synthetic load: when the frames of a stream that the fabric itself makes come.
 *
 * It stands for the traffic of others. It does not react to what it meets, as TCP would:
 * its frames come when they come, and what a queue cannot hold is lost.
 */
#ifndef FABRIC_LOAD_H
#define FABRIC_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/** Bytes of synthetic frames that wait at their first port at most, as in a host's socket. */
#define FABRIC_LOAD_WAITING 212992

typedef struct fabric_load {
    int from, to;     /**< different nodes of the network, hosts or switches */
    uint64_t rate;    /**< bit/s on the wire, on average, at least 1 */
    int64_t duration; /**< ns */
    uint32_t length;  /**< bytes of each frame, with the Ethernet header */
    bool random;      /**< gaps are exponentially distributed (Poisson); else all alike */
    uint64_t seed;    /**< of the random gaps: equal seeds, equal loads */
} fabric_load_t;

/** Nanoseconds from one frame to the next, at least 1. A random gap changes load->seed. */
int64_t fabric_load_gap(fabric_load_t *load);

#endif
