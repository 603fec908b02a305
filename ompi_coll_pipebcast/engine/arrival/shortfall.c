/*
 * Broadcasts that deliver far less than they should; see engine/arrival/shortfall.h.
 */
#include "engine/arrival/shortfall.h"

pb_shortfall_news_t pb_shortfall_note(pb_shortfall_t *s, const pb_fold_sums_t *sums,
                                      int64_t expected)
{
    if (sums->slow_time == 0 || expected <= 0) {
        return PB_SHORTFALL_NONE; /* it was too short to measure: no news of either kind */
    }
    const double times = (double) sums->slow_time / (double) expected;
    if (times <= PB_SHORTFALL_FACTOR) {
        s->n = 0;
        return PB_SHORTFALL_NONE;
    }
    if (s->n == 0 || times < s->least) {
        s->least = times;
        s->rank = (int) sums->slowest;
        s->from = (int) sums->slow_from;
    }
    s->n += s->n < PB_SHORTFALL_LEAST;
    if (s->n < PB_SHORTFALL_LEAST || s->was_reported) {
        return PB_SHORTFALL_SEEN;
    }
    s->was_reported = true;
    return PB_SHORTFALL_REPORT;
}
