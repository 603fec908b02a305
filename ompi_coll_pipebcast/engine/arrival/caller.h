/*
 * What an arrival-aware broadcast asks of its caller, beside engine/transport.h and
 * engine/control.h: the time, the trees of groups, and the user's message.
 *
 * The plugin implements this (operation/arrival/caller.c); the engine's unit tests
 * in memory.
 */
#ifndef PB_ARRIVAL_CALLER_H
#define PB_ARRIVAL_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/arrival/credit.h"
#include "engine/arrival/header.h"
#include "engine/arrival/mode.h"
#include "engine/control.h"
#include "engine/message.h"
#include "engine/transfer.h"
#include "engine/transport.h"
#include "topo/trees/role.h"

typedef struct pb_arrival_caller pb_arrival_caller_t;

/** What one rank's part of one operation works with; all borrowed. */
typedef struct pb_arrival_env {
    pb_arrival_caller_t *caller;
    pb_control_t *control;
    pb_transport_t *transport;
    int n_ranks;
    int rank;
    int root;
    size_t total;                  /**< bytes of the message, > 0 */
    const pb_arrival_mode_t *mode; /**< NULL: the user has decided */
    pb_arrival_credit_t *credit;   /**< at the root; NULL: nothing is sent unasked (arrival_b) */
    bool is_patient; /**< at the root: not before no one has come for a message's time */
} pb_arrival_env_t;

/** Nanoseconds on a clock of this rank that never goes back. */
int64_t pb_arrival_caller_now(pb_arrival_caller_t *caller);

/**
 * The other ranks in the root's depth-first order, n_ranks - 1 of them; owned by
 * the caller. NULL if out of memory. Asked at the root only.
 */
const int *pb_arrival_caller_order(pb_arrival_caller_t *caller);

/**
 * Chooses for a group whose members are set: fills header->kind and
 * header->segment_size, and *role_p with this rank's role in it, borrowed until the next call.
 * Where header->unasked is set, segments are so small that they go without waiting for their
 * receiver. Asked at the root only. 0, PB_ERR_NO_MEMORY, or the caller's error code.
 */
int pb_arrival_caller_choose(pb_arrival_caller_t *caller, pb_arrival_header_t *header,
                             const pb_role_t **role_p);

/**
 * This rank's role in the group of a header that has come, borrowed until the next call. 0,
 * PB_ERR_NO_MEMORY, or the caller's error code if the kind does not fit.
 */
int pb_arrival_caller_role(pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                           const pb_role_t **role_p);

/**
 * The user's message cut for the group, until the next call for a group of the
 * same kind, asked or unasked, and the limits of a transfer with it. Where it cannot be had
 * (memory, another size than the user's), one that answers every question with the error, so that
 * the rank can still send to its children.
 */
pb_message_t *pb_arrival_caller_message(pb_arrival_caller_t *caller,
                                        const pb_arrival_header_t *header, const pb_role_t *role,
                                        pb_transfer_limits_t *limits_p);

#endif
