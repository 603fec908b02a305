/*
 * The whole message to each child in turn; see engine/turns.h.
 */
#include "engine/turns.h"

#include <stdlib.h>

bool pb_turns_start(pb_turns_t *turns, const pb_role_t *role, const pb_transfer_limits_t *limits,
                    size_t total, size_t segment_size, pb_transport_t *transport,
                    pb_message_t *message)
{
    pb_transfer_limits_t unbounded = *limits;
    uint32_t mask = 1;
    bool started = true;
    unbounded.ahead = 0;
    *turns = (pb_turns_t){0};
    turns->transfers = calloc((size_t) role->n_children + 1, sizeof(*turns->transfers));
    if (turns->transfers == NULL) {
        return false;
    }
    for (int i = 0; i < role->n_children && started; i++) {
        const pb_role_t alone = {
            .n_streams = 1, .n_children = 1, .child = &role->child[i], .child_mask = &mask};
        started = pb_transfer_start(&turns->transfers[i], &alone, &unbounded, total, segment_size,
                                    transport, message);
        turns->n_transfers += started;
    }
    if (!started) {
        pb_turns_finish(turns);
    }
    return started;
}

bool pb_turns_advance(pb_turns_t *turns)
{
    while (turns->turn < turns->n_transfers && !turns->broken) {
        pb_transfer_t *transfer = &turns->transfers[turns->turn];
        /* After an error the children that are left get empty messages. */
        transfer->error = transfer->error != 0 ? transfer->error : turns->error;
        const bool through = pb_transfer_advance(transfer);
        turns->error = transfer->error;
        turns->broken = through && transfer->broken;
        if (!through) {
            return false;
        }
        turns->turn++;
    }
    return true;
}

void pb_turns_cancel(pb_turns_t *turns)
{
    if (turns->turn < turns->n_transfers) {
        pb_transfer_cancel(&turns->transfers[turns->turn]);
    }
}

void pb_turns_finish(pb_turns_t *turns)
{
    for (int i = 0; i < turns->n_transfers; i++) {
        pb_transfer_finish(&turns->transfers[i]);
    }
    free(turns->transfers);
    turns->transfers = NULL;
    turns->n_transfers = 0;
}
