/*
 * Number of segments that links carry together, by their speeds.
 */
#ifndef PB_LINK_LOAD_H
#define PB_LINK_LOAD_H

#include "topo/network/view.h"

/**
 * The speed of the fastest sender. Senders are the ranks' own uplinks, and the uplinks of hosts
 * with several ranks, which no rank inside can outrun. 1 if there is only one host. O(ranks).
 */
uint32_t pb_link_sender_speed(const pb_view_t *view);

/** Senders that a link of this speed carries without contention, at least 1. */
static inline int pb_link_senders(uint32_t speed, uint32_t sender_speed)
{
    const uint32_t n = speed / sender_speed;
    return n < 1 ? 1 : n > 1 << 20 ? 1 << 20 : (int) n;
}

#endif
