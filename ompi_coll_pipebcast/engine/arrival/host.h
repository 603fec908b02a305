/*
 * What an arrival-aware broadcast needs from its host beside engine/transport.h and
 * engine/control.h: the time, the network's trees, and the user's message.
 *
 * The plugin implements this (operation/arrival.c); the engine's unit tests
 * in memory.
 */
#ifndef PB_ARRIVAL_HOST_H
#define PB_ARRIVAL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/arrival/credit.h"
#include "engine/arrival/header.h"
#include "engine/arrival/mode.h"
#include "engine/control.h"
#include "engine/message.h"
#include "engine/role.h"
#include "engine/transfer.h"
#include "engine/transport.h"

/** Errors of the engine's own, which the host translates. */
#define PB_ARRIVAL_NO_MEMORY (-1000002)
#define PB_ARRIVAL_MALFORMED (-1000003) /**< a control message that no one should have sent */

typedef struct pb_arrival_host pb_arrival_host_t;

/** What one rank's part of one operation works with; all borrowed. */
typedef struct pb_arrival_env {
    pb_arrival_host_t *host;
    pb_control_t *control;
    pb_transport_t *transport;
    int n_ranks;
    int rank;
    int root;
    size_t total;                  /**< bytes of the message, > 0 */
    const pb_arrival_mode_t *mode; /**< NULL: a person has decided */
    pb_arrival_credit_t *credit;   /**< at the root; NULL: nothing is sent unasked (arrival_b) */
} pb_arrival_env_t;

/** Nanoseconds on a clock of this rank that never goes back. */
int64_t pb_arrival_host_now(pb_arrival_host_t *host);

/**
 * The other ranks in the root's depth-first order, n_ranks - 1 of them; owned by
 * the host. NULL if out of memory. Asked at the root only.
 */
const int *pb_arrival_host_order(pb_arrival_host_t *host);

/**
 * Chooses for a group whose members are set: fills header->kind and
 * header->segment_size. Where header->unasked is set, segments are so small that
 * they go without waiting for their receiver. Asked at the root only. 0,
 * PB_ARRIVAL_NO_MEMORY, or the host's error code if no tree can be had.
 */
int pb_arrival_host_choose(pb_arrival_host_t *host, pb_arrival_header_t *header);

/**
 * This rank's role in the group, borrowed until the next call. NULL with
 * *error_p: PB_ARRIVAL_NO_MEMORY, or the host's code if the kind does not fit.
 */
const pb_role_t *pb_arrival_host_role(pb_arrival_host_t *host, const pb_arrival_header_t *header,
                                      int *error_p);

/**
 * Memory has run out. Whether the host had kept some for that, which can be had now: then
 * what has failed can be done once more.
 */
bool pb_arrival_host_spare(pb_arrival_host_t *host);

/**
 * The user's message cut for the group, until the next call for a group of the
 * same kind, asked or unasked, and the limits of a transfer with it. Where it cannot be had
 * (memory, another size than the user's), one that answers every question with the error, so that
 * the rank can still tell its children.
 */
pb_message_t *pb_arrival_host_message(pb_arrival_host_t *host, const pb_arrival_header_t *header,
                                      const pb_role_t *role, pb_transfer_limits_t *limits_p);

#endif
