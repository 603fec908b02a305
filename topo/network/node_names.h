/*
 * Nodes of a network as a hostlist, for people: "n[0-15],login".
 */
#ifndef PB_NODE_NAMES_H
#define PB_NODE_NAMES_H

#include <stdio.h>

#include "topo/network/network.h"

/** Prints the names of nodes[0..n), those with consecutive numbers as one range. O(names). */
void pb_node_names_print(FILE *out, const pb_network_t *network, const int *nodes, int n);

#endif
