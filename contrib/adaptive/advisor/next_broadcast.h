/*
 * The next broadcast of a program, from those before (paper 4, section 2.5). It has simple linear
 * regressions of message sizes, and of gaps between broadcasts, over their numbers.
 */
#ifndef ADVISE_NEXT_BROADCAST_H
#define ADVISE_NEXT_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "contrib/adaptive/advice/history.h"

/** Broadcasts that are looked at, the last ones (ours): a program changes its ways. */
#define ADVISE_HISTORY 16

struct advise_next {
    uint64_t bytes;
    bool has_gap;
    int64_t gap; /**< ns from the end of the last broadcast to the beginning of the next one */
};

/**
 * The least-squares line through (0, values[0]), (1, values[1]), ... at n, for n >= 1: the next
 * value. For one value, that.
 */
double advise_regress(const double *values, int n);

/**
 * Predicts the broadcast after the last of `n` records, oldest first, all of one root. A size is
 * between half the smallest and twice the largest one seen, and at least 1. So is a gap, without
 * that least value. A line knows no such bounds. False if n is 0.
 */
bool advise_predict(const pb_history_record_t *records, int n, struct advise_next *next);

#endif
