/*
 * The nodes of a network from the top down, each before the nodes below it.
 */
#ifndef TOOL_PREORDER_H
#define TOOL_PREORDER_H

#include "topo/network/network.h"

/**
 * Returns all nodes in depth-first order, -1 at the end: below each node hosts, then switches, in
 * the order of the file. The caller frees it. O(nodes).
 */
int *tool_preorder(const pb_network_t *network);

#endif
