/*
 * The root's part of a broadcast by multicast; see engine/multicast/sender.h.
 */
#include "engine/multicast/sender.h"

/** Batches that one call sends, at most. */
#define MAX_BATCHES 8

/** A root where nobody is there waits so many times its patience. */
#define LONG_PATIENCE 8

/** What a datagram takes on the link beside its header and payload: UDP, IP and Ethernet. */
#define WIRE_BYTES 66

typedef pb_multicast_sender_t sender_t;

bool pb_multicast_sender_start(sender_t *s, pb_multicast_t *m, pb_control_t *control,
                               const pb_role_t *role, int n_ranks, char *data, size_t total)
{
    *s = (sender_t){.n_others = (uint32_t) n_ranks - 1};
    return pb_multicast_part_start(&s->part, m, control, role, data, total);
}

/** Whether frames that were sent have not left this host. */
static bool is_sending(const sender_t *s)
{
    pb_datagrams_t *datagrams = s->part.multicast->config.datagrams;
    return datagrams != NULL && datagrams->is_sending(datagrams);
}

/* What may be sent. */

/** There is news of credit, or the wait for it begins. */
static void note_news(sender_t *s, int64_t now)
{
    s->is_waiting = true;
    s->since = now;
}

/** Whether there was no news for so many times the root's patience. */
static bool is_impatient(sender_t *s, int64_t now, int times)
{
    if (!s->is_waiting) {
        note_news(s, now);
    }
    return now - s->since >= times * s->part.multicast->config.patience;
}

/** By credit: whether all are there, or are waited for no longer. */
static bool may_begin(sender_t *s, int64_t now, uint32_t n_there)
{
    if (n_there > s->n_there) {
        note_news(s, now);
        s->n_there = n_there;
    }
    if (n_there >= s->n_others) {
        return true;
    }
    const bool begins = is_impatient(s, now, n_there > 0 ? 1 : LONG_PATIENCE);
    s->part.multicast->counters.impatient += begins;
    return begins;
}

/** By credit: how far those who count let the root go. */
static void take_credit(sender_t *s, int64_t now)
{
    const uint32_t block = pb_mode_block(&s->part.multicast->mode);
    uint32_t n_there;
    const uint64_t blocks = pb_multicast_part_blocks(&s->part, &n_there);
    if (!s->has_begun && may_begin(s, now, n_there)) {
        s->has_begun = true;
        s->part.sent_ready = true; /* who comes now is late */
        note_news(s, now);
    }
    if (!s->has_begun) {
        return;
    }
    const uint64_t all = s->part.window.n_frames;
    uint64_t granted = blocks * block + s->part.multicast->config.window;
    if (blocks == UINT32_MAX) {
        granted = n_there >= s->n_others ? all : s->granted;
    }
    if (s->n_sent < s->granted || is_sending(s)) {
        note_news(s, now); /* there cannot be any of what has not left */
    }
    if (granted <= s->granted && is_impatient(s, now, 1)) {
        granted = (uint64_t) s->granted + block;
        s->part.multicast->counters.impatient++;
    }
    granted = granted < all ? granted : all;
    if (granted > s->granted) {
        s->granted = (uint32_t) granted;
        note_news(s, now);
    }
}

static void grant(sender_t *s, int64_t now)
{
    if (s->granted == s->part.window.n_frames ||
        !pb_multicast_is_settled(s->part.multicast, s->part.step.relies_on)) {
        return;
    }
    if (s->part.step.by_credit) {
        take_credit(s, now);
    } else {
        s->granted = s->part.window.n_frames;
    }
}

/* Sending. */

/** The group cannot be reached: what is left goes down the tree. */
static void give_group_up(sender_t *s)
{
    const uint32_t all = s->part.window.n_frames;
    s->part.multicast->counters.unsent += all - s->n_sent;
    s->granted = s->n_sent = all;
}

/** One frame of a message as a datagram. */
static pb_datagram_t datagram_of(const sender_t *s, uint32_t index, uint8_t *header)
{
    const pb_window_t *window = &s->part.window;
    const pb_frame_t frame = {
        .number = s->part.number,
        .index = index,
        .bytes = pb_window_bytes(window, index),
        .payload = s->part.data + (size_t) index * window->payload,
    };
    const size_t header_bytes = pb_frame_write(&s->part.multicast->config.rule, &frame, header);
    return (pb_datagram_t){header, header_bytes, frame.payload, frame.bytes};
}

/** Sends up to n frames; returns how many were, 0 also if none can be. */
static uint32_t send_batch(sender_t *s, uint32_t n)
{
    uint8_t headers[PB_DATAGRAMS_MAX_BATCH][PB_FRAME_MAX_HEADER_BYTES];
    pb_datagram_t batch[PB_DATAGRAMS_MAX_BATCH];
    pb_multicast_t *m = s->part.multicast;
    pb_datagrams_t *datagrams = m->config.datagrams;
    for (uint32_t i = 0; i < n; i++) {
        batch[i] = datagram_of(s, s->n_sent + i, headers[i]);
    }
    const int sent = datagrams != NULL ? datagrams->send(datagrams, batch, (int) n) : PB_ERR_IO;
    if (sent < 0) {
        give_group_up(s);
        return 0;
    }
    m->counters.sent += (uint32_t) sent;
    return (uint32_t) sent;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/** Frames of the next batch, by the rate. */
static uint32_t batch_size(sender_t *s, int64_t now)
{
    pb_multicast_t *m = s->part.multicast;
    const uint32_t left = s->granted - s->n_sent;
    const uint64_t allowed = pb_rate_allows(&m->rate, now);
    const uint64_t by_rate = allowed / (m->config.payload + WIRE_BYTES) + (allowed > 0);
    return (uint32_t) smaller(left, smaller(by_rate, PB_DATAGRAMS_MAX_BATCH));
}

static void send_frames(sender_t *s, int64_t now)
{
    pb_multicast_t *m = s->part.multicast;
    for (int i = 0; i < MAX_BATCHES && s->n_sent < s->granted; i++) {
        const uint32_t n = batch_size(s, now), sent = n > 0 ? send_batch(s, n) : 0;
        pb_rate_spend(&m->rate, (uint64_t) sent * (m->config.payload + WIRE_BYTES));
        s->n_sent += sent;
        if (sent == 0) {
            return;
        }
    }
}

static void note_rate(sender_t *s)
{
    pb_multicast_t *m = s->part.multicast;
    if (s->part.is_settled && !s->has_noted_rate && m->settled == s->part.number + 1) {
        const pb_multicast_result_t *result = pb_multicast_last_result(m);
        pb_rate_note(&m->rate, result->frames, s->n_others, result->asked.all);
    }
    s->has_noted_rate = s->part.is_settled;
}

bool pb_multicast_sender_advance(sender_t *s, int64_t now)
{
    pb_multicast_part_t *part = &s->part;
    pb_multicast_part_receive(part);
    if (!part->all_sent && part->error == 0) {
        pb_multicast_pump(part->multicast); /* copies of its own frames, and what it has missed */
        grant(s, now);
        send_frames(s, now);
        part->all_sent = s->n_sent == part->window.n_frames && !is_sending(s);
    }
    pb_multicast_part_send(part);
    note_rate(s);
    return pb_multicast_part_is_over(part);
}
