/*
 * The whole message to each child in turn, as a flat tree's root sends it (paper
 * 3, section 3.3): the next child's first segment follows the last child's last
 * one. Where segments are small enough to go without their receivers this is the
 * paper's flat_nb. A transfer, on the other hand, serves all children at a time.
 *
 * For comparison with arrival-aware broadcasts. A state machine like pb_transfer_t.
 */
#ifndef PB_TURNS_H
#define PB_TURNS_H

#include "engine/transfer.h"

typedef struct pb_turns {
    pb_transfer_t *transfers; /**< one for each child, in the order of their turns */
    int n_transfers;
    int turn;    /**< whose it is; n_transfers at the end */
    int error;   /**< the first error, 0 if none */
    bool broken; /**< the transport refused; nothing new is started */
} pb_turns_t;

/**
 * As pb_transfer_start(), for the root of a tree of one stream. What may wait at a
 * child is not bounded. O(children * window).
 */
bool pb_turns_start(pb_turns_t *turns, const pb_role_t *role, const pb_transfer_limits_t *limits,
                    size_t total, size_t segment_size, pb_transport_t *transport,
                    pb_message_t *message);

/** As pb_transfer_advance(). */
bool pb_turns_advance(pb_turns_t *turns);

/** As pb_transfer_cancel(). */
void pb_turns_cancel(pb_turns_t *turns);

/** As pb_transfer_finish(). */
void pb_turns_finish(pb_turns_t *turns);

#endif
