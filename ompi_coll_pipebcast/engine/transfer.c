/*
 * The state machine of one rank's part of a broadcast; see engine/transfer.h.
 */
#include "engine/transfer.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/relay.h"

/**
 * Segments, and bytes, between two synchronous sends to a paced child, at least. Fewer would not
 * hide an acknowledgement on a fast network, and each costs small frames on full links. Ours.
 */
#define PACE_SEGMENTS 16
#define PACE_BYTES ((size_t) 96 << 10)

/** A segment, or an interval between synchronous sends, beyond the end of any message. */
#define NEVER UINT64_MAX

/** Inlines a function through which every segment goes. */
#define HOT __attribute__((always_inline)) static inline

/** For the compiler: a condition that holds for nearly every segment. */
#define MOSTLY(condition) __builtin_expect(!!(condition), 1)

HOT size_t segment_bytes(const pb_transfer_t *t, uint64_t segment)
{
    return segment != t->last ? t->segment_size : t->last_size;
}

HOT size_t segment_offset(const pb_transfer_t *t, uint64_t segment)
{
    return (size_t) segment * t->segment_size;
}

HOT bool is_here(const pb_transfer_t *t, const pb_lane_t *lane)
{
    return lane->next < t->missing[lane->stream];
}

/** Steps on to the next segment of this lane. */
HOT void lane_step_on(const pb_transfer_t *t, pb_lane_t *lane)
{
    if (MOSTLY(lane->stride != 0)) {
        lane->next += lane->stride;
        return;
    }
    do {
        lane->next++;
        lane->stream = lane->stream + 1 < t->n_streams ? lane->stream + 1 : 0;
    } while (lane->next < t->n_segments && (lane->mask >> lane->stream & 1) == 0);
}

/** The power of two that holds each window, or all segments. */
static uint32_t n_slots(const pb_transfer_t *t)
{
    const int window = t->receive_window > t->send_window ? t->receive_window : t->send_window;
    uint32_t n = 1;
    while (n < (uint32_t) window && n < t->n_segments) {
        n *= 2;
    }
    return n;
}

/**
 * Every N-th send is synchronous, so that at most `ahead` bytes wait at a child, and far fewer are
 * in flight to a paced one. Returns N; NEVER: none is. A child can have another parent for each
 * stream, and parents do not see each other's sends.
 */
static uint64_t synchronous_interval(size_t ahead, int n_streams, size_t segment_size, bool paced)
{
    uint64_t interval = NEVER;
    if (paced) {
        const uint64_t segments = (PACE_BYTES - 1) / segment_size + 1;
        interval = segments > PACE_SEGMENTS ? segments : PACE_SEGMENTS;
    }
    if (ahead != 0) {
        const uint64_t late = ahead / ((size_t) n_streams * segment_size * PB_TRANSFER_SYNCHRONOUS);
        interval = late < interval ? late : interval;
        interval = interval > 0 ? interval : 1;
    }
    return interval;
}

/** Cuts the message into segments. */
static void cut(pb_transfer_t *t, size_t segment_size)
{
    const size_t total = t->message->total;
    t->segment_size = segment_size;
    t->last = (total - 1) / segment_size;
    t->last_size = total - segment_offset(t, t->last);
    t->n_segments = t->last + 1;
}

/** Makes the lane to one rank. */
HOT void make_lane(pb_transfer_t *t, pb_lane_t *lane, int rank, uint32_t streams,
                   pb_flight_t *window)
{
    const uint32_t mask = streams & ((UINT32_C(1) << t->n_streams) - 1);
    assert(mask != 0);
    const int first = __builtin_ctz(mask);
    *lane = (pb_lane_t){.transfer = t,
                        .rank = rank,
                        .mask = mask,
                        .next = (uint64_t) first,
                        .stream = first,
                        .stride = mask >> first == 1 ? (uint64_t) t->n_streams : 0,
                        .until_synchronous = t->synchronous_every,
                        .window = window};
}

