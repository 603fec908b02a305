#include "topo/util/times.h"

#include <stdbool.h>

int64_t pb_time_limited(int64_t time)
{
    return time < 0 ? 0 : time < PB_TIME_LONGEST ? time : PB_TIME_LONGEST;
}

int64_t pb_time_scale(int64_t time, uint64_t x, uint64_t range)
{
    const bool negative = time < 0;
    const uint64_t length = (uint64_t) (negative ? -time : time);
    const uint64_t whole = x / range;
    uint64_t rest = x % range;
    if (length != 0 && whole > (uint64_t) PB_TIME_LONGEST / length) {
        return negative ? -PB_TIME_LONGEST : PB_TIME_LONGEST;
    }
    uint64_t scaled_length = length;
    int shift = 0;
    while (scaled_length > UINT32_MAX) {
        scaled_length >>= 1;
        shift++;
    }
    while (range > UINT32_MAX) {
        range >>= 1;
        rest >>= 1;
    }
    const uint64_t part = (scaled_length * rest / range) << shift;
    const uint64_t sum = length * whole + part;
    const int64_t result = sum < (uint64_t) PB_TIME_LONGEST ? (int64_t) sum : PB_TIME_LONGEST;
    return negative ? -result : result;
}
