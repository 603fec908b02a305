/*
 * A transfer in segments and one in pieces, the one fed by the other; see engine/relay.h.
 */
#include "engine/relay.h"

bool pb_relay_start(pb_relay_t *relay, const pb_role_t *role, const pb_transfer_limits_t *limits,
                    size_t piece_size, pb_transport_t *transport, pb_message_t *message)
{
    pb_transfer_limits_t offered = *limits;
    offered.offered = true;
    const size_t total = relay->between.total;
    if (!pb_transfer_start(&relay->inside, role, &offered, total, piece_size, transport, message)) {
        return false;
    }
    relay->awaited = piece_size < total ? piece_size : total;
    relay->between.relay = relay;
    return true;
}

size_t pb_relay_here(const pb_transfer_t *between)
{
    const uint64_t n_streams = (uint64_t) between->n_streams;
    uint64_t missing = between->n_segments;
    for (uint64_t stream = 0; stream < n_streams; stream++) {
        missing = between->missing[stream] < missing ? between->missing[stream] : missing;
    }
    return missing == between->n_segments ? between->total
                                          : (size_t) missing * between->segment_size;
}

void pb_relay_go_on(pb_relay_t *relay)
{
    pb_transfer_t *inside = &relay->inside;
    const size_t bytes = pb_relay_here(&relay->between);
    if (bytes < relay->awaited || inside->missing[0] == inside->n_segments) {
        return;
    }
    const uint64_t n = bytes == inside->total ? inside->n_segments : bytes / inside->segment_size;
    const size_t next = (size_t) (n + 1) * inside->segment_size;
    relay->awaited = next < inside->total ? next : inside->total;
    pb_transfer_offer(inside, n, relay->between.error);
}

bool pb_relay_advance(pb_relay_t *relay)
{
    const bool between_is_through = pb_transfer_advance(&relay->between);
    pb_relay_go_on(relay);
    const bool inside_is_through = pb_transfer_advance(&relay->inside);
    if (relay->between.broken != relay->inside.broken) {
        relay->refused = pb_relay_error(relay);
        pb_transfer_cancel(relay->between.broken ? &relay->inside : &relay->between);
        return false; /* what is under way ends now */
    }
    return inside_is_through && between_is_through;
}

int pb_relay_error(const pb_relay_t *relay)
{
    return relay->refused != 0         ? relay->refused
           : relay->between.error != 0 ? relay->between.error
                                       : relay->inside.error;
}

int pb_relay_refused(const pb_relay_t *relay)
{
    return relay->between.broken || relay->inside.broken ? pb_relay_error(relay) : 0;
}
