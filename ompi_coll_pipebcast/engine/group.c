/*
 * One rank's part in a group; see engine/group.h.
 */
#include "engine/group.h"

#include <stdlib.h>

/** The stream in whose tree headers travel. */
#define STREAM 0

static void send_headers(pb_transfer_t *transfer, pb_control_t *control, const pb_role_t *role,
                         const uint8_t *bytes, size_t length)
{
    for (int i = 0; i < role->n_children && !transfer->broken; i++) {
        const int error = pb_role_has_child_in(role, i, STREAM)
                              ? pb_control_send(control, bytes, length, role->child[i])
                              : PB_SUCCESS;
        if (error != 0) {
            pb_transfer_refuse(transfer, error);
        }
    }
}

static bool start(pb_transfer_t *transfer, const pb_group_part_t *part, pb_transport_t *transport)
{
    return pb_transfer_start(transfer, part->role, &part->limits, part->segment_size, transport,
                             part->message);
}

int pb_group_start(pb_transfer_t *transfer, pb_control_t *control, pb_transport_t *transport,
                   const pb_group_part_t *part, const uint8_t *bytes, size_t length)
{
    if (!start(transfer, part, transport) && !start(transfer, part, transport)) {
        return PB_ERR_NO_MEMORY;
    }
    send_headers(transfer, control, part->role, bytes, length);
    return 0;
}

void pb_member_refuse(pb_member_t *member, int error)
{
    pb_keep_first_error(&member->error, error);
    member->is_refused = true;
}

bool pb_member_start(pb_member_t *member, pb_control_t *control, pb_transport_t *transport,
                     size_t room, pb_member_join_t *join, void *caller)
{
    *member = (pb_member_t){.control = control,
                            .transport = transport,
                            .join = join,
                            .caller = caller,
                            .bytes = malloc(room)};
    if (member->bytes == NULL) {
        return false;
    }
    const int error = pb_control_receive(control, member->bytes, room, &member->listening);
    if (error != 0) {
        pb_member_refuse(member, error);
    }
    return true;
}

/** Takes part in the group of the header that is here. */
static int take_part(pb_member_t *member, size_t length)
{
    pb_group_part_t part;
    const int error = member->join(member->caller, member->bytes, length, &part);
    return error != 0 ? error
                      : pb_group_start(&member->transfer, member->control, member->transport, &part,
                                       member->bytes, length);
}

int pb_member_start_as_root(pb_member_t *member, pb_control_t *control, pb_transport_t *transport,
                            uint8_t *header, size_t length, pb_member_join_t *join, void *caller)
{
    *member = (pb_member_t){.control = control,
                            .transport = transport,
                            .join = join,
                            .caller = caller,
                            .bytes = header};
    const int error = take_part(member, length);
    if (error != 0) {
        pb_member_finish(member);
    }
    return error;
}

/** Takes part in the header's group if it has come. */
static void listen(pb_member_t *member)
{
    size_t length;
    int from, error = 0;
    if (!pb_control_received(member->control, &member->listening, &from, &length, &error)) {
        return;
    }
    error = error != 0 ? error : take_part(member, length);
    if (error != 0) {
        pb_member_refuse(member, error);
    }
}

bool pb_member_advance(pb_member_t *member)
{
    if (member->listening != NULL && !member->is_refused) {
        listen(member);
    }
    return pb_transfer_is_started(&member->transfer) ? pb_transfer_advance(&member->transfer)
                                                     : member->is_refused;
}

int pb_member_error(const pb_member_t *member)
{
    return member->error != 0 ? member->error : member->transfer.error;
}

bool pb_member_is_broken(const pb_member_t *member)
{
    return member->is_refused || member->transfer.broken;
}

void pb_member_cancel(pb_member_t *member)
{
    member->is_refused = true;
    pb_transfer_cancel(&member->transfer);
}

void pb_member_finish(pb_member_t *member)
{
    pb_transfer_finish(&member->transfer);
    pb_control_withdraw(member->control, &member->listening);
    free(member->bytes);
    member->bytes = NULL;
}
