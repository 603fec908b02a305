/*
 * Control messages of the ranks of a world (world.h): engine/control.h in memory. Those of each
 * sender stay in order, those of several come in any; each comes and ends when chance has it.
 * Breaches are the world's.
 */
#ifndef PB_TEST_CONTROL_H
#define PB_TEST_CONTROL_H

#include "engine/control.h"
#include "world.h"

struct pb_control {
    struct controls *controls;
    int rank;
};

/** A message that was sent and not received. */
typedef struct mail {
    struct mail *next;
    int from;
    size_t bytes;
    uint8_t content[];
} mail_t;

/** Where a control message fails. */
typedef enum {
    FAIL_NOTHING,
    FAIL_SEND,
    FAIL_RECEIVE,
    FAIL_RECEIVED,
    FAIL_GARBLED, /**< a message of wrong content comes */
    FAIL_DAMAGED, /**< one comes with another byte somewhere, which may mean something else */
    FAIL_MEMORY,  /**< for the user of controls; see controls_fail() */
} control_failure_t;

typedef struct controls {
    world_t *world;
    pb_control_t *of; /**< by rank */
    mail_t **mail;    /**< by receiver, oldest first */
    bool prompt;      /**< a sent message can be received immediately */
    bool withdraws;   /**< receives may be withdrawn though nothing has failed */
    control_failure_t failure;
    int fail_rank, fail_after;
    bool failed;
    int n_alive; /**< requests */
    int n_taken; /**< messages received */
} controls_t;

/** Aborts if out of memory. */
void controls_init(controls_t *controls, world_t *world);
void controls_fini(controls_t *controls);

/** Tells whether this is what fails at a rank, after as many as do not; the world learns of it. */
bool controls_fail(controls_t *controls, int rank, control_failure_t failure);

#endif
