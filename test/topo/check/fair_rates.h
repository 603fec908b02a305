/*
 * The rates of flows that share a network: max-min fair, as TCP's are about.
 */
#ifndef PB_FAIR_RATES_H
#define PB_FAIR_RATES_H

#include <stdint.h>

#include "topo/network/network.h"

/**
 * The rate of each of `n` flows from node from[i] to node to[i], two different ones, in units of
 * the network's speeds. Each flow takes one member of a bundle, by a hash of the flow, the link and
 * `seed`. Rates rise together until a link is full, then those of the others (Bertsekas and
 * Gallager, Data Networks, section 6.5.2). O(flows^2 * path).
 */
void pb_fair_rates(const pb_network_t *network, const int *from, const int *to, int n,
                   uint64_t seed, double *rates);

#endif
