/*
 * Cores: the fewest flows that contend.
 *
 * Of many flows that are slow at once, some share one link and some another, one way or the other.
 * Flows are left out as long as others stay slow: then all that are left are needed for it, so they
 * share one directed link (delta debugging: Zeller and Hildebrandt 2002, applied to flows, ours).
 */
#ifndef PB_CORE_H
#define PB_CORE_H

#include "topo/discover/gauge.h"

typedef struct pb_core {
    pb_flow_t *flows; /**< owned; they contend, and with any one left out they do not */
    int n;            /**< 1: the link is slower than the flow's hosts */
    double capacity;  /**< bytes per second that all have together */
    bool hashed;      /**< the same hosts with other partners do not contend */
} pb_core_t;

/**
 * Finds a core among `n` flows, of which pb_gauge_find_slow() found the first n_slow to be slow;
 * they are reordered. A core without flows: they are not slow any more. Clear with pb_core_clear()
 * in any case. O(log flows * flows of the core) trials.
 */
int pb_core_find(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_flow_t *flows, int n_slow, int n,
                 pb_core_t *core);
void pb_core_clear(pb_core_t *core);

/**
 * Whether hosts contend as a core's do: of a trial of at most the core's flows, each from one side
 * to the other or not, whether the sum of the rates is nearer to the core's capacity than to what
 * the flows have without. A sum does not depend on how fairly flows share. *known_p: the two
 * are too near for a verdict, because a host is too slow.
 */
int pb_core_contends(pb_gauge_t *gauge, const pb_cuts_t *cuts, double capacity,
                     const pb_flow_t *flows, int n, bool *contends_p, bool *known_p);

/**
 * Finds the cut that the core's flows pass: where they pass several, the one nearest to their
 * receivers. Each other host takes a sender's part in turn: it is on the senders' side if the flows
 * then contend. Hosts that a cut which is known keeps on one side of all those of the core, are on
 * one side of this cut, too, so one of them stands for all. `cut->inside`, with room for all hosts,
 * becomes the receivers' side. A side may have a single host. O(hosts) trials.
 */
int pb_core_cut(pb_gauge_t *gauge, const pb_cuts_t *cuts, const pb_core_t *core, pb_cut_t *cut);

#endif
