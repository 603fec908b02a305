/*
 * Delivery rates of a transfer's parents; see adaptive/delivery.h.
 */
#include "adaptive/delivery.h"

/** Segments that have come from a parent: those of its streams, as no other delivers them. */
static uint64_t arrived_from(const pb_transfer_t *transfer, const pb_lane_t *lane)
{
    uint64_t n = 0;
    for (int stream = 0; stream < transfer->n_streams; stream++) {
        const uint64_t ended = transfer->missing[stream] / (uint64_t) transfer->n_streams;
        n += (lane->mask >> stream & 1) != 0 ? ended : 0;
    }
    return n;
}

void pb_delivery_look(pb_delivery_t *delivery, const pb_transfer_t *transfer, int64_t now)
{
    for (int i = 0; i < transfer->n_parents; i++) {
        pb_delivery_parent_t *parent = &delivery->parent[i];
        const uint64_t n = arrived_from(transfer, &transfer->lanes[i]);
        if (!delivery->looked) {
            parent->waited = n == 0 || delivery->waited;
        }
        if (n == parent->n_now) {
            continue;
        }
        if (parent->n_now == 0) {
            parent->n_first = n;
            parent->first = now;
        }
        parent->n_now = n;
        parent->last = now;
    }
    delivery->looked = true;
}

/** The last segment of the message is shorter than the others: by how much, if it came here. */
static uint64_t shortfall(const pb_transfer_t *transfer, const pb_lane_t *lane)
{
    const uint64_t last = transfer->n_segments - 1;
    const bool is_here = (lane->mask >> last % (uint64_t) transfer->n_streams & 1) != 0;
    return is_here ? transfer->n_segments * transfer->segment_size - transfer->message->total : 0;
}

bool pb_delivery_rate(const pb_delivery_t *delivery, const pb_transfer_t *transfer, int i,
                      uint64_t *bytes_p, int64_t *taken_p)
{
    const pb_delivery_parent_t *parent = &delivery->parent[i];
    if (!parent->waited || parent->n_now < parent->n_first + PB_DELIVERY_LEAST_SEGMENTS ||
        parent->last <= parent->first || transfer->error != 0) {
        return false;
    }
    *bytes_p = (parent->n_now - parent->n_first) * transfer->segment_size -
               shortfall(transfer, &transfer->lanes[i]);
    *taken_p = parent->last - parent->first;
    return true;
}