/** Makes the lanes of all parents and children. False if out of memory. */
static bool make_all_lanes(pb_transfer_t *t, const pb_role_t *role)
{
    const size_t n_lanes = (size_t) role->n_parents + (size_t) role->n_children;
    t->last_slot = n_slots(t) - 1;
    const size_t room = t->last_slot + 1 + PB_TRANSFER_SYNCHRONOUS;
    t->lanes = malloc(n_lanes * (sizeof(pb_lane_t) + room * sizeof(pb_flight_t)) + 1);
    if (t->lanes == NULL) {
        t->children = t->children_end = t->served_end = NULL;
        return false;
    }
    t->children = t->lanes + role->n_parents;
    t->children_end = t->served_end = t->lanes + n_lanes;
    pb_flight_t *window = (pb_flight_t *) t->children_end;
    for (int i = 0; i < role->n_parents; i++, window += room) {
        make_lane(t, &t->lanes[i], role->parent[i], role->parent_mask[i], window);
    }
    for (int i = 0; i < role->n_children; i++, window += room) {
        make_lane(t, &t->children[i], role->child[i], role->child_mask[i], window);
    }
    return true;
}

bool pb_transfer_start(pb_transfer_t *t, const pb_role_t *role, const pb_transfer_limits_t *limits,
                       size_t segment_size, pb_transport_t *transport, pb_message_t *message)
{
    const bool is_root = role->n_parents == 0;
    const bool has_all = is_root && !limits->offered;
    const bool in_turn = is_root && limits->in_turn;
    t->transport = transport;
    t->message = message;
    t->bytes = message->bytes;
    t->packs = message->packs;
    t->unpacks = message->packing != NULL && role->n_parents > 0;
    cut(t, segment_size);
    t->receive_window = limits->receive_window;
    t->send_window = limits->send_window;
    t->n_streams = role->n_streams;
    t->n_parents = role->n_parents;
    t->paced = has_all && role->n_children > 1 && !in_turn;
    t->synchronous_every = role->n_children > 0
                               ? synchronous_interval(in_turn ? 0 : limits->ahead, role->n_streams,
                                                      segment_size, t->paced)
                               : NEVER;
    t->relay = NULL;
    t->error = message->error;
    t->broken = false;
    for (int stream = 0; stream < PB_PLAN_MAX_STREAMS; stream++) {
        t->missing[stream] = has_all ? t->n_segments : (uint64_t) stream;
    }
    const bool is_made = make_all_lanes(t, role);
    if (in_turn && t->children < t->children_end) {
        t->served_end = t->children + 1;
    }
    return is_made;
}

HOT int n_flying(const pb_lane_t *lane)
{
    return (int) (lane->n_begun - lane->n_ended);
}

HOT int n_synchronous(const pb_lane_t *lane)
{
    return (int) (lane->n_begun_synchronous - lane->n_ended_synchronous);
}

/** The slot of the `n`-th flight in the window. */
HOT pb_flight_t *flight_at(pb_lane_t *lane, uint32_t n)
{
    return &lane->window[n & lane->transfer->last_slot];
}

HOT pb_flight_t *synchronous_at(pb_lane_t *lane, uint32_t n)
{
    return &lane->window[lane->transfer->last_slot + 1 + n % PB_TRANSFER_SYNCHRONOUS];
}

HOT bool lane_is_empty(const pb_lane_t *lane)
{
    return n_flying(lane) == 0 && n_synchronous(lane) == 0;
}

/** Everything under way is given up: receives are asked to end, and no lane starts anything. */
void pb_transfer_cancel(pb_transfer_t *t)
{
    t->broken = true;
    for (pb_lane_t *lane = t->lanes; lane < t->children_end; lane++) {
        lane->next = NEVER;
    }
    for (pb_lane_t *lane = t->lanes; lane < t->children; lane++) {
        for (uint32_t n = lane->n_ended; n != lane->n_begun; n++) {
            if (flight_at(lane, n)->request != NULL) {
                pb_transport_cancel(t->transport, flight_at(lane, n)->request);
            }
        }
    }
}

