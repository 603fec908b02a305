/*
 * Root's part of an arrival-aware broadcast (paper 3, section 4). It collects ARRIVED from the
 * receivers. When its port is free, it broadcasts to the group of the ranks that have arrived and
 * were not served.
 *
 * A group costs about the time T of the message, however many belong to it. So the root waits a
 * short grace before it closes one (ours). The grace ends when no one has arrived for T/32, after
 * T/8 in all, or when everyone is here. The next group starts when the root's own sends are out,
 * while the last group's tail is still on its way.
 *
 * In the non-blocking model (arrival_nb) the root, while no one waits, sends to a rank that has not
 * arrived, within that rank's credit. It takes its port for busy for T then, however soon the
 * sockets have swallowed the message. If they take longer, groups of ranks that have arrived go on
 * at the same time.
 *
 * A state machine like pb_transfer_t, which takes in a bounded number of messages each time.
 */
#ifndef PB_ARRIVAL_ROOT_H
#define PB_ARRIVAL_ROOT_H

#include "engine/arrival/arrival.h"

/** A group as the root has it. */
typedef struct pb_arrival_part {
    bool was_started; /**< one was, the last one at `started` */
    int64_t started;
    pb_transfer_t transfer;
} pb_arrival_part_t;

typedef struct pb_arrival_root {
    pb_arrival_env_t env;
    int64_t expected;          /**< T: nanoseconds that a group takes at the root */
    bool is_measured;          /**< by a group of this broadcast */
    uint8_t *state;            /**< indexed by rank: see engine/arrival/root.c */
    uint8_t *reports;          /**< indexed by rank: the pb_arrival_report_t of its ARRIVED */
    int n_to_come;             /**< ARRIVED messages that are still to come */
    int n_unserved;            /**< receivers that are in no group yet, arrived or not */
    int n_waiting;             /**< of them those that have arrived */
    pb_request_t listening;    /**< the receive of the next ARRIVED; NULL: none is posted */
    uint8_t notice;            /**< its content */
    int64_t started;           /**< when the root arrived */
    int64_t last_arrival;      /**< when the last ARRIVED was taken in */
    int64_t ready_since;       /**< since when a group waits to be started; -1: none does */
    double sum_of_arrivals;    /**< nanoseconds after the root, over all that have arrived */
    pb_arrival_part_t asked;   /**< the group of some that had arrived */
    pb_arrival_part_t unasked; /**< the one that had not */
    uint8_t *members;          /**< of the group that is started, */
    uint8_t *bytes;            /**< and its header */
    uint8_t mode;              /**< in every header, decided with the first */
    uint64_t others;           /**< the credit's `others` at the start */
    int next_unasked;          /**< index in the order; those before it were tried */
    int n_groups;              /**< started so far */
    int error;                 /**< the first error, 0 if none */
    bool broken;               /**< the transport refused; nothing new is started */
} pb_arrival_root_t;

/**
 * Prepares; `expected` is about how long the message takes from one rank to
 * another, in nanoseconds. False if out of memory; then nothing was started.
 */
bool pb_arrival_root_start(pb_arrival_root_t *root, const pb_arrival_env_t *env, int64_t expected);

/**
 * As pb_transfer_advance(). In the non-blocking model ARRIVED messages may still
 * be to come at the end (n_to_come): see pb_arrival_root_linger(). O(messages taken in), and
 * O(ranks) for each group. */
bool pb_arrival_root_advance(pb_arrival_root_t *root);

/**
 * Takes in the ARRIVED messages that are still to come after the end, by the control channel alone:
 * caller and transport may be gone. True when none is to come, or none can be received.
 */
bool pb_arrival_root_linger(pb_arrival_root_t *root);

/** The first error so far, 0 if none; may be PB_ERR_EMPTY. */
int pb_arrival_root_error(const pb_arrival_root_t *root);

/** Returns whether the transport refused, so that the rest may never end. */
bool pb_arrival_root_is_broken(const pb_arrival_root_t *root);

/** Returns the root's report on the arrivals. Valid at the end. */
pb_arrival_report_t pb_arrival_root_report(const pb_arrival_root_t *root);

/** As pb_transfer_cancel(). */
void pb_arrival_root_cancel(pb_arrival_root_t *root);

/** As pb_transfer_finish(). */
void pb_arrival_root_finish(pb_arrival_root_t *root);

#endif
