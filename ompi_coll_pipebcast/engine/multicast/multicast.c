/*
 * One rank's membership in a group; see engine/multicast/multicast.h.
 */
#include "engine/multicast/multicast.h"

#include "engine/multicast/part.h"

/** Datagrams that one call takes in, at most. */
#define MAX_TAKEN 256

void pb_multicast_init(pb_multicast_t *m, const pb_multicast_config_t *config)
{
    *m = (pb_multicast_t){.config = *config};
    pb_marks_init(&m->marks, config->window);
    m->rate = pb_rate_of(config->ceiling);
}

void pb_multicast_use(pb_multicast_t *m, pb_datagrams_t *datagrams)
{
    m->config.datagrams = datagrams;
    m->has_frame = false; /* the frame was in the memory of the others */
}

/* Datagrams. */

/** Reads the next datagram; false if there is none. It is a frame of this group or it is dropped.
 */
static bool read_one(pb_multicast_t *m)
{
    const uint8_t *bytes;
    size_t length;
    pb_datagrams_t *datagrams = m->config.datagrams;
    if (!pb_multicast_hears(m) || !datagrams->next(datagrams, &bytes, &length)) {
        return false;
    }
    m->has_frame = pb_frame_read(&m->config.rule, bytes, length, &m->frame);
    m->counters.foreign += !m->has_frame;
    return true;
}

static pb_multicast_part_t *part_of(const pb_multicast_t *m, uint64_t number)
{
    pb_multicast_part_t *part = m->parts;
    while (part != NULL && part->number != number) {
        part = part->next;
    }
    return part;
}

/** Returns whether a part may still find frames behind those of later broadcasts. */
static bool is_awaiting_frames(const pb_multicast_t *m)
{
    for (const pb_multicast_part_t *part = m->parts; part != NULL; part = part->next) {
        if (pb_multicast_part_is_awaiting_frames(part)) {
            return true;
        }
    }
    return false;
}

/** Returns whether this rank will start the frame's broadcast; no root gets further ahead. */
static bool is_early(const pb_multicast_t *m)
{
    return m->frame.number >= m->next && m->frame.number - m->next <= m->config.window;
}

/** Gives the frame to whom it belongs; false if it has to wait. */
static bool give(pb_multicast_t *m)
{
    pb_multicast_part_t *part = part_of(m, m->frame.number);
    if (part != NULL && pb_multicast_part_take_frame(part, &m->frame)) {
        m->counters.received++;
    } else if (is_early(m) && !is_awaiting_frames(m)) {
        return false;
    } else {
        m->counters.unused++;
    }
    m->has_frame = false;
    return true;
}

void pb_multicast_pump(pb_multicast_t *m)
{
    m->is_drained = false;
    for (int i = 0; i < MAX_TAKEN; i++) {
        if (!m->has_frame && !read_one(m)) {
            m->is_drained = true;
            return;
        }
        if (m->has_frame && !give(m)) {
            m->is_drained = true;
            return;
        }
    }
}

uint32_t pb_multicast_take_lost(pb_multicast_t *m, pb_multicast_loss_t *before)
{
    pb_datagrams_t *datagrams = m->config.datagrams;
    if (!pb_multicast_hears(m)) {
        return 0;
    }
    pb_multicast_pump(m);
    /* Frames that came after they were asked for, or too early, were not lost. The kernel counts a
     * run of frames as one drop: a rank that dropped any hears, and no more is known. */
    const pb_multicast_loss_t now = {.lost = (int64_t) (m->counters.repaired - m->counters.unused),
                                     .dropped = datagrams->dropped(datagrams)};
    const int64_t lost = now.dropped == before->dropped ? now.lost - before->lost : 0;
    *before = now;
    return lost > 0 ? (uint32_t) lost : 0;
}
