/*
 * One rank's part in the broadcast to a group: the header to its children, then
 * the segments. The same at the root, which begins it when the group is formed,
 * and at a member, which begins it when the header has come.
 */
#ifndef PB_ARRIVAL_GROUP_H
#define PB_ARRIVAL_GROUP_H

#include "engine/arrival/caller.h"
#include "engine/passing.h"

typedef struct pb_arrival_group {
    pb_passing_t passing;
    bool running; /**< the transfer is to be finished */
    pb_transfer_t transfer;
} pb_arrival_group_t;

/**
 * Starts this rank's `role`, borrowed for the call, in the group of `header`, whose `length`
 * bytes at `bytes` stay untouched until the end. 0, or PB_ERR_NO_MEMORY
 * where that is so at a second try, too: then nothing was started, and the children of this rank
 * wait in vain.
 */
int pb_arrival_group_start(pb_arrival_group_t *group, const pb_arrival_env_t *env,
                           const pb_arrival_header_t *header, const pb_role_t *role,
                           const uint8_t *bytes, size_t length);

/** As pb_transfer_advance(). */
bool pb_arrival_group_advance(pb_arrival_group_t *group);

/** The first error of the group, 0 if none. */
int pb_arrival_group_error(const pb_arrival_group_t *group);

/** Whether the transport refused, so that what is under way may never end. */
bool pb_arrival_group_is_broken(const pb_arrival_group_t *group);

/** As pb_transfer_cancel(); for a group that does not run, too. */
void pb_arrival_group_cancel(pb_arrival_group_t *group);

/** Gives everything back; what is under way (after an error) is abandoned. May be called twice. */
void pb_arrival_group_finish(pb_arrival_group_t *group);

#endif
