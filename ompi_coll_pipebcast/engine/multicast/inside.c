/*
 * Pieces inside a host, next to a part; see engine/multicast/inside.h.
 */
#include "engine/multicast/inside.h"

typedef pb_multicast_inside_t inside_t;

bool pb_multicast_inside_start(inside_t *inside, const pb_role_t *role,
                               const pb_transfer_limits_t *limits, size_t total, size_t piece_size,
                               pb_transport_t *transport, pb_message_t *message)
{
    const pb_role_t of_host = pb_role_inside_host(role);
    pb_transfer_limits_t offered = *limits;
    offered.offered = true;
    return pb_transfer_start(&inside->transfer, &of_host, &offered, total, piece_size, transport,
                             message);
}

void pb_multicast_inside_join(inside_t *inside, pb_multicast_part_t *part, const pb_role_t *role)
{
    inside->part = part;
    pb_multicast_part_use_pieces(part, role);
}

/** Bytes of the message that the part has from the beginning, without a gap. */
static size_t bytes_here(const pb_window_t *window)
{
    return pb_window_is_complete(window) ? window->total
                                         : (size_t) window->first_missing * window->payload;
}

/** Pieces that are whole now go on, or after an error of the part empty messages. */
static void offer(inside_t *inside)
{
    pb_transfer_t *transfer = &inside->transfer;
    const pb_multicast_part_t *part = inside->part;
    const size_t bytes = bytes_here(&part->window);
    const bool is_all = bytes == transfer->total || part->error != 0;
    const uint64_t n = is_all ? transfer->n_segments : bytes / transfer->segment_size;
    if (n > transfer->arrived[0]) {
        pb_transfer_offer(transfer, n, part->error);
    }
}

/** What has come counts in the part. */
static void feed(inside_t *inside)
{
    const pb_transfer_t *transfer = &inside->transfer;
    const uint64_t n = transfer->arrived[0];
    if (transfer->error != 0) {
        pb_multicast_part_fail(inside->part, transfer->error);
    } else {
        pb_multicast_part_feed(inside->part, n == transfer->n_segments
                                                 ? transfer->total
                                                 : (size_t) n * transfer->segment_size);
    }
}

/** Where one of both is broken, the other ends. */
static void break_together(inside_t *inside)
{
    if (inside->part->broken && !inside->transfer.broken) {
        pb_transfer_cancel(&inside->transfer);
    } else if (inside->transfer.broken && !inside->part->broken) {
        pb_multicast_part_fail(inside->part, inside->transfer.error);
        pb_multicast_part_cancel(inside->part);
    }
}

bool pb_multicast_inside_advance(inside_t *inside)
{
    pb_transfer_t *transfer = &inside->transfer;
    if (!inside->part->is_fed) {
        offer(inside);
    }
    const bool is_through = pb_transfer_advance(transfer);
    if (inside->part->is_fed) {
        feed(inside);
    }
    break_together(inside);
    return is_through;
}

int pb_multicast_inside_refused(const inside_t *inside)
{
    return inside->transfer.broken ? inside->transfer.error : 0;
}

void pb_multicast_inside_cancel(inside_t *inside)
{
    pb_transfer_cancel(&inside->transfer);
}

void pb_multicast_inside_finish(inside_t *inside)
{
    pb_transfer_finish(&inside->transfer);
}
