/*
 * A profile: everything of a plan on which its time depends. It is made once per plan and small, so
 * that profiles of many kinds and roots can be kept.
 *
 * A broadcast of X segments has two parts (paper 2, section 4.2). The first is the time of a
 * stream's first segment to the last rank. The second is one period for each further segment of
 * that stream. The first part is a sum of latencies and gaps over the hops of a path, A L(m) + B
 * g(m) in formula (2). It depends on L and g which path is the longest, so the profile keeps every
 * path that no other one exceeds in all terms. The period is the work of the busiest link or rank
 * for one segment of each stream; the profile keeps all candidates for it, too.
 *
 * Beyond the paper (ours): several streams; links that more than one rank sends over, or of unequal
 * speed; ranks of one host; and processors.
 *
 * Where switches copy frames (pb_kind_row_t.copies), the profile does not follow the plan's tree.
 * Each frame goes from the root to every host, over each link once, in one direction. So the
 * slowest link on the way to any receiver is the busiest one. The root sends it once, and one rank
 * of each other host receives it; other ranks get it along the plan's tree. Repairs and
 * acknowledgements are not counted.
 */
#ifndef PB_PROFILE_H
#define PB_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/placement.h"
#include "topo/trees/plan.h"

/** One segment over a host's uplink, in the counts below; speeds of 1 to 16 divide it. */
#define PB_PROFILE_UNIT INT64_C(720720)

/** Paths and duties that one profile may keep. Beyond that, the two most alike are made one. */
#define PB_PROFILE_MAX_PATHS 24
#define PB_PROFILE_MAX_DUTIES 12

/** The way of a stream's first segment to a rank, counted from the start of the broadcast. */
typedef struct pb_profile_path {
    int64_t before;       /**< minus the stream's number: an earlier one has no fewer segments */
    int64_t hops;         /**< L(m) between hosts of one switch: A of formula (2) */
    int64_t further;      /**< further links, PB_PROFILE_UNIT for each of a host's speed */
    int64_t sends;        /**< g(m), PB_PROFILE_UNIT for each: B of formula (2) */
    int64_t memory_hops;  /**< L(m) inside a host */
    int64_t memory_sends; /**< g(m) inside a host */
} pb_profile_path_t;

/** Work of a link or a rank for one segment of each stream. */
typedef struct pb_profile_duty {
    int64_t most;  /**< segments over a link in its busier direction, PB_PROFILE_UNIT for each */
    int64_t least; /**< in the other direction */
    int64_t sends, receives;               /**< of one rank between hosts */
    int64_t memory_sends, memory_receives; /**< of one rank inside its host */
} pb_profile_duty_t;

typedef struct pb_profile {
    bool copies;       /**< segments are frames, which switches copy */
    int height_inside; /**< inside hosts pieces travel, down trees that are so high at most
                            (topo/model/piece.h); 0: segments, as pb_profile_plan() leaves it */
    int n_streams;
    int n_paths;
    int n_duties;
    int64_t crossing; /**< segments over a used link between switches, both ways together, on
                           average and as if each were the slowest; PB_PROFILE_UNIT for each. 0:
                           none is used */
    pb_profile_path_t paths[PB_PROFILE_MAX_PATHS];
    pb_profile_duty_t duties[PB_PROFILE_MAX_DUTIES];
} pb_profile_t;

/** Common base of profiles over one placement, made once for several. It keeps the network's nodes
 * close together, as walks over plans mostly wait for memory. */
typedef struct pb_profile_ground pb_profile_ground_t;

/** Makes the base for a placement, which is borrowed. NULL if out of memory. O(nodes + ranks). */
pb_profile_ground_t *pb_profile_ground_new(const pb_placement_t *placement);

/** Frees a ground, or NULL. */
void pb_profile_ground_free(pb_profile_ground_t *ground);

/**
 * The profile of a plan. A rank sends to its children in their order. Links are
 * counted as PB_PROFILE_UNIT if they are as fast as the slowest host's.
 * O(nodes + edges * path).
 */
void pb_profile_plan(pb_profile_ground_t *ground, const pb_plan_t *plan, pb_profile_t *profile);

/**
 * Profile that is assumed for the fallback component. It is a binomial tree of the whole message in
 * rank order, without regard to the network, as in other MPI libraries. In each of its phases all
 * ranks that have the message send it together, and share the links (ours). To be predicted with
 * one segment. O(nodes * log ranks + ranks * path).
 */
void pb_profile_fallback(pb_profile_ground_t *ground, int root, pb_profile_t *profile);

/** Speed of the slowest rank's host's uplink, by which loads are counted, as models are of it.
 * O(ranks). */
uint32_t pb_profile_host_speed(const pb_placement_t *placement);

#endif
