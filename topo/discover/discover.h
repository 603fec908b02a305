/*
 * Finds the tree of links that can be a bottleneck, from trials alone (ours).
 *
 * Rounds of random flows that no known cut calls contending are sent until several rounds in a row
 * have their full rates. Where flows are slow, a core of them (core.h) gives a new cut. Each cut is
 * then tried against the others, and one that is not seen is dropped: a wrong answer early on does
 * not last. A link that is never a bottleneck, for lack of hosts that could fill it, is not seen,
 * and its switches are one.
 *
 * That is the experiment of Kannan, Lawler and Warnow (1996), a quartet of hosts, with enough flows
 * to fill a link. Links are taken to be alike in both directions.
 */
#ifndef PB_DISCOVER_H
#define PB_DISCOVER_H

#include <stdint.h>

#include "topo/discover/gauge.h"

typedef struct pb_discovery {
    pb_cuts_t cuts; /**< of one tree */
    double *speeds; /**< owned; by host: bytes per second of its link, the slower direction */
    int64_t n_trials;
    int n_rounds;  /**< of many flows that all had their full rates, at last, in a row */
    bool complete; /**< false: the time was over first, or no link explains what flows get */
} pb_discovery_t;

/** Progress: trials so far, and about how many more there will be. */
typedef void pb_discover_progress_t(void *context, int64_t n_trials, int64_t n_left);

typedef struct pb_discover_options {
    uint64_t seed;
    pb_discover_progress_t *progress; /**< or NULL */
    void *context;
} pb_discover_options_t;

/**
 * Clear the result in any case. PB_ERR_NO_MEMORY, or what the meter returns, but for PB_ERR_UNFIT:
 * that the time is over.
 * O(hosts * links found) trials at worst, where every cut separates few hosts from all others.
 */
int pb_discover(const pb_meter_t *meter, const pb_discover_options_t *options,
                pb_discovery_t *found);
void pb_discovery_clear(pb_discovery_t *found);

#endif
