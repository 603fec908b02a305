/*
 * The root's part of a broadcast by multicast: sends the frames, at once or as far as it has
 * credit, no faster than its rate. The protocol is in engine/multicast/multicast.h.
 *
 * A state machine like pb_transfer_t; it never blocks.
 */
#ifndef PB_MULTICAST_SENDER_H
#define PB_MULTICAST_SENDER_H

#include "engine/multicast/part.h"

typedef struct pb_multicast_sender {
    pb_multicast_part_t part;
    uint32_t n_others;   /**< ranks but this one */
    uint32_t granted;    /**< frames that may be sent */
    uint32_t n_sent;     /**< frames that were */
    bool has_begun;      /**< by credit: those who are there are known */
    uint32_t n_there;    /**< by credit: at the last look */
    bool is_waiting;     /**< `since` is known */
    int64_t since;       /**< nanoseconds, when there was news of credit for the last time */
    bool has_noted_rate; /**< what the settled mark brought has changed the rate */
} pb_multicast_sender_t;

/** As pb_multicast_part_start(), for the root in a group of `n_ranks`. Sends nothing. */
bool pb_multicast_sender_start(pb_multicast_sender_t *sender, pb_multicast_t *multicast,
                               pb_control_t *control, const pb_role_t *role, int n_ranks,
                               char *data, size_t total);

/**
 * Does what can be done without waiting, at most some batches, at `now`, in nanoseconds on a
 * clock of this rank that does not go back. True when the part is over.
 */
bool pb_multicast_sender_advance(pb_multicast_sender_t *sender, int64_t now);

#endif
