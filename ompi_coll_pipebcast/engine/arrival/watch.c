/*
 * Which plain broadcasts of a communicator are watched; see engine/arrival/watch.h.
 */
#include "engine/arrival/watch.h"

/** What a transport keeps beside each message that waits: ob1 about so many bytes. */
#define WEIGHT_OF_ANY 256

static uint64_t weight_of(size_t bytes)
{
    return bytes < PB_WATCH_MAX_WEIGHT - WEIGHT_OF_ANY ? bytes + WEIGHT_OF_ANY
                                                       : PB_WATCH_MAX_WEIGHT;
}

void pb_watch_init(pb_watch_t *watch)
{
    *watch = (pb_watch_t){.weight = PB_WATCH_INTERVAL - 1};
}

bool pb_watch_is_due(const pb_watch_t *watch)
{
    return watch->is_open && watch->weight >= PB_WATCH_LAG;
}

void pb_watch_close(pb_watch_t *watch)
{
    watch->is_open = false;
}

bool pb_watch_is_next(const pb_watch_t *watch)
{
    return watch->weight >= PB_WATCH_INTERVAL && (!watch->is_open || pb_watch_is_due(watch));
}

bool pb_watch_begin(pb_watch_t *watch, size_t bytes)
{
    const bool is_watched = !watch->is_open && pb_watch_is_next(watch);
    if (is_watched) {
        watch->is_open = true;
        watch->weight = 0;
        watch->n_folds++;
    }
    watch->weight += weight_of(bytes);
    return is_watched;
}
