#include "topo/util/times.h"

int64_t pb_time_limited(int64_t time)
{
    return time < 0 ? 0 : time < PB_TIME_LONGEST ? time : PB_TIME_LONGEST;
}

int64_t pb_time_scale(int64_t time, uint64_t x, uint64_t range)
{
    const __int128 scaled = (__int128) time * x / range;
    return scaled > PB_TIME_LONGEST    ? PB_TIME_LONGEST
           : scaled < -PB_TIME_LONGEST ? -PB_TIME_LONGEST
                                       : (int64_t) scaled;
}
