/*
 * A transfer in segments and one in pieces, the one fed by the other; see engine/relay.h.
 */
#include "engine/relay.h"

bool pb_relay_start(pb_relay_t *relay, const pb_role_t *role, const pb_transfer_limits_t *limits,
                    size_t piece_size)
{
    const pb_transfer_t *transfer = &relay->transfer;
    pb_transfer_limits_t offered = *limits;
    offered.offered = true;
    if (!pb_transfer_start(&relay->pieces, role, &offered, piece_size, transfer->transport,
                           transfer->message)) {
        return false;
    }
    relay->transfer.relay = relay;
    return true;
}

void pb_relay_go_on(pb_relay_t *relay)
{
    pb_transfer_offer(&relay->pieces, pb_transfer_here(&relay->transfer), relay->transfer.error);
}

bool pb_relay_advance(pb_relay_t *relay)
{
    const bool transfer_is_through = pb_transfer_advance(&relay->transfer);
    pb_relay_go_on(relay);
    const bool pieces_are_through = pb_transfer_advance(&relay->pieces);
    if (relay->transfer.broken != relay->pieces.broken) {
        pb_transfer_refuse(relay->transfer.broken ? &relay->pieces : &relay->transfer,
                           pb_relay_error(relay));
        return false; /* what is under way ends now */
    }
    return pieces_are_through && transfer_is_through;
}

int pb_relay_refused(const pb_relay_t *relay)
{
    return relay->transfer.broken || relay->pieces.broken ? pb_relay_error(relay) : 0;
}
