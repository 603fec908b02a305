/*
 * The root's frames to the group: how far the rule of engine/multicast/marks.h lets it go, and no
 * faster than its rate.
 */
#include "engine/multicast/part_internal.h"
#include "topo/util/kit.h"

/** Batches that one call sends, at most. */
#define MAX_BATCHES 8

/** Bytes on the link next to a datagram's header and payload: UDP, IP and Ethernet. */
#define WIRE_BYTES 66

/** Returns whether sent frames have not left this host. */
static bool is_sending(const pb_part_t *p)
{
    pb_datagrams_t *datagrams = p->multicast->config.datagrams;
    return datagrams != NULL && datagrams->is_sending(datagrams);
}

/* Frames that may be sent. */

/** Frames that the last mark that is known to be settled allows. */
static uint64_t by_mark(const pb_part_t *p)
{
    const uint64_t to = p->multicast->settled + p->multicast->config.window;
    return to > p->step.first ? to - p->step.first : 0;
}

/** Frames that reports allow. */
static uint64_t by_reports(const pb_part_t *p)
{
    const pb_marks_t *marks = &p->multicast->marks;
    const uint32_t blocks = pb_part_least_blocks(p, p->source.n_sent);
    if (blocks == 0 || blocks == UINT32_MAX) {
        return 0;
    }
    return (uint64_t) blocks * pb_marks_block(marks) + marks->window;
}

/**
 * Returns the frames that may be sent where reports stay away, else 0: twice as many each time, so
 * that an unheard message ends soon. Time that frames take to leave is no time without news.
 */
static uint64_t by_patience(pb_part_t *p, int64_t now)
{
    pb_multicast_source_t *s = &p->source;
    if (p->step.n_blocks == 0 || p->multicast->settled < p->step.marked) {
        return 0;
    }
    if (!s->is_waiting || s->n_sent < s->n_granted || is_sending(p)) {
        s->is_waiting = true;
        s->since = now;
    }
    if (now - s->since < p->multicast->config.patience) {
        return 0;
    }
    p->multicast->counters.impatient++;
    s->n_impatient++;
    return s->n_granted + ((uint64_t) pb_marks_block(&p->multicast->marks) << (s->n_impatient - 1));
}

static void grant(pb_part_t *p, int64_t now)
{
    pb_multicast_source_t *s = &p->source;
    const uint64_t all = p->frames.n_frames, reports = by_reports(p), mark = by_mark(p);
    uint64_t granted = p->n_children == 0 ? all : reports > mark ? reports : mark;
    if (granted > s->n_granted) {
        s->n_impatient = 0;
    } else {
        granted = by_patience(p, now);
    }
    if (granted > s->n_granted) {
        s->n_granted = (uint32_t) pb_minu64(granted, all);
        s->since = now;
    }
}

/* Sending. */

/** One frame of the message as a datagram. */
static pb_datagram_t datagram_of(const pb_part_t *p, uint32_t index, uint8_t *header)
{
    const pb_frame_t frame = {
        .number = p->number,
        .index = index,
        .bytes = pb_frames_bytes(&p->frames, index),
        .payload = p->data + (size_t) index * p->frames.payload,
    };
    const size_t header_bytes = pb_frame_write(&p->multicast->config.rule, &frame, header);
    return (pb_datagram_t){header, header_bytes, frame.payload, frame.bytes};
}

/**
 * The group cannot be reached: n frames count as sent, and go down the tree. Nobody reports frames
 * that nobody hears, so where only reports let the root go on, all that is left goes with them.
 */
static uint32_t give_up(pb_part_t *p, uint32_t n)
{
    pb_multicast_source_t *s = &p->source;
    if (p->step.n_blocks > 0 && p->multicast->settled >= p->step.marked) {
        s->n_granted = p->frames.n_frames;
        n = s->n_granted - s->n_sent;
    }
    return n;
}

/**
 * Sends up to n frames; returns how many were. If the group cannot be reached, they count as sent:
 * they go down the tree.
 */
static uint32_t send_batch(pb_part_t *p, uint32_t n)
{
    uint8_t headers[PB_DATAGRAMS_MAX_BATCH][PB_FRAME_MAX_HEADER_BYTES];
    pb_datagram_t batch[PB_DATAGRAMS_MAX_BATCH];
    pb_multicast_t *m = p->multicast;
    pb_datagrams_t *datagrams = m->config.datagrams;
    for (uint32_t i = 0; i < n; i++) {
        batch[i] = datagram_of(p, p->source.n_sent + i, headers[i]);
    }
    const int sent = datagrams != NULL ? datagrams->send(datagrams, batch, (int) n) : PB_ERR_IO;
    return sent < 0 ? give_up(p, n) : (uint32_t) sent;
}

/** Frames of the next batch, by the rate. */
static uint32_t batch_size(const pb_part_t *p, int64_t now)
{
    pb_multicast_t *m = p->multicast;
    const uint64_t allowed = pb_rate_allows(&m->rate, now);
    const uint64_t by_rate = allowed / (m->config.payload + WIRE_BYTES) + (allowed > 0);
    return (uint32_t) pb_minu64(p->source.n_granted - p->source.n_sent,
                                pb_minu64(by_rate, PB_DATAGRAMS_MAX_BATCH));
}

static void send_granted(pb_part_t *p, int64_t now)
{
    pb_multicast_t *m = p->multicast;
    for (int i = 0; i < MAX_BATCHES && p->source.n_sent < p->source.n_granted; i++) {
        const uint32_t n = batch_size(p, now), sent = n > 0 ? send_batch(p, n) : 0;
        pb_rate_spend(&m->rate, (uint64_t) sent * (m->config.payload + WIRE_BYTES));
        p->source.n_sent += sent;
        if (sent == 0) {
            return;
        }
    }
}

void pb_part_send_frames(pb_part_t *p, int64_t now)
{
    pb_multicast_source_t *s = &p->source;
    if (s->all_sent || p->error != 0) {
        return;
    }
    if (s->n_granted < p->frames.n_frames) {
        grant(p, now);
    }
    send_granted(p, now);
    s->all_sent = s->n_sent == p->frames.n_frames && !is_sending(p);
}
