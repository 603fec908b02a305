/*
 * How the members of a group join it: what its first rank offers, what all of them can do, and what
 * follows (ours).
 *
 * Control messages go along a tree, in three passes: the *offer* down it, in which the root names
 * the group and its key; the *answers* up it, whether every rank could join, and the least that any
 * of them can take; and the *terms* down it, on which all agree. Who has the terms knows that all
 * have joined.
 *
 * A state machine like pb_transfer_t; it never blocks. It asks its caller to join, when the
 * offer is here: PB_JOINING_OFFERED.
 */
#ifndef PB_MULTICAST_JOINING_H
#define PB_MULTICAST_JOINING_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/control.h"
#include "engine/multicast/frame.h"
#include "topo/trees/role.h"

/** Bytes of the longest message. */
#define PB_JOINING_BYTES 48

/** What the root offers. */
typedef struct pb_joining_offer {
    bool is_refused;  /**< there is no group: the rest is not known */
    uint32_t address; /**< of the group; IPv4, as a number */
    uint16_t port;
    pb_frame_rule_t rule;
} pb_joining_offer_t;

/** What a rank, or all ranks of a subtree, can do. */
typedef struct pb_joining_answer {
    bool has_joined;
    uint32_t frame_bytes; /**< of the largest frame with its header */
    uint32_t capacity;    /**< frames that wait to be taken in; UINT32_MAX: it hears none */
} pb_joining_answer_t;

/** On what all have agreed. */
typedef struct pb_joining_terms {
    bool is_refused;  /**< there is no group: some rank could not join */
    uint32_t payload; /**< bytes of a frame without its header */
    uint32_t window;  /**< frames */
    int64_t patience; /**< nanoseconds that a word takes up the tree, and some times more */
} pb_joining_terms_t;

typedef enum {
    PB_JOINING_LISTENING,  /**< for the offer */
    PB_JOINING_OFFERED,    /**< the caller is to join, and to answer */
    PB_JOINING_COLLECTING, /**< answers of children are to come */
    PB_JOINING_ANSWERING,  /**< the answer is on its way to the parent */
    PB_JOINING_WAITING,    /**< for the terms */
    PB_JOINING_PASSING,    /**< the terms to one child after another */
    PB_JOINING_THROUGH,
} pb_joining_state_t;

/** One rank's part. */
typedef struct pb_joining {
    pb_control_t *control; /**< borrowed */
    pb_joining_state_t state;
    int parent;    /**< -1: this is the root */
    int *children; /**< in the room that was borrowed */
    int n_children;
    int n_offered;  /**< children to which the offer was sent */
    int n_answered; /**< children that have answered */
    int n_passed;   /**< children to which the terms were sent */
    int64_t since;  /**< at the root: nanoseconds, when it began */
    pb_joining_offer_t offer;
    pb_joining_answer_t answer; /**< of this rank and those below that have answered */
    pb_joining_terms_t terms;
    pb_request_t receive; /**< of the next message; NULL: none is posted */
    pb_request_t send;    /**< under way; NULL: none is */
    uint8_t in[PB_JOINING_BYTES];
    uint8_t out[PB_JOINING_BYTES];
    int error; /**< the first error, 0 if none; then nothing new is started */
} pb_joining_t;

/**
 * Begins along the tree of stream 0 of `role`. `offer` is the root's, NULL elsewhere. `room`, for
 * as many ranks as the role has children, is borrowed until the end. `now` is in nanoseconds on a
 * clock of this rank that does not go back. Needs no memory and sends nothing. O(children).
 */
void pb_joining_start(pb_joining_t *joining, pb_control_t *control, const pb_role_t *role,
                      const pb_joining_offer_t *offer, int *room, int64_t now);

/** What this rank can do, where the state is PB_JOINING_OFFERED. */
void pb_joining_answer(pb_joining_t *joining, const pb_joining_answer_t *answer);

/**
 * Does what can be done without waiting. True when it is through, or there is an error. It stops at
 * PB_JOINING_OFFERED. May be called again after that. O(children).
 */
bool pb_joining_advance(pb_joining_t *joining, int64_t now);

/** Withdraws what is under way, after an error. May be called twice. */
void pb_joining_finish(pb_joining_t *joining);

#endif
