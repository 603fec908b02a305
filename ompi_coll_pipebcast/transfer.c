/*
 * The state machine of one rank's part of a broadcast; see transfer.h.
 */
#include "transfer.h"

#include <stdlib.h>

/**
 * How often a paced target confirms: after so many segments, and so many bytes at
 * least. Fewer would not hide the time of a confirmation on a fast network, where
 * segments are large; and a confirmation costs small frames on links that are
 * full. Ours: on emulated clusters of 32 hosts at 10 Mbit/s, half as many bytes
 * were no better.
 */
#define PACE_SEGMENTS 16
#define PACE_BYTES ((size_t) 96 << 10)

/**
 * The same of a target that can have more than two sources. What they have in flight meets at
 * the target's switch port, which may have 128 KB for it: with four sources of the circulant
 * schedule and PACE_BYTES, ports overflowed and 2 MB took 1.4 T(M) in place of 1.07. Ours, on
 * 16 hosts: half as many bytes cost 4 %, twice as many still overflowed in one run of two.
 */
#define CROWD_SOURCES 3
#define CROWD_SEGMENTS 4
#define CROWD_BYTES ((size_t) 16 << 10)

static size_t segment_bytes(const pb_transfer_t *t, uint64_t segment)
{
    size_t offset = (size_t) segment * t->segment_size;
    return t->total - offset < t->segment_size ? t->total - offset : t->segment_size;
}

static size_t segment_offset(const pb_transfer_t *t, uint64_t segment)
{
    return (size_t) segment * t->segment_size;
}

static bool is_here(const pb_transfer_t *t, const pb_lane_t *lane)
{
    return lane->round < t->arrived[lane->stream];
}

static bool lane_travels_here(const pb_lane_t *lane)
{
    return (lane->mask >> lane->stream & 1) != 0;
}

static void lane_step(const pb_transfer_t *t, pb_lane_t *lane)
{
    lane->next++;
    lane->stream++;
    if (lane->stream == t->n_streams) {
        lane->stream = 0;
        lane->round++;
    }
}

static void lane_init(pb_transfer_t *t, pb_lane_t *lane, int rank, uint32_t mask,
                      pb_flight_t *window)
{
    *lane =
        (pb_lane_t){.rank = rank, .mask = mask, .window = window, .to_confirm = t->confirm_every};
    while (lane->next < t->n_segments && !lane_travels_here(lane)) {
        lane_step(t, lane);
    }
    t->n_unfinished += lane->next < t->n_segments;
}

/** Segments that hold so many bytes, `least` of them at least. */
static uint64_t segments_of(size_t bytes, size_t segment_size, uint64_t least)
{
    const uint64_t segments = (bytes - 1) / segment_size + 1;
    return segments > least ? segments : least;
}

/**
 * Every so many segments a target confirms, so that at most `ahead` bytes wait there, and far
 * fewer are in flight to a paced one and in a crowd. 0: it never does. A target can have another
 * source for each stream, none of which sees what the others send.
 */
static uint64_t confirm_interval(size_t ahead, int n_streams, size_t segment_size, bool paced)
{
    uint64_t interval = UINT64_MAX;
    if (n_streams >= CROWD_SOURCES) {
        interval = segments_of(CROWD_BYTES, segment_size, CROWD_SEGMENTS);
    } else if (paced) {
        interval = segments_of(PACE_BYTES, segment_size, PACE_SEGMENTS);
    }
    if (ahead != 0) {
        const uint64_t late = ahead / (size_t) n_streams / segment_size / PB_TRANSFER_CONFIRMATIONS;
        interval = late < interval ? late : interval;
        interval = interval > 0 ? interval : 1;
    }
    return interval < UINT64_MAX ? interval : 0;
}

