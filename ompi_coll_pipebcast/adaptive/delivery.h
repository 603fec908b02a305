/*
 * Delivery rates of a transfer's parents, as the child sees them: bytes over the time from a
 * parent's first segment to its last one.
 *
 * A rate measures the network only if the child waited for the parent. So a parent is not measured
 * if its segments were there at the child's first look, unless the child had waited for the header.
 * It measures the slowest link between the root and here. If the last link is another, it may
 * be faster.
 */
#ifndef PB_DELIVERY_H
#define PB_DELIVERY_H

#include "engine/transfer.h"

/** Segments after the first that make a measurement. */
#define PB_DELIVERY_LEAST_SEGMENTS 4

/** State of one parent. */
typedef struct pb_delivery_parent {
    bool waited;             /**< the child looked and nothing had come */
    uint64_t n_first, n_now; /**< segments that had come at `first`, and at `last` */
    int64_t first, last;     /**< ns on the child's clock */
} pb_delivery_parent_t;

/** Zero: nothing was seen yet. */
typedef struct pb_delivery {
    bool looked;                                      /**< at least once */
    bool waited;                                      /**< before that, for the header */
    pb_delivery_parent_t parent[PB_PLAN_MAX_STREAMS]; /**< by parent of the transfer */
} pb_delivery_t;

/** Looks at what has come; to be called after each advance of the transfer. O(parents). */
void pb_delivery_look(pb_delivery_t *delivery, const pb_transfer_t *transfer, int64_t now);

/**
 * Returns the bytes that parent `i` of a finished transfer delivered after its first segments, and
 * the nanoseconds; both > 0. False if that was not, or cannot be, measured.
 */
bool pb_delivery_rate(const pb_delivery_t *delivery, const pb_transfer_t *transfer, int i,
                      uint64_t *bytes_p, int64_t *taken_p);

#endif
