/* Measurements of the probe (paper 4, section 2.5): between representatives of each two clusters,
 * between two nodes inside each cluster, and each node's start-up cost. */
#ifndef ADVISE_PROBE_PLAN_H
#define ADVISE_PROBE_PLAN_H

#include <stdint.h>

#include "contrib/adaptive/search/link_matrix.h"
#include "topo/network/network.h"
#include "train.h"

/** Messages of a ping-pong, there and back each, without the first, that wakes the other side. */
#define PROBE_ROUNDS 5

/** Bytes of a ping-pong's and of a start-up measurement's messages. */
#define PROBE_BALL_BYTES 64

/** Messages whose start is timed for a node's start-up cost. */
#define PROBE_STARTS 9

enum probe_kind {
    PROBE_STARTUP, /**< how long `from` takes to start a message */
    PROBE_LINK,    /**< latency of, and bandwidths both ways between, two nodes */
};

struct probe_step {
    enum probe_kind kind;
    int from, to; /**< nodes of the matrix */
};

/** Result of a step. */
struct probe_result {
    int64_t time;                  /**< ns: start-up cost or latency, one way */
    struct probe_band there, back; /**< from -> to and back; 0: not measured */
};

struct probe_plan {
    pb_link_matrix_t *matrix; /**< filled by probe_plan_fill() */
    int *rank;                /**< by node: the first rank on it */
    struct probe_step *steps;
    int n_steps;
};

/**
 * The plan for the hosts of these ranks; hosts of several ranks are one node. Clear also after an
 * error. PB_ERR_UNKNOWN (the network lacks a host); PB_ERR_INPUT (fewer than two nodes, or more
 * than a matrix has); PB_ERR_NO_MEMORY, or the program ends. O(ranks^2 + clusters^2).
 */
int probe_plan_make(struct probe_plan *plan, const pb_network_t *network, char *const *hosts,
                    int n_ranks);
void probe_plan_clear(struct probe_plan *plan);

/** Bytes of a car of a train of `train` bytes, at least 1. */
int64_t probe_car_bytes(int64_t train);

/** Bytes of messages that all steps send, and of them between clusters, if no train is repeated. */
int64_t probe_plan_bytes(const struct probe_plan *plan, int64_t train, int64_t *between_p);

/**
 * Makes one bandwidth of each link's bounds, and fills the matrix from the results of all steps.
 * Returns how many bandwidths are unknown. What no step measured has the next best thing: inside a
 * cluster of one node there are the best values of all.
 */
int probe_plan_fill(struct probe_plan *plan, struct probe_result *results);

#endif
