/*
 * Rate at which a root sends frames; see engine/multicast/rate.h.
 */
#include "engine/multicast/rate.h"

#define FLOOR_PART 4
#define RAISE_PART 32
#define SECOND 1e9

/** One repaired frame in 100 is no reason to send more slowly. */
#define REPAIR_PART 100

void pb_rate_init(pb_rate_t *rate, uint64_t ceiling)
{
    *rate = (pb_rate_t){.ceiling = ceiling, .now = ceiling};
}

uint64_t pb_rate_allows(pb_rate_t *rate, int64_t now)
{
    if (rate->ceiling == 0) {
        return UINT64_MAX;
    }
    const double most = (double) rate->now * (double) PB_RATE_BURST_NS / SECOND;
    const double earned = (double) rate->now * (double) (now - rate->then) / SECOND;
    if (!rate->has_begun || (double) rate->credit + earned >= most) {
        rate->credit = (int64_t) most + 1;
        rate->then = now;
    } else if (earned >= 1) {
        /* A fraction of a byte is earned the next time. */
        rate->credit += (int64_t) earned;
        rate->then += (int64_t) ((double) (int64_t) earned * SECOND / (double) rate->now);
    }
    rate->has_begun = true;
    return rate->credit > 0 ? (uint64_t) rate->credit : 0;
}

void pb_rate_spend(pb_rate_t *rate, uint64_t bytes)
{
    rate->credit -= rate->ceiling > 0 ? (int64_t) bytes : 0;
}

void pb_rate_note(pb_rate_t *rate, uint64_t frames, uint64_t ranks, uint64_t repaired)
{
    if (REPAIR_PART * (double) repaired > (double) frames * (double) ranks) {
        const uint64_t least = rate->ceiling / FLOOR_PART, cut = rate->now - rate->now / 8;
        rate->now = cut > least ? cut : least;
        rate->n_cuts++;
        return;
    }
    const uint64_t raised = rate->now + rate->ceiling / RAISE_PART;
    rate->now = raised < rate->ceiling ? raised : rate->ceiling;
}
