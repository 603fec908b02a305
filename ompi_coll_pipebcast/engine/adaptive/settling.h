/*
 * Settling an announcement: the root learns that every rank has taken it.
 *
 * A word goes up the tree in which the header went down (engine/passing.h): a rank reports to its
 * parent when it has left the tree before and all its children have reported. Only where tags come
 * again is that needed. Then no rank can meet the next announcement, nor what is sent in the tree
 * of it, before it has taken this one; so one header is enough to keep, and the segments of two
 * trees that follow each other need two tags.
 */
#ifndef PB_SETTLING_H
#define PB_SETTLING_H

#include "engine/control.h"
#include "topo/trees/role.h"

typedef struct pb_settling {
    pb_control_t *control; /**< borrowed; its tag is that of these words alone */
    int parent;            /**< rank; -1: this is the root */
    int n_missing;         /**< children that have not reported */
    bool has_reported;
    pb_request_t receive; /**< of a child's word; NULL: none is posted */
    pb_request_t send;    /**< of the own one */
    char came, own;       /**< the words, which say nothing but that they are there */
    int error;            /**< the first, 0 if none; then nothing more is started */
} pb_settling_t;

/** For a rank with this role in the tree of the header. */
void pb_settling_init(pb_settling_t *settling, pb_control_t *control, const pb_role_t *role);

/**
 * Does what can be done without waiting. `has_left`: this rank waits for nothing in the tree before
 * any more. True when the word has left, at the root when all have come; or there is an error.
 */
bool pb_settling_advance(pb_settling_t *settling, bool has_left);

/** Withdraws what is under way (after an error). For a settling of zeros, too. */
void pb_settling_finish(pb_settling_t *settling);

#endif
