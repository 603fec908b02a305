/*
 * The least time that any broadcast by unicast takes: what completion is compared with.
 */
#ifndef PB_LEAST_TIME_H
#define PB_LEAST_TIME_H

#include <stdint.h>

#include "topo/model/model.h"

/**
 * No broadcast of `bytes` to the other n_ranks - 1 ranks, each on a host of its own whose link is
 * that of the model, in which hosts send to one host at a time, takes less; in nanoseconds. The
 * message may be cut into pieces of any sizes, and each go any way. Proof in least_time.c.
 * O(n_ranks log n_ranks).
 */
int64_t pb_least_time(const pb_model_t *model, int n_ranks, uint64_t bytes);

/** Likewise, where all pieces are of one size, and that is `segment`. */
int64_t pb_least_time_of_segments(const pb_model_t *model, int n_ranks, uint64_t bytes,
                                  uint64_t segment);

#endif
