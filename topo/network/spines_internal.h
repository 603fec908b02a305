/* Internals that merging switches and checking the result share. */
#ifndef PB_SPINES_INTERNAL_H
#define PB_SPINES_INTERNAL_H

#include "topo/network/spines.h"

typedef struct pb_fabric {
    const pb_network_t *network; /**< the nodes before merging */
    const pb_uplink_t *uplinks;
    int n_uplinks;     /**< in by_child */
    int *by_child;     /**< uplinks, those of a child together, in order of their parents */
    int *first_uplink; /**< by node: its first in by_child; the next node's is the end */
    const char *file;
    pb_diag_t *warnings;

    int *joined; /**< by node: towards the first of those it is merged with */
    int *above;  /**< by such a first: a node above any of them, -1: none */
    pb_network_t *tree;
    int *node;         /**< by node: the tree's node that stands for it */
    int *index;        /**< by node: its number among those merged with it */
    int *by_node;      /**< nodes, those of a node of the tree together */
    int *first_merged; /**< by node of the tree: its first in by_node; the next one's is the end */
} pb_fabric_t;

/**
 * Warns of pairs of hosts that are farther from each other in the fabric than in its finished tree,
 * once for each merged node. PB_ERR_NO_MEMORY.
 */
int pb_spines_meet(const pb_fabric_t *fabric);

#endif
