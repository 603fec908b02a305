/*
 * One rank's part in the broadcast to a group; see engine/arrival/group.h.
 */
#include "engine/arrival/group.h"

static int try_to_start(pb_arrival_group_t *group, const pb_arrival_env_t *env,
                        const pb_arrival_header_t *header, const pb_role_t *role,
                        const uint8_t *bytes, size_t length)
{
    pb_transfer_limits_t limits;
    *group = (pb_arrival_group_t){0};
    const bool has_room = pb_passing_init(&group->passing, env->control, role);
    pb_message_t *message = pb_arrival_caller_message(env->caller, header, role, &limits);
    if (!has_room || !pb_transfer_start(&group->transfer, role, &limits, (size_t) header->total,
                                        header->segment_size, env->transport, message)) {
        pb_passing_finish(&group->passing);
        return PB_ERR_NO_MEMORY;
    }
    group->running = true;
    pb_passing_start(&group->passing, role, bytes, length);
    return 0;
}

int pb_arrival_group_start(pb_arrival_group_t *group, const pb_arrival_env_t *env,
                           const pb_arrival_header_t *header, const pb_role_t *role,
                           const uint8_t *bytes, size_t length)
{
    const int rc = try_to_start(group, env, header, role, bytes, length);
    return rc == PB_ERR_NO_MEMORY ? try_to_start(group, env, header, role, bytes, length) : rc;
}

bool pb_arrival_group_advance(pb_arrival_group_t *group)
{
    const bool headers_left = pb_passing_reap(&group->passing);
    if (group->passing.broken) {
        return headers_left;
    }
    return pb_transfer_advance(&group->transfer) && headers_left;
}

int pb_arrival_group_error(const pb_arrival_group_t *group)
{
    return group->passing.error != 0 ? group->passing.error : group->transfer.error;
}

bool pb_arrival_group_is_broken(const pb_arrival_group_t *group)
{
    return group->passing.broken || group->transfer.broken;
}

void pb_arrival_group_cancel(pb_arrival_group_t *group)
{
    if (group->running) {
        pb_transfer_cancel(&group->transfer);
    }
}

void pb_arrival_group_finish(pb_arrival_group_t *group)
{
    if (!group->running) {
        return;
    }
    pb_passing_finish(&group->passing);
    pb_transfer_finish(&group->transfer);
    group->running = false;
}
