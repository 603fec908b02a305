/*
 * One rank's part of an adaptive broadcast: down the tree that all ranks know, or down
 * another one that the root announces.
 *
 * Silence means that nothing has changed: receivers post receives for the first segments from
 * their parents in the known tree, and one for a header from anyone. As long as the tree
 * stays, no header is sent and the broadcast costs what a plain one costs. When the root has
 * another tree, it sends nothing down the known one: the header goes down the new tree, each
 * rank learns its part from it, gives up the receives that it had posted, and takes part in the
 * new tree. So an announcement never crosses a link that the new tree avoids. Segments of the
 * known tree, of the new one, and headers have a tag each, which no other broadcast has.
 *
 * This is ours; the paper (4, section 2.5) sends the tree with every broadcast.
 */
#ifndef PB_ADAPTIVE_H
#define PB_ADAPTIVE_H

#include "engine/adaptive/delivery.h"
#include "engine/control.h"
#include "engine/passing.h"
#include "engine/transfer.h"
#include "topo/util/error.h"

typedef struct pb_adaptive_caller pb_adaptive_caller_t;

/** This rank's part in a tree. */
typedef struct pb_adaptive_part {
    const pb_role_t *role; /**< borrowed */
    size_t segment_size;   /**< bytes */
} pb_adaptive_part_t;

/** The two trees of an operation: that which all ranks know, and one that is announced. */
typedef enum { PB_ADAPTIVE_KNOWN, PB_ADAPTIVE_ANNOUNCED, PB_ADAPTIVE_N_TREES } pb_adaptive_tree_t;

/** What one rank's part works with; all borrowed. */
typedef struct pb_adaptive_env {
    pb_adaptive_caller_t *caller;
    pb_control_t *control;
    pb_transport_t *transport[PB_ADAPTIVE_N_TREES];
    size_t room;  /**< bytes of the longest header */
    size_t total; /**< bytes of the message, > 0 */
} pb_adaptive_env_t;

/** Nanoseconds on a clock of this rank that never goes back. */
int64_t pb_adaptive_caller_now(pb_adaptive_caller_t *caller);

/**
 * A header has come for this broadcast: the tree in it is from now on the known one. This rank's
 * part in it, whose role is borrowed until the next call. 0 or the caller's error code.
 */
int pb_adaptive_caller_learn(pb_adaptive_caller_t *caller, const uint8_t *bytes, size_t length,
                             pb_adaptive_part_t *part);

/**
 * The user's message cut for one of the trees, until the next call for that tree, and the limits of
 * a transfer with it.
 * Where it cannot be had, one that answers every question with the error.
 */
pb_message_t *pb_adaptive_caller_message(pb_adaptive_caller_t *caller, pb_adaptive_tree_t tree,
                                         const pb_adaptive_part_t *part,
                                         pb_transfer_limits_t *limits_p);

typedef struct pb_adaptive {
    pb_adaptive_env_t env;
    uint8_t *header;     /**< room for one that comes; NULL at the root */
    pb_request_t listen; /**< the receive for it; NULL: none is posted */
    pb_passing_t passing;
    pb_adaptive_tree_t tree;           /**< which one it is */
    bool running[PB_ADAPTIVE_N_TREES]; /**< the transfer is to be finished */
    pb_transfer_t transfer[PB_ADAPTIVE_N_TREES];
    pb_delivery_t delivery; /**< in `tree` */
    int error;              /**< the first that no transfer has */
    bool broken;            /**< the transport refused; nothing new is started */
} pb_adaptive_t;

/**
 * Starts the root's part, from its part in the known tree (`header` NULL) or in one that the
 * `length` bytes of `header`, untouched until the end, announce. False if out of memory.
 */
bool pb_adaptive_start_root(pb_adaptive_t *adaptive, const pb_adaptive_env_t *env,
                            const pb_adaptive_part_t *part, const uint8_t *header, size_t length);

/**
 * Starts a receiver's part, from its part in the known tree, and listens for a header. False if
 * out of memory.
 */
bool pb_adaptive_start_receiver(pb_adaptive_t *adaptive, const pb_adaptive_env_t *env,
                                const pb_adaptive_part_t *part);

/** As pb_transfer_advance(). */
bool pb_adaptive_advance(pb_adaptive_t *adaptive);

/** The first error, 0 if none; may be PB_ERR_EMPTY. */
int pb_adaptive_error(const pb_adaptive_t *adaptive);

/** Whether the transport refused, so that what is under way may never end. */
bool pb_adaptive_is_broken(const pb_adaptive_t *adaptive);

/** As pb_transfer_cancel(); the error is PB_ERR_EMPTY unless there was one. */
void pb_adaptive_cancel(pb_adaptive_t *adaptive);

/** Gives everything back; what is under way (after an error) is abandoned. */
void pb_adaptive_finish(pb_adaptive_t *adaptive);

#endif
