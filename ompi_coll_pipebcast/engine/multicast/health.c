/*
 * Health of a multicast group; see engine/multicast/health.h.
 */
#include "engine/multicast/health.h"

/** Factor by which each further failure lengthens the rest. */
#define LONGER 8

void pb_health_begin(pb_health_t *h)
{
    *h = (pb_health_t){.state = PB_HEALTH_RESTING};
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

static bool is_deaf(uint64_t frames, uint64_t missed)
{
    return 2 * missed >= frames;
}

/** Judges a probe. */
static void end_probe(pb_health_t *h, uint64_t frames, uint64_t missed)
{
    h->n_deaf = 0;
    h->n_good = 0;
    h->frames = h->missed = 0;
    h->state = PB_HEALTH_WORKING;
    if (is_deaf(frames, missed)) {
        fail(h);
    }
}

/** Judges the frames of broadcasts; returns whether the group has fallen silent. */
static bool falls_silent(pb_health_t *h, uint64_t frames, uint64_t missed)
{
    h->frames += frames;
    h->missed += missed;
    if (h->frames < PB_HEALTH_FRAMES) {
        return false;
    }
    const bool deaf = is_deaf(h->frames, h->missed);
    const bool is_silence = 8 * h->missed >= 7 * h->frames; /* that cannot be loss */
    h->frames = h->missed = 0;
    h->n_good = deaf ? 0 : h->n_good + 1;
    h->n_failures = h->n_good >= PB_HEALTH_GOOD ? 0 : h->n_failures;
    h->n_deaf = !deaf ? 0 : is_silence ? PB_HEALTH_DEAF : h->n_deaf + 1;
    return h->n_deaf == PB_HEALTH_DEAF;
}

bool pb_health_judge(pb_health_t *h, uint64_t frames, uint64_t missed)
{
    if (h->state == PB_HEALTH_PROBING) {
        end_probe(h, frames, missed);
        return true;
    }
    if (h->state != PB_HEALTH_WORKING || !falls_silent(h, frames, missed)) {
        return false;
    }
    h->n_failures += h->n_failures == 0; /* a switch that has forgotten a group takes a while */
    fail(h);
    return true;
}
