/*
 * From which size on the broadcasts of a communicator are considered at all. A shorter one goes to
 * the fallback component for a comparison: it is not planned, counted, watched or learnt from, as
 * that takes several times as many instructions as a short broadcast does (ours).
 *
 * It begins with what the user has named, or else with PB_THRESHOLD_ASSUMED, and is then
 * - lowered, where the user named none and it is known how fast links are, to the least size from
 *   which on our best candidate is predicted to take less than the fallback component, by more than
 *   what serving costs the processors on the way, which is no part of the model;
 * - raised over the size classes that are settled on the fallback component
 *   (pb_learner_passed()). Of the blocking broadcasts that go there for that reason, one of
 *   PB_THRESHOLD_LOOK is considered all the same, so that a network that has changed is noticed.
 *
 * All that it depends on is alike on all ranks after the same broadcast.
 */
#ifndef PB_THRESHOLD_H
#define PB_THRESHOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/model/learning.h"

/** Bytes, where it is not known what broadcasts wait for: what a short one takes is mostly
 * software, and serving it takes more of that. */
#define PB_THRESHOLD_ASSUMED 1024

/** Longer broadcasts are considered whatever was learnt: what that costs is little beside them. */
#define PB_THRESHOLD_MOST PB_CHOOSE_ASSUMED_FALLBACK

/** A look for so many broadcasts takes each of them a hundredth of what serving it would. */
#define PB_THRESHOLD_LOOK 1024

/**
 * What serving a broadcast takes a rank beside the fallback component's, in nanoseconds: 41,000
 * instructions (doc/results.md, "Small messages"), each once cold. Each level of a tree adds one.
 */
#define PB_THRESHOLD_SERVING INT64_C(40000)

typedef struct pb_threshold {
    uint64_t named;    /**< bytes, by the user; 0: none */
    uint64_t lowest;   /**< bytes, whatever was learnt of sizes: named, assumed or predicted */
    uint64_t bytes;    /**< shorter ones are not considered */
    uint64_t speed;    /**< of links, and */
    uint64_t frame;    /**< of multicast, for which `lowest` was predicted; both 0: it was not */
    uint32_t n_passed; /**< modulo PB_THRESHOLD_LOOK: of those that were learnt to pass */
} pb_threshold_t;

/** Before anything is known; `named` as above. O(1). */
void pb_threshold_begin(pb_threshold_t *threshold, uint64_t named);

/** What it begins with: for what begins where ranks may not know alike what was learnt. O(1). */
static inline uint64_t pb_threshold_first(uint64_t named)
{
    return named != 0 ? named : PB_THRESHOLD_ASSUMED;
}

/** Whether a blocking broadcast is not considered, which counts it. O(1). */
bool pb_threshold_passes(pb_threshold_t *threshold, uint64_t bytes);

/** Something was learnt. O(size of the learner). */
void pb_threshold_raise(pb_threshold_t *threshold, const pb_learner_t *learner);

/**
 * Something was learnt of links by a broadcast from `root`, or multicast came or went, where the
 * fallback component and all kinds are candidates. PB_ERR_NO_MEMORY. O(1) where that changes
 * nothing; else predictions for this root.
 */
int pb_threshold_lower(pb_threshold_t *threshold, pb_learning_t *learning, int root);

#endif