bool pb_transfer_start(pb_transfer_t *t, const pb_role_t *role, const pb_transfer_limits_t *limits,
                       size_t total, size_t segment_size, pb_transport_t *transport,
                       pb_message_t *message)
{
    const size_t n_lanes = (size_t) role->n_sources + (size_t) role->n_targets;
    const bool paced = role->n_sources == 0 && role->n_targets > 1;
    *t = (pb_transfer_t){
        .transport = transport,
        .message = message,
        .total = total,
        .segment_size = segment_size,
        .n_segments = (total - 1) / segment_size + 1,
        .n_streams = role->n_streams,
        .n_sources = role->n_sources,
        .n_targets = role->n_targets,
        .receive_window = limits->receive_window,
        .send_window = limits->send_window,
        .confirm_every = confirm_interval(limits->ahead, role->n_streams, segment_size, paced),
        .paced = paced,
    };
    const size_t n_flights = (size_t) t->n_sources * (size_t) t->receive_window +
                             (size_t) t->n_targets * (size_t) t->send_window;
    t->lanes = malloc((n_lanes + 1) * sizeof(*t->lanes));
    t->flights = malloc((n_flights + 1) * sizeof(*t->flights));
    t->arrived = calloc((size_t) t->n_streams, sizeof(*t->arrived));
    if (t->lanes == NULL || t->flights == NULL || t->arrived == NULL) {
        pb_transfer_finish(t);
        return false;
    }

    pb_flight_t *window = t->flights;
    for (int i = 0; i < t->n_sources; i++, window += t->receive_window) {
        lane_init(t, &t->lanes[i], role->source[i], role->source_mask[i], window);
    }
    for (int i = 0; i < t->n_targets; i++, window += t->send_window) {
        lane_init(t, &t->lanes[t->n_sources + i], role->target[i], role->target_mask[i], window);
    }
    if (t->n_sources == 0) {
        for (int stream = 0; stream < t->n_streams; stream++) {
            t->arrived[stream] = t->n_segments;
        }
    }
    return true;
}

static pb_flight_t *lane_oldest(const pb_lane_t *lane)
{
    return &lane->window[lane->head];
}

static pb_flight_t *lane_free_flight(const pb_lane_t *lane, int window)
{
    int at = lane->head + lane->n_flying;
    return &lane->window[at < window ? at : at - window];
}

/** The flight of the segment `next` is under way. */
static void lane_started(const pb_transfer_t *t, pb_lane_t *lane)
{
    do {
        lane_step(t, lane);
    } while (lane->next < t->n_segments && !lane_travels_here(lane));
}

static bool lane_is_empty(const pb_lane_t *lane)
{
    return lane->n_flying == 0 && lane->n_confirming == 0;
}

static void lane_pop(pb_transfer_t *t, pb_lane_t *lane, int window)
{
    lane->head = lane->head + 1 < window ? lane->head + 1 : 0;
    lane->n_flying--;
    t->n_unfinished -= lane_is_empty(lane) && lane->next >= t->n_segments;
}

static void lane_pop_confirming(pb_transfer_t *t, pb_lane_t *lane)
{
    lane->n_confirming--;
    for (int i = 0; i < lane->n_confirming; i++) {
        lane->confirming[i] = lane->confirming[i + 1];
    }
    t->n_unfinished -= lane_is_empty(lane) && lane->next >= t->n_segments;
}

static void keep_first_error(pb_transfer_t *t, int error)
{
    if (t->error == 0) {
        t->error = error;
    }
}

/** A flight that is not (or no longer) under way gives its buffer back. */
static void release(pb_transfer_t *t, const pb_flight_t *flight)
{
    if (flight->buffer != NULL) {
        pb_message_release(t->message, flight->segment, flight->buffer);
    }
}

/** Asks the posted receives of a source to end. */
static void cancel_receives(pb_transfer_t *t, const pb_lane_t *lane)
{
    for (int n = 0; n < lane->n_flying; n++) {
        const pb_flight_t *flight = &lane->window[(lane->head + n) % t->receive_window];
        if (flight->request != NULL) {
            pb_transport_cancel(t->transport, flight->request);
        }
    }
}

/** The transport has refused: everything under way is given up. */
static void refused(pb_transfer_t *t, int error)
{
    keep_first_error(t, error);
    t->broken = true;
}

/**
 * The ranks do not agree on the message's size, or the transport has lost
 * something: no one knows what is still to come. Nothing more is waited for, and
 * the children get empty messages for the rest.
 */
static void cut_off(pb_transfer_t *t)
{
    t->cut_off = true;
    for (int stream = 0; stream < t->n_streams; stream++) {
        t->arrived[stream] = t->n_segments;
    }
    for (int i = 0; i < t->n_sources; i++) {
        pb_lane_t *lane = &t->lanes[i];
        t->n_unfinished -= lane->next < t->n_segments && lane->n_flying == 0;
        lane->next = t->n_segments;
        cancel_receives(t, lane);
    }
}

