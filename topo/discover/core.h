/*
 * Cores: the fewest flows that contend.
 *
 * Flows that are slow in one trial may share different links, in either direction. A core is found
 * by removing flows as long as others stay slow. All flows that remain are needed for it, so they
 * share one directed link (delta debugging: Zeller and Hildebrandt 2002, applied to flows, ours).
 */
#ifndef PB_CORE_H
#define PB_CORE_H

#include "topo/discover/gauge.h"

typedef struct pb_core {
    pb_flow_t *flows; /**< owned; they contend together, and not without any one of them */
    int n;            /**< 1: the link is slower than the flow's hosts */
    double capacity;  /**< bytes per second that all have together */
    bool hashed;      /**< the same hosts with other partners do not contend */
} pb_core_t;

/**
 * Finds a core among `n` flows, whose first n_slow pb_gauge_find_slow() found to be slow, and
 * reorders them. A core without flows: they are not slow any more. Clear with pb_core_clear() in
 * any case. O(log flows * flows of the core) trials.
 */
int pb_core_find(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_flow_t *flows, int n_slow, int n,
                 pb_core_t *core);
void pb_core_clear(pb_core_t *core);

/**
 * Tells whether hosts contend as a core's do, by a trial of at most the core's flows, each from one
 * side to the other. They do if the sum of the rates is nearer to the core's capacity than to the
 * rates without it. A sum does not depend on how fairly flows share. *known_p is false: both are
 * too near for a verdict, because a host is too slow.
 */
int pb_core_contends(pb_gauge_t *gauge, const pb_cuts_t *cuts, double capacity,
                     const pb_flow_t *flows, int n, bool *contends_p, bool *known_p);

/**
 * Finds the cut that the core's flows pass: where they pass several, the one nearest to their
 * receivers. Each other host takes a sender's part in turn: it is on the senders' side if the flows
 * then contend. Where a known cut keeps hosts on one side of all those of the core, they are on one
 * side of this cut, too. So one of them stands for all. `cut->inside`, with room for all hosts,
 * becomes the receivers' side. A side may have a single host. O(hosts) trials.
 */
int pb_core_cut(pb_gauge_t *gauge, const pb_cuts_t *cuts, const pb_core_t *core, pb_cut_t *cut);

#endif
