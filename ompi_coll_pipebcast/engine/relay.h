/*
 * A relay takes a message in segments from other hosts, and hands it on in longer pieces inside its
 * own. There each message costs as much whatever its size.
 *
 * It is both transfers of that rank: `between` as any rank of a plan has one, and `inside`, which
 * has no parents. `inside` is offered a piece as soon as all its bytes are here, from whichever
 * streams. As no two ranks exchange both, segments and pieces may have one tag.
 *
 * An error of `between` is one of `inside`: segments keep coming, as empty messages, and so do
 * pieces. What fails inside does not concern other hosts. Where the transport refuses in one of the
 * two, it does in the other.
 */
#ifndef PB_RELAY_H
#define PB_RELAY_H

#include "engine/transfer.h"

/** Stays where it is from start to finish. */
typedef struct pb_relay {
    pb_transfer_t between; /**< segments, from and to other hosts */
    pb_transfer_t inside;  /**< pieces, to ranks of this host */
} pb_relay_t;

/**
 * Prepares `inside` for pieces of `piece_size` bytes, of a relay whose `between` was started; from
 * then on that one may report to it. `role` has no parents. As pb_transfer_start(); on false
 * nothing of `inside` is there.
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
    return relay->between.error != 0 ? relay->between.error : relay->inside.error;
}

/** The error for which the transport has refused in either; 0: it has not. */
int pb_relay_refused(const pb_relay_t *relay);

#endif
