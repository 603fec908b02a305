/*
 * A receiver's part of an arrival-aware broadcast (paper 3, figures 4 and 5): it
 * reports to the root that it has arrived, waits for the header of a group that it
 * belongs to, from whoever is its parent there, and takes part in that group.
 *
 * It sends exactly one ARRIVED, even if the header was waiting already: so the
 * root can count them, and none is left over. Sending it is no round trip.
 *
 * A state machine like pb_transfer_t; it never blocks.
 */
#ifndef PB_ARRIVAL_RECEIVER_H
#define PB_ARRIVAL_RECEIVER_H

#include "engine/arrival/group.h"

typedef struct pb_arrival_receiver {
    pb_arrival_env_t env;
    uint8_t notice;         /**< the content of ARRIVED: a pb_arrival_report_t */
    pb_request_t notifying; /**< ARRIVED on its way; NULL: it has left */
    pb_request_t listening; /**< the receive of the header; NULL: it has come */
    uint8_t *bytes;         /**< the header's */
    size_t length;          /**< of the header; 0: none has come */
    int64_t started;        /**< when this rank arrived, in nanoseconds */
    int64_t waited;         /**< nanoseconds from then until the header came; 0: none has come */
    pb_arrival_header_t header;
    pb_arrival_group_t group;
    int error;   /**< the first error beside the group's, 0 if none */
    bool broken; /**< the transport refused; nothing new is started */
} pb_arrival_receiver_t;

/** Sends ARRIVED. False if out of memory; then nothing was started. */
bool pb_arrival_receiver_start(pb_arrival_receiver_t *receiver, const pb_arrival_env_t *env);

/** As pb_transfer_advance(). */
bool pb_arrival_receiver_advance(pb_arrival_receiver_t *receiver);

/** The first error, 0 if none; may be PB_ERR_EMPTY. */
int pb_arrival_receiver_error(const pb_arrival_receiver_t *receiver);

/** Whether the transport refused, so that what is under way may never end. */
bool pb_arrival_receiver_is_broken(const pb_arrival_receiver_t *receiver);

/** As pb_transfer_cancel(). */
void pb_arrival_receiver_cancel(pb_arrival_receiver_t *receiver);

/** As pb_transfer_finish(). */
void pb_arrival_receiver_finish(pb_arrival_receiver_t *receiver);

#endif
