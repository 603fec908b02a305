/*
 * Frames that are here; see engine/multicast/frames.h.
 */
#include "engine/multicast/frames.h"

#include <stdlib.h>

uint32_t pb_frames_count(size_t total, uint32_t payload)
{
    const size_t n = total / payload + (total % payload != 0);
    return n < UINT32_MAX ? (uint32_t) n : 0;
}

bool pb_frames_init(pb_frames_t *f, size_t total, uint32_t payload, bool all)
{
    const uint32_t n = pb_frames_count(total, payload);
    *f = (pb_frames_t){.total = total, .payload = payload, .n_frames = n};
    f->bits = n > 0 ? calloc(n / 64 + 1, sizeof(*f->bits)) : NULL;
    if (f->bits == NULL) {
        return false;
    }
    for (uint32_t i = 0; all && i <= n / 64; i++) {
        f->bits[i] = i < n / 64 ? UINT64_MAX : (UINT64_C(1) << n % 64) - 1;
    }
    f->first_missing = f->seen_to = all ? n : 0;
    return true;
}

void pb_frames_fini(pb_frames_t *f)
{
    free(f->bits);
    f->bits = NULL;
}

/** The first frame in [from, to) that is missing; `to` if there is none. */
static uint32_t next_missing(const pb_frames_t *f, uint32_t from, uint32_t to)
{
    while (from < to) {
        const uint64_t missing = ~f->bits[from / 64] >> from % 64;
        if (missing != 0) {
            const uint32_t found = from + (uint32_t) __builtin_ctzll(missing);
            return found < to ? found : to;
        }
        from += 64 - from % 64;
    }
    return to;
}

bool pb_frames_add(pb_frames_t *f, uint32_t index)
{
    if (pb_frames_has(f, index)) {
        return false;
    }
    f->bits[index / 64] |= UINT64_C(1) << index % 64;
    if (index >= f->seen_to) {
        f->seen_to = index + 1;
    }
    if (index == f->first_missing) {
        f->first_missing = next_missing(f, index, f->n_frames);
    }
    return true;
}

uint32_t pb_frames_gap(const pb_frames_t *f, uint32_t from, uint32_t to, uint32_t most,
                       uint32_t *first_p)
{
    const uint32_t first = next_missing(f, from > f->first_missing ? from : f->first_missing, to);
    uint32_t n = 0;
    while (n < most && n < to - first && !pb_frames_has(f, first + n)) {
        n++;
    }
    *first_p = first;
    return n;
}
