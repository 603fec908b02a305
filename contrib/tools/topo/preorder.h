/*
 * The nodes of a network from the top down, each before the nodes below it.
 */
#ifndef TOOL_PREORDER_H
#define TOOL_PREORDER_H

#include "topo/network/network.h"

/**
 * The nodes for which keep[node] is set (NULL: all) in depth-first order, -1 at
 * the end; a kept node has kept nodes above it. Below each node come first the
 * child on the way to `first` (a node, or -1), then hosts, then switches, in
 * the order of the file. NULL if out of memory; the caller frees it. Without
 * recursion. O(nodes).
 */
int *tool_preorder(const pb_network_t *network, const char *keep, int first);

#endif
