/*
 * Pieces: in how long parts a message travels inside a host, where its leader hands it on
 * (topo/trees/leaders.h).
 */
#ifndef PB_PIECE_H
#define PB_PIECE_H

#include <stdint.h>

#include "topo/model/model.h"

/** Sizes of pieces that are tried: powers of two from here */
#define PB_PIECE_SHORTEST (UINT64_C(1) << 13)

/** to here. Beyond that, transports cut messages themselves, and caches do not hold them. */
#define PB_PIECE_LONGEST (UINT64_C(1) << 16)

/**
 * Bytes of the pieces of a message of `bytes` (at least 1) in trees inside hosts that are `height`
 * high: at most the whole message. Short pieces cost ranks that pass them on more gaps; a long last
 * piece takes longer down the tree after the last segment has come. The size with the least sum of
 * both wins, of equal ones the largest. In integers. O(log rows).
 */
uint64_t pb_piece_size(const pb_model_t *model, int height, uint64_t bytes);

#endif
