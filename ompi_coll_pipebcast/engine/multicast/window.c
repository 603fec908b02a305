/*
 * Frames that are here; see engine/multicast/window.h.
 */
#include "engine/multicast/window.h"

#include <stdlib.h>

uint32_t pb_window_count(size_t total, uint32_t payload)
{
    const size_t n = total / payload + (total % payload != 0);
    return n < UINT32_MAX ? (uint32_t) n : 0;
}

bool pb_window_init(pb_window_t *w, size_t total, uint32_t payload, bool all)
{
    const uint32_t n = pb_window_count(total, payload);
    *w = (pb_window_t){.total = total, .payload = payload, .n_frames = n};
    w->bits = n > 0 ? calloc(n / 64 + 1, sizeof(*w->bits)) : NULL;
    if (w->bits == NULL) {
        return false;
    }
    for (uint32_t i = 0; all && i <= n / 64; i++) {
        w->bits[i] = i < n / 64 ? UINT64_MAX : (UINT64_C(1) << n % 64) - 1;
    }
    w->first_missing = w->seen_to = all ? n : 0;
    return true;
}

void pb_window_fini(pb_window_t *w)
{
    free(w->bits);
    w->bits = NULL;
}

/** The first frame in [from, to) that is missing; `to` if there is none. */
static uint32_t next_missing(const pb_window_t *w, uint32_t from, uint32_t to)
{
    while (from < to) {
        const uint64_t missing = ~w->bits[from / 64] >> from % 64;
        if (missing != 0) {
            const uint32_t found = from + (uint32_t) __builtin_ctzll(missing);
            return found < to ? found : to;
        }
        from += 64 - from % 64;
    }
    return to;
}

bool pb_window_add(pb_window_t *w, uint32_t index)
{
    if (pb_window_has(w, index)) {
        return false;
    }
    w->bits[index / 64] |= UINT64_C(1) << index % 64;
    if (index >= w->seen_to) {
        w->seen_to = index + 1;
    }
    if (index == w->first_missing) {
        w->first_missing = next_missing(w, index, w->n_frames);
    }
    return true;
}

uint32_t pb_window_gap(const pb_window_t *w, uint32_t from, uint32_t to, uint32_t most,
                       uint32_t *first_p)
{
    const uint32_t first = next_missing(w, from > w->first_missing ? from : w->first_missing, to);
    uint32_t n = 0;
    while (n < most && n < to - first && !pb_window_has(w, first + n)) {
        n++;
    }
    *first_p = first;
    return n;
}
