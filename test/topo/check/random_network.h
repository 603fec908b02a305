/*
 * Seeded random networks and placements for property tests. The same seed gives
 * the same on every host. Functions abort if out of memory.
 */
#ifndef PB_RANDOM_NETWORK_H
#define PB_RANDOM_NETWORK_H

#include "topo/network/network.h"
#include "topo/network/placement.h"
#include "topo/util/random.h"

typedef enum {
    PB_SHAPE_PAPER,          /**< paper 2, section 4.2: random links that close no cycle */
    PB_SHAPE_RECURSIVE,      /**< each switch below a random earlier one */
    PB_SHAPE_LINE,           /**< s0 - s1 - s2 ... */
    PB_SHAPE_STAR,           /**< all below s0 */
    PB_SHAPE_EMPTY_CORE,     /**< recursive; only switches without switches below have hosts */
    PB_SHAPE_ONE_PER_SWITCH, /**< recursive; one host on each switch, n_hosts is ignored */
    PB_SHAPE_COUNT,
} pb_shape_t;

const char *pb_shape_name(pb_shape_t shape);

/**
 * A finished network of switches s0, s1, ... (s0 at the top) and hosts m0,
 * m1, ..., each on a random switch that the shape allows. Children of a switch
 * are in random order. Links have random speeds from 1 to max_speed, or none
 * are given if that is 0.
 */
pb_network_t *pb_random_network(pb_random_t *random, pb_shape_t shape, int n_switches, int n_hosts,
                                int max_speed);

/**
 * The same of switches and hosts whose parents are given, first those of the switches (-1: of
 * none), then those of the hosts.
 */
pb_network_t *pb_random_order_network(pb_random_t *random, const int *parent, int n_switches,
                                      int n_hosts, int max_speed);

/**
 * A placement of 1 to max_per_host ranks on each host, in random order.
 */
pb_placement_t *pb_random_placement(pb_random_t *random, const pb_network_t *network,
                                    int max_per_host);

/**
 * A random subset of the ranks that holds the root, in random order. Returns its
 * size; `subset` has room for n_ranks.
 */
int pb_random_subset(pb_random_t *random, int n_ranks, int root, int *subset);

#endif
