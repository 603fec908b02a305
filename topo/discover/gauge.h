/*
 * The rates of the hosts' own links, and whether a flow is slower than these.
 *
 * The speed of a host's link is not known beforehand. A host's rate is the second highest measured
 * of any flow from it (to it). A reading may be too high by mistake, and is too low where the flow
 * had to share. Other traffic only slows flows, so a flow is called slow only after repeated
 * trials.
 */
#ifndef PB_GAUGE_H
#define PB_GAUGE_H

#include <stdint.h>

#include "topo/discover/cut.h"
#include "topo/discover/trial.h"
#include "topo/util/random.h"

/** A flow with less than this share of what it could have is slow. A link that is shared by one
 * flow more than it can carry is seen up to four times a host's speed. */
#define PB_GAUGE_SLOW 0.82

/** Readings that are kept of each host and direction, the highest ones. */
#define PB_GAUGE_READINGS 2

typedef struct pb_gauge {
    const pb_meter_t *meter; /**< borrowed */
    pb_random_t random;
    double (*out)[PB_GAUGE_READINGS]; /**< owned; by host, highest first; 0: none */
    double (*in)[PB_GAUGE_READINGS];
    double *rates;    /**< owned; of one trial */
    double *expected; /**< owned */
    double highest;   /**< of the hosts' rates, when slow ones were last measured again */
    int n_unsteady;   /**< times that the same trial gave different rates, since the last change */
    int64_t n_trials;
} pb_gauge_t;

/** Clear also after an error. PB_ERR_NO_MEMORY. */
int pb_gauge_init(pb_gauge_t *gauge, const pb_meter_t *meter, uint64_t seed);
void pb_gauge_clear(pb_gauge_t *gauge);

/** The rate of a host's link, from it or to it, as far as it is known: bytes per second. */
double pb_gauge_out(const pb_gauge_t *gauge, int host);
double pb_gauge_in(const pb_gauge_t *gauge, int host);

/** The rate of a flow that shares nothing. */
double pb_gauge_alone(const pb_gauge_t *gauge, pb_flow_t flow);

/** Takes a host's link to be no faster than `rate`, whatever was measured. */
void pb_gauge_lower(pb_gauge_t *gauge, int host, double rate);

/** Measures each host's link by flows that are alone: two for each host, and pb_gauge_refresh(). */
int pb_gauge_hosts(pb_gauge_t *gauge);

/**
 * Measures slower hosts with further partners if a host was found to be faster than any before.
 * O(log hosts) trials for each slow host.
 */
int pb_gauge_refresh(pb_gauge_t *gauge);

/** Runs one trial. *sum_p is the sum of the rates; *free_p the sum of the rates that each flow
 * would have alone over the cuts that it passes. */
int pb_gauge_trial(pb_gauge_t *gauge, const pb_cuts_t *cuts, const pb_flow_t *flows, int n,
                   double *sum_p, double *free_p);

/**
 * Finds the flows that, sent together, are slower than the known cuts let them be. One trial, two
 * to six if some are slow; trials become longer where their results keep differing. Moves the slow
 * flows to the front of `flows` and returns their number, or an error.
 */
int pb_gauge_find_slow(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_flow_t *flows, int n);

#endif