/** A segment has come from a source, or an empty message in its place, or something else. */
static void arrive(pb_transfer_t *t, pb_flight_t *flight, int error)
{
    if (error != 0 && error != PB_TRANSPORT_EMPTY && flight->buffer != NULL && !t->cut_off) {
        cut_off(t);
    }
    if (flight->buffer != NULL) {
        if (error == 0) {
            error =
                pb_message_received(t->message, flight->segment, segment_offset(t, flight->segment),
                                    flight->bytes, (void *) flight->buffer);
        }
        release(t, flight);
    }
    keep_first_error(t, error);
    t->arrived[flight->stream]++;
}

/** Takes in what has come from a source, oldest first. */
static bool take_arrivals(pb_transfer_t *t, pb_lane_t *lane)
{
    bool moved = false;
    while (lane->n_flying > 0) {
        pb_flight_t *flight = lane_oldest(lane);
        int error = 0;
        if (!pb_transport_arrived(t->transport, &flight->request, flight->bytes, &error)) {
            break;
        }
        arrive(t, flight, error);
        lane_pop(t, lane, t->receive_window);
        moved = true;
    }
    return moved;
}

/** Posts the next receive of a source; false if that cannot be done now. */
static bool post_one(pb_transfer_t *t, pb_lane_t *lane)
{
    pb_flight_t *flight = lane_free_flight(lane, t->receive_window);
    const size_t bytes = segment_bytes(t, lane->next);
    void *buffer = NULL;
    int error = pb_message_to_receive(t->message, lane->next, segment_offset(t, lane->next), bytes,
                                      &buffer);
    if (error == PB_MESSAGE_BUSY) {
        return false;
    }
    keep_first_error(t, error);
    *flight = (pb_flight_t){.segment = lane->next,
                            .stream = lane->stream,
                            .buffer = error == 0 ? buffer : NULL,
                            .bytes = error == 0 ? bytes : 0};
    error = pb_transport_receive(t->transport, (void *) flight->buffer, flight->bytes, lane->rank,
                                 &flight->request);
    if (error != 0) {
        release(t, flight);
        refused(t, error);
        return false;
    }
    lane->n_flying++;
    lane_started(t, lane);
    return true;
}

/** Keeps the window of a source full of posted receives. */
static bool post_receives(pb_transfer_t *t, pb_lane_t *lane)
{
    bool moved = false;
    while (lane->n_flying < t->receive_window && lane->next < t->n_segments && !t->broken &&
           post_one(t, lane)) {
        moved = true;
    }
    return moved;
}

/** Whether a send is done; then its buffer is given back, and its place in the lane is to be. */
static bool reap_one(pb_transfer_t *t, pb_flight_t *flight)
{
    int error = 0;
    if (!pb_transport_sent(t->transport, &flight->request, &error)) {
        return false;
    }
    release(t, flight);
    keep_first_error(t, error);
    return true;
}

/** Takes back what a target no longer needs, oldest first. */
static bool reap_sends(pb_transfer_t *t, pb_lane_t *lane)
{
    bool moved = false;
    while (lane->n_flying > 0 && reap_one(t, lane_oldest(lane))) {
        lane_pop(t, lane, t->send_window);
        moved = true;
    }
    while (lane->n_confirming > 0 && reap_one(t, &lane->confirming[0])) {
        lane_pop_confirming(t, lane);
        moved = true;
    }
    return moved;
}

/**
 * Whether a paced target must wait for another that is behind it: not if half of
 * its own confirmations have come, for then the other is late. As these come
 * without the other, no target waits for ever.
 */
static bool is_held(const pb_transfer_t *t, const pb_lane_t *lane)
{
    if (!t->paced || lane->n_confirming < PB_TRANSFER_CONFIRMATIONS / 2) {
        return false;
    }
    for (int i = 0; i < t->n_targets; i++) {
        if (t->lanes[t->n_sources + i].next + (uint64_t) t->n_streams < lane->next) {
            return true;
        }
    }
    return false;
}

static bool may_send(const pb_transfer_t *t, const pb_lane_t *lane)
{
    return lane->next < t->n_segments && lane->n_flying < t->send_window &&
           lane->n_confirming < PB_TRANSFER_CONFIRMATIONS && !t->broken && is_here(t, lane) &&
           !is_held(t, lane);
}

