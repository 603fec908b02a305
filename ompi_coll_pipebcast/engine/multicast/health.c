/*
 * Health of a multicast group; see engine/multicast/health.h.
 */
#include "engine/multicast/health.h"

/** Factor by which each further failure lengthens the rest. */
#define LONGER 8

void pb_health_init(pb_health_t *h)
{
    *h = (pb_health_t){.state = PB_HEALTH_RESTING, .due = PB_HEALTH_FIRST};
}

void pb_health_count(pb_health_t *h)
{
    h->n_broadcasts++;
}

bool pb_health_begins_probe(pb_health_t *h)
{
    if (h->state != PB_HEALTH_RESTING || h->n_broadcasts < h->due) {
        return false;
    }
    h->state = PB_HEALTH_PROBING;
    h->due = h->n_broadcasts + PB_HEALTH_LAG;
    return true;
}

bool pb_health_is_due(const pb_health_t *h)
{
    return h->state == PB_HEALTH_PROBING && h->n_broadcasts >= h->due;
}

/** Notes a failure: trees are used for a while, or for good. */
static void fail(pb_health_t *h)
{
    uint64_t rest = PB_HEALTH_REST;
    for (int i = 0; i < h->n_failures; i++) {
        rest *= LONGER;
    }
    h->n_failures++;
    h->state = h->n_failures < PB_HEALTH_FAILURES ? PB_HEALTH_RESTING : PB_HEALTH_GIVEN_UP;
    h->due = h->n_broadcasts + rest;
}

void pb_health_probed(pb_health_t *h, bool works)
{
    h->n_deaf = 0;
    h->n_good = 0;
    h->frames = h->missed = 0;
    if (works) {
        h->state = PB_HEALTH_WORKING;
    } else {
        fail(h);
    }
}

bool pb_health_is_deaf(uint64_t frames, uint64_t missed)
{
    return 2 * missed >= frames;
}

bool pb_health_judge(pb_health_t *h, uint64_t frames, uint64_t missed)
{
    h->frames += frames;
    h->missed += missed;
    if (h->state != PB_HEALTH_WORKING || h->frames < PB_HEALTH_FRAMES) {
        return false;
    }
    const bool is_deaf = pb_health_is_deaf(h->frames, h->missed);
    const bool is_silence = 8 * h->missed >= 7 * h->frames; /* that cannot be loss */
    h->frames = h->missed = 0;
    h->n_good = is_deaf ? 0 : h->n_good + 1;
    h->n_failures = h->n_good >= PB_HEALTH_REST ? 0 : h->n_failures;
    h->n_deaf = !is_deaf ? 0 : is_silence ? PB_HEALTH_DEAF : h->n_deaf + 1;
    if (h->n_deaf == PB_HEALTH_DEAF) {
        fail(h);
    }
    return h->n_deaf == PB_HEALTH_DEAF;
}
