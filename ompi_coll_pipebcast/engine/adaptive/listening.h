/*
 * Listening for announcements: one header at a time, from any rank.
 *
 * Broadcasts that follow each other with the same tags, as the starts of a persistent one do,
 * share a listening: what comes while a rank is still at an earlier one is kept for the one that
 * it is for. One is enough to keep, as the root announces no further one before every rank has
 * taken that (engine/adaptive/settling.h). What is listened for stays posted between them: a header
 * that is just coming when a broadcast ends could be neither taken nor refused then.
 */
#ifndef PB_LISTENING_H
#define PB_LISTENING_H

#include "engine/control.h"

#include <stdint.h>

typedef struct pb_listening {
    uint8_t *header;      /**< memory for one; NULL: none yet */
    size_t length;        /**< of what has come */
    bool has_heard;       /**< a header is here that was not taken */
    pb_request_t request; /**< for one; NULL: nothing is posted */
} pb_listening_t;

/** Has room for headers of `room` bytes, always as many. False if out of memory. */
bool pb_listening_make_room(pb_listening_t *listening, size_t room);

/** Listens, unless it does or a header is here already. 0 or the caller's error code. */
int pb_listening_post(pb_listening_t *listening, pb_control_t *control, size_t room);

/** Whether a header is here; or else *error_p, which is 0 before, is the caller's error code. */
bool pb_listening_hear(pb_listening_t *listening, pb_control_t *control, int *error_p);

/** The header that is here was taken, and is no longer needed. */
void pb_listening_take(pb_listening_t *listening);

/** Gives everything back; for a listening of zeros, too. Nothing is on its way to it any more. */
void pb_listening_stop(pb_listening_t *listening, pb_control_t *control);

#endif
