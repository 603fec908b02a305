/*
 * Receiver's part of an arrival-aware broadcast (paper 3, figures 4 and 5). It reports its arrival
 * to the root, and waits for its group's header, which any rank may send as its parent there. Then
 * it takes part in the group.
 *
 * It sends exactly one ARRIVED, even if the header was waiting already: so the root can count them,
 * and none is left over. Sending it is no round trip.
 *
 * From then on it is a member (engine/group.h).
 */
#ifndef PB_ARRIVAL_RECEIVER_H
#define PB_ARRIVAL_RECEIVER_H

#include "engine/arrival/arrival.h"

/** Stays where it is from start to finish. */
typedef struct pb_arrival_receiver {
    pb_member_t member;
    pb_arrival_env_t env;
    int64_t started; /**< when this rank arrived, in nanoseconds */
    int64_t waited;  /**< nanoseconds from then until the header came; 0: none has come */
    bool has_header;
    pb_arrival_header_t header;
} pb_arrival_receiver_t;

/**
 * Sends ARRIVED, whose content is a pb_arrival_report_t. False if out of memory; then nothing was
 * started.
 */
bool pb_arrival_receiver_start(pb_arrival_receiver_t *receiver, const pb_arrival_env_t *env);

#endif
