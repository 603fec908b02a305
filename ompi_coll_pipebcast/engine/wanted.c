/*
 * What the ranks of a communicator want to be in force; see engine/wanted.h.
 */
#include "engine/wanted.h"

#include "engine/arrival/fold.h"
#include "engine/arrival/watch.h"

void pb_wanted_init(pb_wanted_t *wanted, uint64_t in_force)
{
    *wanted = (pb_wanted_t){.in_force = in_force};
}

uint32_t pb_wanted_begin(pb_wanted_t *wanted)
{
    return ++wanted->n_begun;
}

static bool is_older(uint32_t fold, uint32_t than)
{
    return than != 0 && (int32_t) (fold - than) < 0;
}

pb_wanted_news_t pb_wanted_take(pb_wanted_t *wanted, uint32_t fold, uint64_t all)
{
    if (is_older(fold, wanted->newest)) {
        return PB_WANTED_STAYS;
    }
    wanted->newest = fold;
    if (all == PB_FOLD_DIFFERENT) {
        wanted->n_different += wanted->n_different <= PB_WANTED_REPORT_AFTER;
        return wanted->n_different == PB_WANTED_REPORT_AFTER ? PB_WANTED_DIFFERS : PB_WANTED_STAYS;
    }
    const bool is_other = all != wanted->in_force;
    wanted->n_different = 0;
    wanted->in_force = all;
    return is_other ? PB_WANTED_CHANGES : PB_WANTED_STAYS;
}

bool pb_wanted_polls(pb_wanted_t *wanted, size_t bytes)
{
    const bool polls = !wanted->is_polling && wanted->weight >= PB_WANTED_INTERVAL;
    if (polls) {
        wanted->is_polling = true;
        wanted->weight = 0;
    }
    wanted->weight += pb_watch_weight(bytes);
    return polls;
}

bool pb_wanted_take_poll(pb_wanted_t *wanted)
{
    const bool is_due = wanted->is_polling && wanted->weight >= PB_WANTED_INTERVAL;
    if (is_due) {
        wanted->is_polling = false;
    }
    return is_due;
}
