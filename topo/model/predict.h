/* Predictions: the time of a broadcast, by a profile of its plan and a model of messages. */
#ifndef PB_PREDICT_H
#define PB_PREDICT_H

#include <stdint.h>

#include "topo/model/model.h"
#include "topo/model/profile.h"

/** Costs of one segment size by a model: looked up once for all plans. */
typedef struct pb_segment_cost {
    uint64_t segment;
    pb_cost_t link;   /**< between hosts of one switch */
    int64_t further;  /**< what one further link adds to a message's way */
    pb_cost_t host;   /**< inside a host: of a segment, where pieces travel of its part of one */
    pb_cost_t inside; /**< there, of what travels at a time: a segment, or a piece (pb_predict()) */
} pb_segment_cost_t;

/** The costs of segments of `segment` bytes, at least 1. O(log rows). */
pb_segment_cost_t pb_segment_cost(const pb_model_t *model, uint64_t segment);

/**
 * The same for plans of this profile: where switches copy its frames, a segment is a datagram
 * (ours). O(log rows).
 */
pb_segment_cost_t pb_segment_cost_in(const pb_profile_t *profile, const pb_model_t *model,
                                     uint64_t segment);

/**
 * Nanoseconds from the call of MPI_Bcast on all ranks until the last rank has all of `bytes` (at
 * least 1), in this profile's segments. It has paper 2's formulas (1) and (2) for the chain and
 * binary trees, and the same for every plan. For stream s with X segments: the longest path of its
 * first one and X - 1 periods, the last by its segment's size. In a plan by leaders the last piece
 * goes down inside hosts when the last segment is there; pieces are as pb_piece_size() has them. In
 * integers, the same on every host; from 0 to PB_TIME_LONGEST. O(log rows).
 *
 * `n_alike` such broadcasts, with this one (1: it alone), may cross the same links between
 * switches, from roots on any side. Each direction of such a link then carries for all of them what
 * the plan puts on either direction on average (ours).
 */
int64_t pb_predict(const pb_profile_t *profile, const pb_model_t *model,
                   const pb_segment_cost_t *of_segment, uint64_t bytes, int n_alike);

#endif