__attribute__((cold)) void pb_transfer_refuse(pb_transfer_t *t, int error)
{
    pb_keep_first_error(&t->error, error);
    pb_transfer_cancel(t);
}

/**
 * An empty message has come, as a rank nearer to the root has an error, or a segment of wrong size.
 */
__attribute__((cold)) static void arrive_wrong(pb_transfer_t *t, int error)
{
    if (error != PB_ERR_EMPTY && t->bytes != NULL && !t->broken) {
        pb_transfer_refuse(t, error);
    }
    pb_keep_first_error(&t->error, error);
}

/** A segment has come from a parent, or an empty message instead, or something else. */
HOT void arrive(pb_transfer_t *t, const pb_flight_t *flight, int error)
{
    if (!MOSTLY(error == 0)) {
        arrive_wrong(t, error);
    }
    t->missing[flight->stream] = flight->segment + (uint64_t) t->n_streams;
}

/** Takes in the oldest receive of a parent, if it has ended. */
HOT bool take_arrival(pb_transfer_t *t, pb_lane_t *lane)
{
    int error = 0;
    pb_flight_t *flight = flight_at(lane, lane->n_ended);
    if (n_flying(lane) == 0 ||
        !pb_transport_arrived(t->transport, &flight->request, flight->bytes, &error)) {
        return false;
    }
    arrive(t, flight, error);
    lane->n_ended++;
    return true;
}

/** Posts the next receive of a parent, of an empty message if there are no bytes; false: refused.
 */
HOT bool post_one(pb_transfer_t *t, pb_lane_t *lane)
{
    pb_flight_t *flight = flight_at(lane, lane->n_begun);
    char *buffer = NULL;
    flight->segment = lane->next;
    flight->stream = lane->stream;
    flight->bytes = 0;
    if (MOSTLY(t->bytes != NULL)) {
        buffer = t->bytes + segment_offset(t, lane->next);
        flight->bytes = segment_bytes(t, lane->next);
    }
    const int error = pb_transport_receive(t->transport, buffer, flight->bytes, lane->rank, lane,
                                           &flight->request);
    if (error != 0) {
        pb_transfer_refuse(t, error);
        return false;
    }
    lane->n_begun++;
    lane_step_on(t, lane);
    return true;
}

/**
 * Keeps the window of a parent full of posted receives, and takes in what has come, oldest first.
 * Not more than a window at a time, lest what has come waits for being sent on: then true.
 */
static bool receive_some(pb_transfer_t *t, pb_lane_t *lane)
{
    for (int n = 0;; n++) {
        while (lane->next < t->n_segments && n_flying(lane) < t->receive_window &&
               post_one(t, lane)) {
        }
        if (n == t->receive_window || !take_arrival(t, lane)) {
            return n == t->receive_window && n_flying(lane) > 0;
        }
    }
}

/** Returns whether a send is done. The caller frees its slot. */
static bool reap_one(pb_transfer_t *t, pb_flight_t *flight)
{
    int error = 0;
    if (!pb_transport_sent(t->transport, &flight->request, &error)) {
        return false;
    }
    pb_keep_first_error(&t->error, error);
    return true;
}

/** Takes back what a child no longer needs, oldest first. Not for every segment. */
__attribute__((noinline)) static void reap_sends(pb_transfer_t *t, pb_lane_t *lane)
{
    while (n_flying(lane) > 0 && reap_one(t, flight_at(lane, lane->n_ended))) {
        lane->n_ended++;
    }
    while (n_synchronous(lane) > 0 &&
           reap_one(t, synchronous_at(lane, lane->n_ended_synchronous))) {
        lane->n_ended_synchronous++;
    }
}

