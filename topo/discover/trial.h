/*
 * Trials: flows that are sent together, with the measured rate of each.
 *
 * Trials show a network without asking its switches: two flows that share a link which cannot carry
 * both are slower than alone. Hosts are numbered from 0; in one trial a host sends at most one flow
 * and receives at most one.
 */
#ifndef PB_TRIAL_H
#define PB_TRIAL_H

#include <stdbool.h>

/** A flow as fast as it can be, from one host to another. */
typedef struct pb_flow {
    int from, to;
} pb_flow_t;

/** The measuring part: a network, or a stand-in for one. */
typedef struct pb_meter {
    int n_hosts;   /**< at least 2 */
    int max_flows; /**< of one trial, at least 2 */
    /** Sends `n` flows together, 1 to max_flows, and fills their rates in bytes per second, each
     * above 0. Any error ends the discovery or verification. */
    int (*measure)(void *context, const pb_flow_t *flows, int n, double *rates);
    /** The same trial has given different rates several times: measure for longer. NULL: cannot. */
    void (*lengthen)(void *context);
    void *context;
} pb_meter_t;

#endif
