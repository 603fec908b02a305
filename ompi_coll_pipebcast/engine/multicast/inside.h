/*
 * What goes on inside a host next to a rank's part of a broadcast by multicast: pieces.
 *
 * In a plan by leaders (topo/trees/leaders.h) the frames are for leaders alone. Each hands the
 * message on to the other ranks of its host in pieces, as in a broadcast by trees: by a transfer
 * (engine/transfer.h) with children inside the host, whose source is the window of the leader's
 * part. A piece is offered to it as soon as all its bytes are here, whichever frames or REPAIRs
 * have brought them. A rank that is led has such a transfer from its parent, and to its own
 * children; what comes counts as frames in its part, which asks nobody
 * (pb_multicast_part_use_pieces()). So both still send the words by which all ranks know how far a
 * broadcast is.
 *
 * Words may come from anybody, so pieces have a tag of their own.
 *
 * The call of a rank lasts until its pieces have left: it waits for late ranks of its own host, but
 * only if the transport does so with messages of that size.
 *
 * An error of the part is one of the transfer, which sends empty messages in the place of what has
 * not left; an error of a led rank's transfer is one of its part. Where the transport or the
 * channel refuses in one of the two, the other is cancelled.
 */
#ifndef PB_MULTICAST_INSIDE_H
#define PB_MULTICAST_INSIDE_H

#include "engine/multicast/part.h"
#include "engine/transfer.h"

/** Stays where it is from start to finish. */
typedef struct pb_multicast_inside {
    pb_multicast_part_t *part; /**< borrowed */
    pb_transfer_t transfer;    /**< of pieces */
} pb_multicast_inside_t;

/** Whether a rank of this role, in a plan by leaders, has anything to do inside its host. */
static inline bool pb_multicast_is_inside(const pb_role_t *role)
{
    return role->is_led || role->n_inside > 0;
}

/**
 * Prepares the transfer of a rank that pb_multicast_is_inside(), for a message of `total` bytes, of
 * which a rank that is led needs no other room. As pb_transfer_start(), which starts nothing; on
 * false nothing of it is there.
 */
bool pb_multicast_inside_start(pb_multicast_inside_t *inside, const pb_role_t *role,
                               const pb_transfer_limits_t *limits, size_t total, size_t piece_size,
                               pb_transport_t *transport, pb_message_t *message);

/** Goes with this part, which has just begun with the same role. It cannot fail: a part that has
 * begun has a number in its group. */
void pb_multicast_inside_join(pb_multicast_inside_t *inside, pb_multicast_part_t *part,
                              const pb_role_t *role);

/**
 * Does what can be done without waiting; true when all pieces are here and have left. To be called
 * when the part has taken in what has come, and by a rank that is led before that, too.
 */
bool pb_multicast_inside_advance(pb_multicast_inside_t *inside);

/** The first error of the pieces, as transfer->error; PB_ERR_EMPTY may be the part's. */
static inline int pb_multicast_inside_error(const pb_multicast_inside_t *inside)
{
    return inside->transfer.error;
}

/** The error for which the transport has refused; 0: it has not. */
int pb_multicast_inside_refused(const pb_multicast_inside_t *inside);

/** As pb_transfer_cancel(), with pb_multicast_part_cancel(). */
void pb_multicast_inside_cancel(pb_multicast_inside_t *inside);

/** Gives the memory back, as pb_transfer_finish(); of zeros, too. */
void pb_multicast_inside_finish(pb_multicast_inside_t *inside);

#endif
