/*
 * Cuts: the links between switches as hosts see them.
 *
 * A link of a tree separates the hosts into two sides. Nothing else of it can be measured between
 * hosts. Cuts of one tree are compatible with each other: of the four intersections of their sides
 * one is empty. Compatible cuts make up one tree (Buneman 1971).
 */
#ifndef PB_CUT_H
#define PB_CUT_H

#include "topo/discover/trial.h"

typedef struct pb_cut {
    bool *inside;    /**< by host; false for host 0 */
    int n_inside;    /**< hosts inside, at least 2, and as many outside */
    double capacity; /**< bytes per second each way, for all flows; of a bundle: for those that
                        share a member */
    int n_flows;     /**< that were seen to contend, no fewer did; 1: it is slower than hosts */
    bool hashed;     /**< which flows contend is chosen by a hash: parallel links */
    int members;     /**< of the bundle, about; 1 where it is none */
    int n_agree;     /**< trials that agree with the cut */
    int n_disagree;  /**< trials that do not */
} pb_cut_t;

typedef struct pb_cuts {
    int n_hosts;
    pb_cut_t *cuts; /**< owned */
    int n, capacity;
} pb_cuts_t;

/** An empty set. Free with pb_cuts_clear(). */
void pb_cuts_init(pb_cuts_t *cuts, int n_hosts);
void pb_cuts_clear(pb_cuts_t *cuts);

/**
 * Adds a copy of a cut, whose side with host 0 becomes the outside. PB_ERR_NO_MEMORY. O(hosts).
 */
int pb_cuts_add(pb_cuts_t *cuts, const pb_cut_t *cut);
void pb_cuts_remove(pb_cuts_t *cuts, int i);

/** The index of a cut with the same sides, or -1. O(cuts * hosts). */
int pb_cuts_find(const pb_cuts_t *cuts, const pb_cut_t *cut);

/** Tells whether both can be links of one tree. O(hosts). */
bool pb_cuts_compatible(const pb_cuts_t *cuts, const pb_cut_t *a, const pb_cut_t *b);

/** 1: the flow enters the cut's inside, -1: it leaves it, 0: neither. */
static inline int pb_cut_passed(const pb_cut_t *cut, pb_flow_t flow)
{
    return (int) cut->inside[flow.to] - (int) cut->inside[flow.from];
}

/**
 * Lowers `rates`, those of flows that share nothing, to what the cuts leave them. The flows over a
 * cut have its capacity in proportion to their rates. O(cuts * flows).
 */
void pb_cuts_share(const pb_cuts_t *cuts, const pb_flow_t *flows, int n, double *rates);

#endif
