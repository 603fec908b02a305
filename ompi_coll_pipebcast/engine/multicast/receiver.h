/*
 * A receiver's part of a broadcast by multicast: takes in frames, and asks for those that it
 * misses. The protocol is in engine/multicast/multicast.h.
 *
 * A state machine like pb_transfer_t; it never blocks, and it needs no clock.
 */
#ifndef PB_MULTICAST_RECEIVER_H
#define PB_MULTICAST_RECEIVER_H

#include "engine/multicast/part.h"

typedef struct pb_multicast_receiver {
    pb_multicast_part_t part;
} pb_multicast_receiver_t;

/** As pb_multicast_part_start(), for a rank that is not the root. Sends nothing. */
bool pb_multicast_receiver_start(pb_multicast_receiver_t *receiver, pb_multicast_t *multicast,
                                 pb_control_t *control, const pb_role_t *role, char *data,
                                 size_t total);

/** Does what can be done without waiting, bounded. True when the part is over. */
bool pb_multicast_receiver_advance(pb_multicast_receiver_t *receiver);

#endif
