/*
 * Verification of a topology file by trials on the network (ours).
 *
 * Each round sends random flows that the file calls disjoint. Flows that contend all the same give
 * a cut of the hosts (core.h), which is compared with the links of the file. A link that is better
 * than in the file is no contradiction: flows that the file calls disjoint are disjoint.
 */
#ifndef PB_VERIFY_H
#define PB_VERIFY_H

#include <stdint.h>

#include "topo/discover/gauge.h"
#include "topo/network/network.h"

typedef enum {
    PB_CONTRADICTION_HOST,  /**< a host's own link is slower */
    PB_CONTRADICTION_LINK,  /**< a link between switches carries less */
    PB_CONTRADICTION_MOVED, /**< hosts are on the other side of a link */
    PB_CONTRADICTION_SPLIT, /**< a link separates hosts between which the file has none */
} pb_contradiction_kind_t;

typedef struct pb_contradiction {
    pb_contradiction_kind_t kind;
    int link;   /**< the link, by the node below it, or for SPLIT the switch; -1: none */
    int *hosts; /**< owned; that are slow, moved, or on the smaller side */
    int n_hosts;
    pb_flow_t *flows; /**< owned; that showed it */
    int n_flows;
    double capacity; /**< bytes per second that they have together, or the host has */
    double stated;   /**< that they would have by the file */
} pb_contradiction_t;

typedef struct pb_verification {
    pb_contradiction_t *contradictions; /**< owned */
    int n, capacity;
    int n_rounds;      /**< without a slow flow, in a row, at last */
    int n_unexplained; /**< rounds with flows that contend, from which no cut follows */
    bool complete;     /**< there were enough such rounds; else it was given up */
    int64_t n_trials;
} pb_verification_t;

/**
 * `nodes` has the node of each of the meter's hosts. Clear the result in any case.
 * PB_ERR_NO_MEMORY, or what the meter returns. O(log hosts) trials if there is no contradiction and
 * those of the hosts' own links, O(hosts) more for each.
 */
int pb_verify(const pb_meter_t *meter, const pb_network_t *network, const int *nodes, uint64_t seed,
              pb_verification_t *verification);
void pb_verification_clear(pb_verification_t *verification);

#endif
