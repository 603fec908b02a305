/*
 * A step: what is to happen to the network at a time.
 */
#ifndef FABRIC_STEP_H
#define FABRIC_STEP_H

#include "contrib/testbed/fabric_link.h"

/** Bytes of synthetic frames that wait at their first port at most, as in a host's socket. */
#define FABRIC_LOAD_WAITING 212992

/**
 * Synthetic load: frames that the fabric itself makes, for the traffic of others. They do not react
 * to what they meet, as TCP would: what a queue cannot hold is lost.
 */
typedef struct fabric_load {
    int from, to;     /**< different nodes of the network, hosts or switches */
    uint64_t rate;    /**< bit/s on the wire, at least 1 */
    int64_t duration; /**< ns */
    uint32_t length;  /**< bytes of each frame, with the Ethernet header */
} fabric_load_t;

typedef enum {
    FABRIC_STEP_CHANGE, /**< a link becomes another */
    FABRIC_STEP_SWITCH, /**< a switch begins or ceases to drop multicast */
    FABRIC_STEP_LOAD,   /**< a synthetic load begins */
} fabric_step_kind_t;

typedef struct fabric_step {
    fabric_step_kind_t kind;
    int64_t time;           /**< ns */
    int link;               /**< the directed link that changes, as in topo/network/network.h */
    int member;             /**< of that link, from 0; -1: all */
    fabric_change_t change; /**< of that link, or member */
    int node;               /**< the switch that changes */
    bool no_multicast;      /**< whether it then drops multicast */
    fabric_load_t load;     /**< that begins */
} fabric_step_t;

#endif
