/*
 * Lower bounds of broadcasts by unicast (ours; the second part is the optimal broadcast of one item
 * in LogP: Karp, Sahay, Santos and Schauser, SPAA 1993).
 *
 * To begin with only the root has anything, so that each byte is sent by the root at least once.
 * Take a byte that the root sends for the first time last of all. All other bytes have left the
 * root before, or are in the same piece, over one link: when the piece has left it, the link has
 * carried `bytes` bytes with their headers, which takes no less than as one long message, and the
 * processor has sent them. From then on the piece with that byte is, as long as it
 * is not there, nowhere but at the root; even if nothing else is to be done, and every host is on
 * the root's switch, it has to reach all other hosts:
 *
 * - The first one has it a way (the second link, the switch, the interrupt, the receiving
 * processor) after it has left.
 * - A host that has it can send it to one host after the other, a gap g apart, and each has it a
 *   latency L after that send began. That all send as soon and as often as they can, to hosts that
 *   do not have it, is the best: by induction over the sends in order of their beginning, the k-th
 *   of any other schedule begins no sooner, as it is of a host that has it no sooner, or after a
 *   send of the same host. So the (n_ranks - 1)-th send of that schedule ends no later than the
 * last that is needed in any other.
 *
 * Pieces of any sizes: the piece may be as short as one byte, for which g, L and the way are taken.
 * Pieces of one size: those of the size; the root sends ceil(bytes / size) of them, each a gap of
 * that size apart, and the last one may be shorter, whence the gap and the latency of that.
 * Likewise each piece has to be received by n_ranks - 1 hosts, and so sent as often: what
 * processors have to do for that in all, divided by their number, is a bound, too.
 */
#include "topo/check/least_time.h"

#include "topo/util/error.h"
#include "topo/util/heap.h"

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** What keeps a sender from sending the next message. */
static int64_t gap(const pb_model_t *model, uint64_t bytes)
{
    return longer(pb_model_link_use(model, bytes).message, pb_model_cost(model, 2, bytes).send);
}

/** From the end of a message on the sender's link to where the receiver has it. */
static int64_t way(const pb_model_t *model, uint64_t bytes)
{
    const pb_cost_t cost = pb_model_cost(model, 2, bytes);
    return longer(cost.rtt / 2 - cost.gap, 0);
}

/**
 * The least time from the end of the root's first send, whose receiver has it `first` later, to
 * where n_ranks >= 2 hosts have one message, if sends are `g` apart and take `latency`: each host
 * that has it sends as soon and as often as it can. PB_ERR_NO_MEMORY.
 */
static int64_t spread(int64_t g, int64_t latency, int64_t first, int n_ranks)
{
    pb_heap_t sends = {0}; /* by the time at which they can begin */
    int64_t last = first;
    int rc = pb_heap_push(&sends, &(pb_event_t){.time = 0});
    rc = rc == PB_SUCCESS ? pb_heap_push(&sends, &(pb_event_t){.time = first}) : rc;
    for (int n_have = 2; n_have < n_ranks && rc == PB_SUCCESS; n_have++) {
        const int64_t begins = pb_heap_pop(&sends).time;
        last = longer(last, begins + latency);
        rc = pb_heap_push(&sends, &(pb_event_t){.time = begins + g});
        rc = rc == PB_SUCCESS ? pb_heap_push(&sends, &(pb_event_t){.time = begins + latency}) : rc;
    }
    pb_heap_clear(&sends);
    return rc == PB_SUCCESS ? last : rc;
}

/** From when the root has sent all to when a last piece of so many bytes is everywhere. */
static int64_t spread_piece(const pb_model_t *model, int n_ranks, uint64_t bytes)
{
    const int64_t g = gap(model, bytes), first = way(model, bytes);
    return spread(g, g + first, first, n_ranks);
}

int64_t pb_least_time(const pb_model_t *model, int n_ranks, uint64_t bytes)
{
    if (n_ranks < 2) {
        return 0;
    }
    const int64_t rest = spread_piece(model, n_ranks, 1);
    return rest < 0 ? rest : gap(model, bytes) + rest;
}

int64_t pb_least_time_of_segments(const pb_model_t *model, int n_ranks, uint64_t bytes,
                                  uint64_t segment)
{
    if (n_ranks < 2) {
        return 0;
    }
    segment = segment < bytes ? segment : bytes;
    const int64_t n_whole = (int64_t) ((bytes - 1) / segment);
    const uint64_t last = bytes - (uint64_t) n_whole * segment;
    const pb_cost_t whole = pb_model_cost(model, 2, segment), rest = pb_model_cost(model, 2, last);
    const int64_t spreading = spread_piece(model, n_ranks, last);
    if (spreading < 0) {
        return spreading;
    }
    const int64_t by_root = n_whole * gap(model, segment) + gap(model, last) + spreading;
    const int64_t of_all = n_whole * (whole.send + whole.receive) + rest.send + rest.receive;
    return longer(by_root, of_all * (n_ranks - 1) / n_ranks);
}
