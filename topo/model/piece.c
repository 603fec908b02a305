#include "topo/model/piece.h"

#include "topo/util/times.h"

/** Nanoseconds that pieces of this size cost a message, see pb_piece_size(). */
static int64_t time_of(const pb_model_t *model, int height, uint64_t bytes, uint64_t piece)
{
    const pb_cost_t cost = pb_model_cost(model, 0, piece);
    const uint64_t n_pieces = (bytes - 1) / piece + 1;
    return pb_time_limited(pb_time_scale(cost.both, n_pieces, 1) +
                           pb_time_scale(cost.rtt / 2, (uint64_t) height, 1));
}

uint64_t pb_piece_size(const pb_model_t *model, int height, uint64_t bytes)
{
    uint64_t best = 0;
    int64_t least = 0;
    for (uint64_t size = PB_PIECE_LONGEST; size >= PB_PIECE_SHORTEST; size /= 2) {
        const uint64_t piece = size < bytes ? size : bytes;
        const int64_t time = time_of(model, height, bytes, piece);
        if (best == 0 || time < least) {
            best = piece;
            least = time;
        }
    }
    return best;
}
