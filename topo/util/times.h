/*
 * Times in integers of nanoseconds, which do not overflow: no time is longer
 * than PB_TIME_LONGEST, and a sum of a thousand of them still fits.
 */
#ifndef PB_TIMES_H
#define PB_TIMES_H

#include <stdint.h>

/** About 52 days; whatever is longer is as good as that. */
#define PB_TIME_LONGEST (INT64_C(1) << 52)

/** The time if it is from 0 to PB_TIME_LONGEST, else the nearer of both. */
int64_t pb_time_limited(int64_t time);

/**
 * time * x / range, rounded towards 0, and at most PB_TIME_LONGEST either way.
 * |time| <= PB_TIME_LONGEST and range > 0.
 */
int64_t pb_time_scale(int64_t time, uint64_t x, uint64_t range);

#endif
