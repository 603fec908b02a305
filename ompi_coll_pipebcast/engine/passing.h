/*
 * Passing a header on: the same control message to each child in the tree of stream 0,
 * so that every rank of the tree gets it once. Segments of other streams may reach a rank
 * before its header does: they have another tag, and wait.
 */
#ifndef PB_PASSING_H
#define PB_PASSING_H

#include "engine/control.h"
#include "topo/trees/role.h"

/** The stream in whose tree it travels, as a bit of a mask. */
#define PB_PASSING_STREAM UINT32_C(1)

typedef struct pb_passing {
    pb_control_t *control;  /**< borrowed */
    pb_request_t *requests; /**< the header on its way to each child; NULL entries are done */
    int n_requests;
    int error;   /**< the first, 0 if none */
    bool broken; /**< the transport refused one; nothing more is started */
} pb_passing_t;

/** Makes room for a role's children. False if out of memory; then there is nothing to finish. */
bool pb_passing_init(pb_passing_t *passing, pb_control_t *control, const pb_role_t *role);

/** Starts to send `length` bytes, untouched until the end, to the role's children. */
void pb_passing_start(pb_passing_t *passing, const pb_role_t *role, const uint8_t *bytes,
                      size_t length);

/** Takes back what has left; true if nothing is under way any more. */
bool pb_passing_reap(pb_passing_t *passing);

/** Gives everything back; what is under way (after an error) is withdrawn. May be called twice. */
void pb_passing_finish(pb_passing_t *passing);

#endif
