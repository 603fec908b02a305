/*
 * Rate at which a root sends frames; see engine/multicast/rate.h.
 */
#include "engine/multicast/rate.h"

#define SECOND 1e9

uint64_t pb_rate_allows(pb_rate_t *rate, int64_t now)
{
    if (rate->ceiling == 0) {
        return UINT64_MAX;
    }
    const double most = (double) rate->ceiling * (double) PB_RATE_BURST_NS / SECOND;
    const double earned = (double) rate->ceiling * (double) (now - rate->then) / SECOND;
    if (!rate->has_begun || (double) rate->credit + earned >= most) {
        rate->credit = (int64_t) most + 1;
        rate->then = now;
    } else if (earned >= 1) {
        /* A fraction of a byte is earned the next time. */
        rate->credit += (int64_t) earned;
        rate->then += (int64_t) ((double) (int64_t) earned * SECOND / (double) rate->ceiling);
    }
    rate->has_begun = true;
    return rate->credit > 0 ? (uint64_t) rate->credit : 0;
}

void pb_rate_spend(pb_rate_t *rate, uint64_t bytes)
{
    rate->credit -= rate->ceiling > 0 ? (int64_t) bytes : 0;
}
