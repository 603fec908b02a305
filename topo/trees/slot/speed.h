/*
 * How many senders a link carries (trees of unequal links).
 *
 * A link of c times the speed at which a rank can send carries c senders at
 * once without contention (issue: the rule is load, not count). One sender is
 * always allowed, however slow the link.
 */
#ifndef PB_SLOT_SPEED_H
#define PB_SLOT_SPEED_H

#include "topo/network/view.h"

/**
 * The speed of the fastest sender: of the ranks' own uplinks, and of the uplinks
 * of hosts with several ranks, which no rank inside can outrun. 1 if there is
 * only one host. O(ranks).
 */
uint32_t pb_slot_sender_speed(const pb_view_t *view);

/** Senders that a link of this speed carries, at least 1. */
static inline int pb_slot_capacity(uint32_t speed, uint32_t sender_speed)
{
    uint32_t capacity = speed / sender_speed;
    return capacity < 1 ? 1 : capacity > 1 << 20 ? 1 << 20 : (int) capacity;
}

#endif
