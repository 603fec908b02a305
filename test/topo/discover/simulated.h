/* A network that answers trials: exactly, or with noise and wrong answers. */
#ifndef PB_TEST_SIMULATED_H
#define PB_TEST_SIMULATED_H

#include "test/topo/check/random_network.h"
#include "topo/discover/discover.h"

typedef struct pb_simulated {
    pb_network_t *network; /* owned */
    int *hosts;            /* owned; nodes */
    char **names;          /* owned; of the hosts, borrowed from the network */
    double noise;          /* rates are lower by up to this share */
    double wrong;          /* probability of a rate that means nothing */
    pb_random_t random;
    uint64_t seed;    /* of the hash at bundles */
    int n_left;       /* trials until the time is over; -1: without end */
    pb_meter_t meter; /* whose context this is */
} pb_simulated_t;

/* Differences of links between switches. */
typedef struct pb_links_like {
    int most_speed;  /* times a host's: 1 .. most_speed */
    int one_in_slow; /* one of this number of links has half a host's speed; 0: none */
    int one_in_bundle;
    int most_members;
} pb_links_like_t;

/* Bytes per second of a host's link. */
#define PB_SIMULATED_RATE 1180000

/* A random network with links of that kind, and exact answers. */
void pb_simulated_random(pb_simulated_t *simulated, pb_random_t *random, int n_switches,
                         int n_hosts, const pb_links_like_t *like);
/* The same from the text of a topology file. */
void pb_simulated_parse(pb_simulated_t *simulated, const char *text);
void pb_simulated_clear(pb_simulated_t *simulated);

/*
 * Of the links, by the node below, that have these hosts on one side, the first one from `node` on;
 * -1: none. There are several where a switch has neither hosts nor further links.
 */
int pb_simulated_link(const pb_simulated_t *simulated, const bool *inside, int node);

/*
 * Tells whether flows can fill a link, by what the others let through to it from either side. A
 * link with one host on a side passes for that host's.
 */
bool pb_simulated_fills(const pb_simulated_t *simulated, int node);

#endif
