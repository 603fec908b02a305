/*
 * The transport: how a transfer sends and receives the bytes of segments.
 *
 * The plugin implements it over the PML (pml/transport.c); the
 * engine's unit tests implement it in memory. Messages between two ranks do not
 * overtake each other.
 */
#ifndef PB_TRANSPORT_H
#define PB_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "topo/util/error.h"

typedef struct pb_transport pb_transport_t;

/** One send or receive under way; NULL is none. */
typedef void *pb_request_t;

/**
 * Starts to send `bytes` from `buffer`, which stays untouched until the request is done. With
 * `synchronous` the send is done only when the receiver has matched it. *request_p becomes NULL if
 * it was done immediately, without error. Returns 0 or the transport's own error code; on error
 * there is no request.
 */
int pb_transport_send(pb_transport_t *transport, const void *buffer, size_t bytes, int rank,
                      bool synchronous, pb_request_t *request_p);

struct pb_lane;

/**
 * Starts to receive `bytes` into `buffer`. As pb_transport_send(), but there always is a
 * request. If `lane` is not NULL, the transport may call pb_transfer_arrived() for it when the
 * receive ends.
 */
int pb_transport_receive(pb_transport_t *transport, void *buffer, size_t bytes, int rank,
                         struct pb_lane *lane, pb_request_t *request_p);

/**
 * Returns whether a send is done. If so, gives the request back, sets *request_p to NULL, and
 * *error_p to 0 or the error. Makes no progress by itself.
 */
bool pb_transport_sent(pb_transport_t *transport, pb_request_t *request_p, int *error_p);

/**
 * Returns whether a receive is done, as above. *error_p is PB_ERR_EMPTY if an empty message has
 * come where `bytes` were wanted, and the transport's own error for any other wrong number.
 */
bool pb_transport_arrived(pb_transport_t *transport, pb_request_t *request_p, size_t bytes,
                          int *error_p);

/** Takes a receive whose end the library has reported, see pb_transfer_arrived(): the request is
 * given back, *request_p becomes NULL. Returns 0 or an error as above. */
int pb_transport_take(pb_transport_t *transport, pb_request_t *request_p, size_t bytes);

/**
 * Asks a receive to end early. It still has to become done, which the transport does not begin
 * to report after this. May be called again.
 */
void pb_transport_cancel(pb_transport_t *transport, pb_request_t request);

/**
 * Gives a request up that did not end after an error. A receive was asked to end so long ago that
 * no thread still reports its end: its lane may be gone.
 */
void pb_transport_abandon(pb_transport_t *transport, pb_request_t *request_p);

#endif
