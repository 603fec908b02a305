/*
 * Which plain broadcasts of a communicator are watched; see engine/arrival/watch.h.
 */
#include "engine/arrival/watch.h"

/** What a transport keeps beside each message that waits: ob1 about so many bytes. */
#define WEIGHT_OF_ANY 256

uint64_t pb_watch_weight(size_t bytes)
{
    return bytes < PB_WATCH_MAX_WEIGHT - WEIGHT_OF_ANY ? bytes + WEIGHT_OF_ANY
                                                       : PB_WATCH_MAX_WEIGHT;
}

/** At least, as the last rank has a broadcast no sooner than a message of its size takes. */
static int64_t time_of(const pb_watch_t *watch, size_t bytes)
{
    const size_t counted = bytes < PB_WATCH_INTERVAL ? bytes : PB_WATCH_INTERVAL;
    return watch->short_message + (int64_t) counted * watch->mebibyte / (INT64_C(1) << 20);
}

void pb_watch_init(pb_watch_t *watch)
{
    *watch = (pb_watch_t){.weight = PB_WATCH_INTERVAL - 1};
}

void pb_watch_set_times(pb_watch_t *watch, int64_t short_message, int64_t mebibyte, int n_ranks)
{
    int height = 1;
    while (n_ranks >> height > 0) {
        height++;
    }
    watch->short_message = short_message > 0 ? short_message : 1;
    watch->mebibyte = mebibyte;
    watch->interval = PB_WATCH_INTERVAL_MESSAGES * watch->short_message;
    watch->lag = 2 * 2 * height * watch->short_message;
}

bool pb_watch_is_dense(const pb_watch_t *watch, size_t bytes)
{
    return watch->n_begun > 0 && watch->n_begun <= PB_WATCH_DENSE && bytes >= PB_WATCH_LEAST_BESIDE;
}

static bool has_passed(const pb_watch_t *watch, uint32_t fewest, int64_t time)
{
    return watch->short_message > 0 && watch->n >= fewest && watch->time >= time;
}

void pb_watch_ask(pb_watch_t *watch, uint32_t due_after)
{
    watch->asked_after = due_after;
}

bool pb_watch_is_due(const pb_watch_t *watch)
{
    return watch->is_open &&
           (watch->weight >= PB_WATCH_LAG || has_passed(watch, PB_WATCH_FEWEST_LAG, watch->lag) ||
            (watch->due_after != 0 && watch->n >= watch->due_after));
}

void pb_watch_close(pb_watch_t *watch)
{
    watch->is_open = false;
}

bool pb_watch_is_next(const pb_watch_t *watch)
{
    return (watch->asked_after != 0 || watch->weight >= PB_WATCH_INTERVAL ||
            has_passed(watch, PB_WATCH_FEWEST, watch->interval)) &&
           (!watch->is_open || pb_watch_is_due(watch));
}

bool pb_watch_begin(pb_watch_t *watch, size_t bytes)
{
    const bool is_watched = !watch->is_open && pb_watch_is_next(watch);
    if (is_watched) {
        watch->is_open = true;
        watch->due_after = watch->asked_after;
        watch->weight = 0;
        watch->time = 0;
        watch->n = 0;
        watch->n_folds++;
    }
    watch->weight += pb_watch_weight(bytes);
    watch->time += time_of(watch, bytes);
    watch->n++;
    watch->n_begun += watch->n_begun <= PB_WATCH_DENSE;
    return is_watched;
}

bool pb_watch_begin_beside(pb_watch_t *watch, size_t bytes)
{
    if (watch->is_open_beside || watch->n_begun <= 1 || !pb_watch_is_dense(watch, bytes)) {
        return false;
    }
    watch->is_open_beside = true;
    watch->n_since = 0;
    return true;
}

bool pb_watch_take_beside(pb_watch_t *watch)
{
    if (!watch->is_open_beside || ++watch->n_since < PB_WATCH_FEWEST_LAG) {
        return false;
    }
    watch->is_open_beside = false;
    return true;
}
