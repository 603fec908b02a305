/*
 * The networks of studies over rising numbers of hosts.
 */
#ifndef TOOL_STUDY_NETWORK_H
#define TOOL_STUDY_NETWORK_H

#include "topo/check/random_cluster.h"
#include "topo/network/network.h"

typedef enum {
    TOOL_STUDY_RANDOM,     /**< a random tree of switches, and each host on any of them (paper 2) */
    TOOL_STUDY_LEAF_SPINE, /**< one spine above all other switches */
    TOOL_STUDY_FAT_TREE,   /**< a core above pods, each of up to 16 leaves */
    TOOL_STUDY_NETWORKS
} tool_study_network_t;

/** The name: "random", "leaf-spine" or "fat-tree". */
const char *tool_study_network_name(tool_study_network_t kind);

/**
 * A network of so many hosts n0, n1, ..., `per_switch` for each switch that has hosts (on average,
 * in a random one). Links of hosts have speed 1, those between switches trunk_speed. The last
 * n_hosts nodes are the hosts, in order. The caller frees it. PB_ERR_NO_MEMORY.
 */
int tool_study_network(tool_study_network_t kind, int n_hosts, int per_switch, int trunk_speed,
                       pb_random_t *random, pb_network_t **network_p);

#endif
