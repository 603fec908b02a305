/*
 * A transfer in segments and one in pieces, the one fed by the other; see engine/relay.h.
 */
#include "engine/relay.h"

bool pb_relay_start(pb_relay_t *relay, const pb_role_t *role, const pb_transfer_limits_t *limits,
                    size_t piece_size)
{
    const pb_transfer_t *between = &relay->between;
    pb_transfer_limits_t offered = *limits;
    offered.offered = true;
    if (!pb_transfer_start(&relay->inside, role, &offered, piece_size, between->transport,
                           between->message)) {
        return false;
    }
    relay->between.relay = relay;
    return true;
}

void pb_relay_go_on(pb_relay_t *relay)
{
    pb_transfer_offer(&relay->inside, pb_transfer_here(&relay->between), relay->between.error);
}

bool pb_relay_advance(pb_relay_t *relay)
{
    const bool between_is_through = pb_transfer_advance(&relay->between);
    pb_relay_go_on(relay);
    const bool inside_is_through = pb_transfer_advance(&relay->inside);
    if (relay->between.broken != relay->inside.broken) {
        pb_transfer_refuse(relay->between.broken ? &relay->inside : &relay->between,
                           pb_relay_error(relay));
        return false; /* what is under way ends now */
    }
    return inside_is_through && between_is_through;
}

int pb_relay_refused(const pb_relay_t *relay)
{
    return relay->between.broken || relay->inside.broken ? pb_relay_error(relay) : 0;
}
