#include "next_broadcast.h"

double advise_regress(const double *values, int n)
{
    const double middle = (n - 1) / 2.0;
    double sum = 0, along = 0, square = 0;
    for (int i = 0; i < n; i++) {
        sum += values[i];
        along += (i - middle) * values[i];
        square += (i - middle) * (i - middle);
    }
    const double slope = n > 1 ? along / square : 0;
    return sum / n + slope * (n - middle);
}

/** The next value, but from half the least to twice the most there was. */
static double next_within(const double *values, int n)
{
    const double next = advise_regress(values, n);
    double least = values[0], most = values[0];
    for (int i = 1; i < n; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    return next < least / 2 ? least / 2 : next > 2 * most ? 2 * most : next;
}

bool advise_predict(const pb_history_record_t *records, int n, struct advise_next *next)
{
    double sizes[ADVISE_HISTORY], gaps[ADVISE_HISTORY];
    *next = (struct advise_next){.bytes = 0};
    if (n < 1) {
        return false;
    }
    const int n_seen = n < ADVISE_HISTORY ? n : ADVISE_HISTORY;
    const pb_history_record_t *seen = records + (n - n_seen);
    for (int i = 0; i < n_seen; i++) {
        sizes[i] = (double) seen[i].bytes;
    }
    for (int i = 0; i + 1 < n_seen; i++) {
        const double gap = (double) (seen[i + 1].begun - seen[i].begun - seen[i].taken);
        gaps[i] = gap > 0 ? gap : 0;
    }
    const double bytes = next_within(sizes, n_seen);
    next->bytes = bytes > 1 ? (uint64_t) bytes : 1;
    next->has_gap = n_seen > 1;
    next->gap = next->has_gap ? (int64_t) next_within(gaps, n_seen - 1) : 0;
    return true;
}
