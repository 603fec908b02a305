/*
 * A group: ranks to which a message goes down a tree that a header announces.
 *
 * The root sends the header, a control message, down the tree of stream 0, and the segments behind
 * it. A member listens for the header from any rank, learns its role from it, passes it on, and
 * takes part. Segments of other streams may reach a rank before its header: they have another tag,
 * and wait.
 *
 * Arrival-aware broadcasts serve such groups (engine/arrival/); an adaptive broadcast is one to the
 * group of all ranks (adaptive/). State machines like pb_transfer_t; they never block.
 */
#ifndef PB_GROUP_H
#define PB_GROUP_H

#include "engine/control.h"
#include "engine/transfer.h"

/** One rank's part in a group; the role is borrowed for the start, the message until the end. */
typedef struct pb_group_part {
    const pb_role_t *role;
    size_t segment_size; /**< bytes, > 0 */
    pb_message_t *message;
    pb_transfer_limits_t limits;
} pb_group_part_t;

/**
 * Starts this rank's part, and sends on the header, `length` bytes at `bytes`. Where the transport
 * refuses that, the transfer is broken. 0, or PB_ERR_NO_MEMORY, where that is so at a second try,
 * too: then nothing was started, and the children of this rank wait in vain.
 */
int pb_group_start(pb_transfer_t *transfer, pb_control_t *control, pb_transport_t *transport,
                   const pb_group_part_t *part, const uint8_t *bytes, size_t length);

/** Reads a header that has come, which stays where it is until the end, and fills *part. 0 or an
 * error. */
typedef int pb_member_join_t(void *caller, uint8_t *bytes, size_t length, pb_group_part_t *part);

/** A rank that waits for the header of its group, and takes part. */
typedef struct pb_member {
    pb_control_t *control;     /**< borrowed */
    pb_transport_t *transport; /**< borrowed */
    pb_member_join_t *join;
    void *caller;           /**< of join */
    uint8_t *bytes;         /**< room for the header */
    pb_request_t listening; /**< the receive of the header; NULL: it has come */
    pb_transfer_t transfer; /**< of the group, from then on */
    int error;              /**< the first besides the transfer's, 0 if none */
    bool is_refused;        /**< nothing new is started */
} pb_member_t;

/** Listens for a header of at most `room` bytes. False if out of memory: nothing was started. */
bool pb_member_start(pb_member_t *member, pb_control_t *control, pb_transport_t *transport,
                     size_t room, pb_member_join_t *join, void *caller);

/**
 * The root, which takes part immediately, by a header of its own that is freed at the end. 0, or an
 * error of `join` or pb_group_start(): nothing was started.
 */
int pb_member_start_as_root(pb_member_t *member, pb_control_t *control, pb_transport_t *transport,
                            uint8_t *header, size_t length, pb_member_join_t *join, void *caller);

/** An error that ends the member: as pb_member_cancel() after it. */
void pb_member_refuse(pb_member_t *member, int error);

/* As for a transfer. */
bool pb_member_advance(pb_member_t *member);
int pb_member_error(const pb_member_t *member);
bool pb_member_is_broken(const pb_member_t *member);
void pb_member_cancel(pb_member_t *member);
void pb_member_finish(pb_member_t *member);

#endif
