/*
 * Seeded random clusters, for studies of trees and for tests. The same seed
 * gives the same on every host.
 */
#ifndef PB_RANDOM_CLUSTER_H
#define PB_RANDOM_CLUSTER_H

#include <stdint.h>

#include "topo/network/network.h"
#include "topo/util/random.h"

/**
 * A random tree of switches (papers 1 and 2, section 4, where Algorithm 2 is
 * judged): random links are added unless they close a cycle, until all switches
 * are joined. Fills `parent` as seen from switch 0, whose parent is -1.
 * PB_ERR_NO_MEMORY. Expected O(n log n) draws.
 */
int pb_random_tree(pb_random_t *random, int n_switches, int *parent);

/**
 * The finished network of switches s0, s1, ... (s0 at the top) and hosts m0,
 * m1, ... whose parents are given, first those of the switches, then those of
 * the hosts. Children of a switch are in random order. Links have random
 * speeds from 1 to max_speed, or none are given if that is 0. The caller frees
 * the network. PB_ERR_NO_MEMORY; PB_ERR_INPUT if `parent` is not such a tree.
 */
int pb_random_order_network(pb_random_t *random, const int *parent, int n_switches, int n_hosts,
                            int max_speed, pb_network_t **network_p);

/**
 * A random cluster of the papers: pb_random_tree(), and each host on a switch
 * of uniform probability; links without speeds. The caller frees the network.
 * At least one switch and one host. PB_ERR_NO_MEMORY.
 */
int pb_random_cluster(pb_random_t *random, int n_switches, int n_hosts, pb_network_t **network_p);

#endif
