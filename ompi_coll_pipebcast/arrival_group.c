/*
 * One rank's part in the broadcast to a group; see arrival_group.h.
 */
#include "arrival_group.h"

#include <stdlib.h>

/** The header travels in the tree of this stream. */
#define HEADER_STREAM UINT32_C(1)

static void keep_first_error(pb_arrival_group_t *group, int error)
{
    if (group->error == 0) {
        group->error = error;
    }
}

/** Starts to send the header to every child; a child that cannot be told ends the group here. */
static void pass_header(pb_arrival_group_t *group, const pb_role_t *role, const uint8_t *bytes,
                        size_t length)
{
    for (int i = 0; i < role->n_targets && !group->broken; i++) {
        if ((role->target_mask[i] & HEADER_STREAM) == 0) {
            continue;
        }
        const int rc = pb_control_send(group->control, bytes, length, role->target[i],
                                       &group->passings[group->n_passings]);
        group->n_passings += rc == 0;
        keep_first_error(group, rc);
        group->broken = rc != 0;
    }
}

static int try_to_start(pb_arrival_group_t *group, const pb_arrival_env_t *env,
                        const pb_arrival_header_t *header, const uint8_t *bytes, size_t length)
{
    pb_transfer_limits_t limits;
    int error;
    *group = (pb_arrival_group_t){.control = env->control};
    const pb_role_t *role = pb_arrival_host_role(env->host, header, &error);
    if (role == NULL) {
        return error;
    }
    group->passings = calloc((size_t) role->n_targets + 1, sizeof(*group->passings));
    pb_message_t *message = pb_arrival_host_message(env->host, header, role, &limits);
    if (group->passings == NULL ||
        !pb_transfer_start(&group->transfer, role, &limits, (size_t) header->total,
                           header->segment_size, env->transport, message)) {
        free(group->passings);
        group->passings = NULL;
        return PB_ARRIVAL_NO_MEMORY;
    }
    group->running = true;
    pass_header(group, role, bytes, length);
    return 0;
}

int pb_arrival_group_start(pb_arrival_group_t *group, const pb_arrival_env_t *env,
                           const pb_arrival_header_t *header, const uint8_t *bytes, size_t length)
{
    const int error = try_to_start(group, env, header, bytes, length);
    return error == PB_ARRIVAL_NO_MEMORY && pb_arrival_host_spare(env->host)
               ? try_to_start(group, env, header, bytes, length)
               : error;
}

/** Takes back the headers that have left; true if none is under way any more. */
static bool reap_headers(pb_arrival_group_t *group)
{
    bool through = true;
    for (int i = 0; i < group->n_passings; i++) {
        int error = 0;
        if (group->passings[i] == NULL) {
            continue;
        }
        if (pb_control_sent(group->control, &group->passings[i], &error)) {
            keep_first_error(group, error);
        } else {
            through = false;
        }
    }
    return through;
}

bool pb_arrival_group_advance(pb_arrival_group_t *group)
{
    const bool headers_left = reap_headers(group);
    if (group->broken) {
        return headers_left;
    }
    return pb_transfer_advance(&group->transfer) && headers_left;
}

int pb_arrival_group_error(const pb_arrival_group_t *group)
{
    return group->error != 0 ? group->error : group->transfer.error;
}

bool pb_arrival_group_is_broken(const pb_arrival_group_t *group)
{
    return group->broken || group->transfer.broken;
}

void pb_arrival_group_finish(pb_arrival_group_t *group)
{
    int rank;
    if (!group->running) {
        return;
    }
    for (int i = 0; i < group->n_passings; i++) {
        if (group->passings[i] != NULL) {
            (void) pb_control_withdraw(group->control, &group->passings[i], &rank);
        }
    }
    free(group->passings);
    group->passings = NULL;
    pb_transfer_finish(&group->transfer);
    group->running = false;
}