/**
 * Tells whether a paced child must wait for another that is behind it. If half of its own
 * acknowledgements have come, the other is late. They come without the other, so no child waits
 * without end.
 */
HOT bool is_held(pb_transfer_t *t, pb_lane_t *lane)
{
    if (!t->paced || n_synchronous(lane) < PB_TRANSFER_SYNCHRONOUS / 2) {
        return false;
    }
    reap_sends(t, lane);
    if (n_synchronous(lane) < PB_TRANSFER_SYNCHRONOUS / 2) {
        return false;
    }
    for (const pb_lane_t *other = t->children; other < t->children_end; other++) {
        if (other->next + (uint64_t) t->n_streams < lane->next) {
            return true;
        }
    }
    return false;
}

HOT bool has_room(const pb_transfer_t *t, const pb_lane_t *lane)
{
    return n_flying(lane) < t->send_window && n_synchronous(lane) < PB_TRANSFER_SYNCHRONOUS;
}

/** Returns whether a child has room, taking back sends that have ended if needed. */
HOT bool makes_room(pb_transfer_t *t, pb_lane_t *lane)
{
    if (MOSTLY(has_room(t, lane))) {
        return true;
    }
    reap_sends(t, lane);
    return has_room(t, lane);
}

HOT bool may_send(pb_transfer_t *t, pb_lane_t *lane)
{
    return is_here(t, lane) && makes_room(t, lane) && !is_held(t, lane);
}

/** A send that has not ended goes into a ring. */
static void keep_send(pb_lane_t *lane, bool synchronous, pb_request_t request)
{
    if (synchronous) {
        synchronous_at(lane, lane->n_begun_synchronous++)->request = request;
    } else {
        flight_at(lane, lane->n_begun++)->request = request;
    }
}

/** Starts one send to a child that may_send(), after an error of an empty message; false: refused.
 */
HOT bool send_one(pb_transfer_t *t, pb_lane_t *lane)
{
    const bool synchronous = lane->until_synchronous == 1;
    const size_t offset = segment_offset(t, lane->next);
    size_t bytes = segment_bytes(t, lane->next);
    const char *buffer = NULL;
    pb_request_t request;
    if (!MOSTLY(!t->packs) && t->error == 0) {
        pb_keep_first_error(&t->error, pb_message_convert(t->message, offset + bytes));
    }
    if (MOSTLY(t->error == 0)) {
        buffer = t->bytes + offset;
    } else {
        bytes = 0;
    }
    lane->until_synchronous = synchronous ? t->synchronous_every : lane->until_synchronous - 1;
    const int error =
        pb_transport_send(t->transport, buffer, bytes, lane->rank, synchronous, &request);
    if (error != 0) {
        pb_transfer_refuse(t, error);
        return false;
    }
    lane_step_on(t, lane);
    if (!MOSTLY(request == NULL)) {
        keep_send(lane, synchronous, request);
    }
    return true;
}

/**
 * One segment to each child in turn, until nothing can be sent: older segments go first. Another
 * round is needed only if the next segment of a child that was served is here, too. A child that
 * has got its last segment held no other: one that was so far ahead had its last before.
 */
HOT void send_all(pb_transfer_t *t)
{
    bool more;
    do {
        more = false;
        for (pb_lane_t *lane = t->children; lane < t->served_end; lane++) {
            if (MOSTLY(may_send(t, lane)) && send_one(t, lane)) {
                more |= is_here(t, lane);
            }
        }
    } while (more);
}

/** Returns whether all segments of a lane have come, or have left. */
HOT bool is_done(pb_transfer_t *t, pb_lane_t *lane)
{
    if (lane->next < t->n_segments) {
        return false;
    }
    if (MOSTLY(lane_is_empty(lane))) {
        return true;
    }
    if (lane >= t->children) {
        reap_sends(t, lane);
    }
    return lane_is_empty(lane);
}

