/*
 * A relay takes a message in segments from other hosts, and hands it on in longer pieces inside its
 * own. There each message costs as much whatever its size.
 *
 * It is both transfers of that rank: `transfer`, as any rank of a plan has one, and `pieces`, which
 * has no parents. The latter is offered a piece as soon as all its bytes are here, from whichever
 * streams. As no two ranks exchange both, segments and pieces may have one tag.
 *
 * An error of `transfer` is one of `pieces`: segments keep coming, as empty messages, and so do
 * pieces. What fails inside does not concern other hosts. Where the transport refuses in one of the
 * two, it does in the other.
 */
#ifndef PB_RELAY_H
#define PB_RELAY_H

#include "engine/transfer.h"

/** Stays where it is from start to finish. */
typedef struct pb_relay {
    pb_transfer_t transfer; /**< in segments, from and to other hosts */
    pb_transfer_t pieces;   /**< to ranks of this host */
} pb_relay_t;

/**
 * Prepares `pieces` for pieces of `piece_size` bytes, of a relay whose `transfer` was started; from
 * then on that one may report to it. `role` has no parents, and is read in this call only. As
 * pb_transfer_start(); on false nothing of `pieces` is there.
 */
bool pb_relay_start(pb_relay_t *relay, const pb_role_t *role, const pb_transfer_limits_t *limits,
                    size_t piece_size);

/** Segments have come: pieces that are whole now go on. O(streams + those pieces). */
void pb_relay_go_on(pb_relay_t *relay);

/** As pb_transfer_advance(), for both. */
bool pb_relay_advance(pb_relay_t *relay);

/** The first error of either, as transfer->error. */
static inline int pb_relay_error(const pb_relay_t *relay)
{
    return relay->transfer.error != 0 ? relay->transfer.error : relay->pieces.error;
}

/** The error for which the transport has refused in either; 0: it has not. */
int pb_relay_refused(const pb_relay_t *relay);

#endif
