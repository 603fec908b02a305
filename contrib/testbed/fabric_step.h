/*
 * A step: what is to happen to the network at a time.
 */
#ifndef FABRIC_STEP_H
#define FABRIC_STEP_H

#include "contrib/testbed/fabric_link.h"
#include "contrib/testbed/fabric_load.h"

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