/** Serves the next child in turn once the last one has all; true if there is one. */
static bool pass_turn(pb_transfer_t *t)
{
    if (t->served_end == t->children_end || !is_done(t, t->served_end - 1)) {
        return false;
    }
    t->served_end++;
    return true;
}

size_t pb_transfer_here(const pb_transfer_t *t)
{
    uint64_t missing = t->n_segments;
    for (int stream = 0; stream < t->n_streams; stream++) {
        missing = t->missing[stream] < missing ? t->missing[stream] : missing;
    }
    return missing == t->n_segments ? t->message->total : segment_offset(t, missing);
}

/** Unpacks the bytes that are here, after they were sent on. */
HOT void unpack_all_here(pb_transfer_t *t)
{
    if (!MOSTLY(!t->unpacks) && t->error == 0) {
        pb_keep_first_error(&t->error, pb_message_convert(t->message, pb_transfer_here(t)));
    }
}

HOT bool is_through(pb_transfer_t *t)
{
    for (pb_lane_t *lane = t->lanes; lane < t->children_end; lane++) {
        if (!is_done(t, lane)) {
            return false;
        }
    }
    return true;
}

/** Does what can be done, until nothing can. */
__attribute__((noinline)) static void go_on(pb_transfer_t *t)
{
    bool again;
    do {
        again = false;
        for (pb_lane_t *lane = t->lanes; lane < t->children; lane++) {
            again |= receive_some(t, lane);
        }
        send_all(t);
        again |= pass_turn(t);
        unpack_all_here(t);
    } while (again && !t->broken);
}

bool pb_transfer_advance(pb_transfer_t *t)
{
    if (is_through(t)) { /* by what the transport has reported */
        return true;
    }
    go_on(t);
    return is_through(t);
}

/* Always inline, too: into the transport that calls it. */
__attribute__((always_inline)) inline bool pb_transfer_arrived(pb_lane_t *lane,
                                                               pb_request_t request)
{
    pb_transfer_t *t = lane->transfer;
    pb_flight_t *flight = flight_at(lane, lane->n_ended);
    if (!MOSTLY(flight->request == request)) { /* one is under way: a report comes for no other */
        return false;
    }
    arrive(t, flight, pb_transport_take(t->transport, &flight->request, flight->bytes));
    lane->n_ended++;
    if (MOSTLY(lane->next < t->n_segments)) { /* and in the window there is room now */
        post_one(t, lane);
    }
    send_all(t);
    unpack_all_here(t);
    if (!MOSTLY(t->relay == NULL)) {
        pb_relay_go_on(t->relay);
    }
    return true;
}

void pb_transfer_offer(pb_transfer_t *t, size_t bytes, int error)
{
    const uint64_t offered = t->missing[0];
    uint64_t n = offered;
    while (n < t->n_segments &&
           (error != 0 || bytes == t->message->total || bytes >= segment_offset(t, n + 1))) {
        n++;
    }
    if (n > offered) {
        pb_keep_first_error(&t->error, error);
        t->missing[0] = n;
        send_all(t);
    }
}

/** Gives up the requests of a lane. */
__attribute__((noinline)) static void abandon(pb_transfer_t *t, pb_lane_t *lane)
{
    t->message->is_held = t->message->is_held || !lane_is_empty(lane);
    for (; n_flying(lane) > 0; lane->n_ended++) {
        pb_transport_abandon(t->transport, &flight_at(lane, lane->n_ended)->request);
    }
    for (; n_synchronous(lane) > 0; lane->n_ended_synchronous++) {
        pb_transport_abandon(t->transport,
                             &synchronous_at(lane, lane->n_ended_synchronous)->request);
    }
}

void pb_transfer_finish(pb_transfer_t *t)
{
    for (pb_lane_t *lane = t->lanes; t->broken && lane < t->children_end; lane++) {
        abandon(t, lane);
    }
    free(t->lanes);
    t->lanes = t->children = t->children_end = t->served_end = NULL;
}