/** Starts one send to a target, if its next segment is here and its window has room. */
static bool send_one(pb_transfer_t *t, pb_lane_t *lane)
{
    if (!may_send(t, lane)) {
        return false;
    }
    const bool confirmed = lane->to_confirm == 1;
    pb_flight_t *flight =
        confirmed ? &lane->confirming[lane->n_confirming] : lane_free_flight(lane, t->send_window);
    const size_t bytes = segment_bytes(t, lane->next);
    const void *buffer = NULL;
    int error = 0;
    if (t->error == 0) {
        error = pb_message_to_send(t->message, lane->next, segment_offset(t, lane->next), bytes,
                                   &buffer);
    }
    if (error == PB_MESSAGE_BUSY) {
        return false;
    }
    keep_first_error(t, error);
    *flight = (pb_flight_t){
        .segment = lane->next,
        .stream = lane->stream,
        .buffer = t->error == 0 ? buffer : NULL,
        .bytes = t->error == 0 ? bytes : 0,
    };
    error = pb_transport_send(t->transport, flight->buffer, flight->bytes, lane->rank, confirmed,
                              &flight->request);
    if (error != 0) {
        release(t, flight);
        refused(t, error);
        return false;
    }
    *(confirmed ? &lane->n_confirming : &lane->n_flying) += 1;
    lane->to_confirm = confirmed ? t->confirm_every : lane->to_confirm - (t->confirm_every != 0);
    lane_started(t, lane);
    return true;
}

/** One segment to each target in turn, until nothing can be sent: older segments go first. */
static bool send_all(pb_transfer_t *t)
{
    bool moved = false;
    bool sent;
    do {
        sent = false;
        for (int i = 0; i < t->n_targets; i++) {
            sent |= send_one(t, &t->lanes[t->n_sources + i]);
        }
        moved |= sent;
    } while (sent);
    return moved;
}

/** The transport has refused: receives are asked to end; true when nothing is under way any more.
 */
static bool drain(pb_transfer_t *t)
{
    bool through = true;
    for (int i = 0; i < t->n_sources; i++) {
        pb_lane_t *lane = &t->lanes[i];
        cancel_receives(t, lane);
        take_arrivals(t, lane);
        through &= lane->n_flying == 0;
    }
    for (int i = 0; i < t->n_targets; i++) {
        through &= lane_is_empty(&t->lanes[t->n_sources + i]);
    }
    return through;
}

bool pb_transfer_advance(pb_transfer_t *t)
{
    bool moved;
    do {
        moved = false;
        for (int i = 0; i < t->n_sources; i++) {
            moved |= take_arrivals(t, &t->lanes[i]);
            moved |= post_receives(t, &t->lanes[i]);
        }
        for (int i = 0; i < t->n_targets; i++) {
            moved |= reap_sends(t, &t->lanes[t->n_sources + i]);
        }
        moved |= send_all(t);
    } while (moved && !t->broken);
    return t->broken ? drain(t) : t->n_unfinished == 0;
}

void pb_transfer_cancel(pb_transfer_t *t)
{
    t->broken = true;
    for (int i = 0; i < t->n_sources; i++) {
        cancel_receives(t, &t->lanes[i]);
    }
}

static void abandon_lane(pb_transfer_t *t, pb_lane_t *lane, int window)
{
    while (lane->n_flying > 0) {
        pb_flight_t *flight = lane_oldest(lane);
        pb_transport_abandon(t->transport, &flight->request);
        lane_pop(t, lane, window);
    }
    while (lane->n_confirming > 0) {
        pb_transport_abandon(t->transport, &lane->confirming[0].request);
        lane_pop_confirming(t, lane);
    }
}

void pb_transfer_finish(pb_transfer_t *t)
{
    if (t->lanes != NULL && t->flights != NULL && t->arrived != NULL) {
        for (int i = 0; i < t->n_sources; i++) {
            abandon_lane(t, &t->lanes[i], t->receive_window);
        }
        for (int i = 0; i < t->n_targets; i++) {
            abandon_lane(t, &t->lanes[t->n_sources + i], t->send_window);
        }
    }
    free(t->arrived);
    free(t->flights);
    free(t->lanes);
    t->arrived = NULL;
    t->flights = NULL;
    t->lanes = NULL;
}
