/*
 * Control messages: short messages next to a broadcast's segments. Receivers report by them that
 * they have arrived, and the root announces the members of a group.
 *
 * The plugin implements this over the PML with a tag of its own for each operation (pml/control.c);
 * the engine's unit tests in memory. Messages between two ranks do not overtake each other. A
 * control message is small enough to go without waiting for its receiver.
 */
#ifndef PB_CONTROL_H
#define PB_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/transport.h"

typedef struct pb_control pb_control_t;

/**
 * Sends `bytes` from `buffer`, which the caller may use again when this returns. 0 or the caller's
 * error code. The message goes on by itself, whatever becomes of its sender's broadcast.
 */
int pb_control_send(pb_control_t *control, const void *buffer, size_t bytes, int rank);

/**
 * Starts to receive one message of at most `room` bytes from any rank. It is written to `buffer` by
 * pb_control_received() alone. 0, or the caller's error code: then there is no request.
 */
int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p);

/**
 * Returns whether a receive is done. If so, gives the request back, sets *request_p to NULL, and
 * *error_p to 0 or the error. Without error, sets the sender and the bytes. Makes no progress by
 * itself.
 */
bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p);

/** Gives up a receive that is no longer wanted, if there is one. The request is gone. */
void pb_control_withdraw(pb_control_t *control, pb_request_t *request_p);

#endif
