/*
 * How fast the parents of a transfer delivered, seen by the child: the time from a
 * parent's first segment to its last one.
 *
 * It is a measure of the network only if the child was the one who waited. So nothing is
 * measured from a parent whose segments were there already when the child looked for the first
 * time, unless it had waited for the header. And it is the rate of the slowest link between the
 * root and here, not of the last link alone: where the parent was delivered to no faster, the link
 * can do as much or more.
 */
#ifndef PB_DELIVERY_H
#define PB_DELIVERY_H

#include "engine/transfer.h"

/** Segments after the first that make a measurement. */
#define PB_DELIVERY_LEAST_SEGMENTS 4

/** Of one parent. */
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

/** Whether segments have come that were not looked at; the clock need not be asked otherwise. */
bool pb_delivery_is_behind(const pb_delivery_t *delivery, const pb_transfer_t *transfer);

/** Looks at what has come; to be called after each advance of the transfer. O(parents). */
void pb_delivery_look(pb_delivery_t *delivery, const pb_transfer_t *transfer, int64_t now);

/**
 * What parent `i` of a transfer that is through delivered after its first segments: bytes and
 * nanoseconds, both > 0. False if that was not, or cannot be, measured.
 */
bool pb_delivery_rate(const pb_delivery_t *delivery, const pb_transfer_t *transfer, int i,
                      uint64_t *bytes_p, int64_t *taken_p);

#endif
