/*
 * The state machine of one rank's part of a broadcast; see engine/transfer.h.
 */
#include "engine/transfer.h"

#include <stdlib.h>

#include "engine/relay.h"

/**
 * How often a send to a paced child is synchronous: after so many segments, and so many bytes
 * at least. Fewer would not hide the time of an acknowledgement on a fast network, where
 * segments are large; and an acknowledgement costs small frames on links that are
 * full. Ours: on emulated clusters of 32 callers at 10 Mbit/s, half as many bytes
 * were no better.
 */
#define PACE_SEGMENTS 16
#define PACE_BYTES ((size_t) 96 << 10)

/** An interval between synchronous sends that is longer than any message. */
#define NEVER UINT64_MAX

/** What every segment goes through is worth no calls. */
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
    return lane->round < t->arrived[lane->stream];
}

HOT bool lane_travels_here(const pb_lane_t *lane)
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

/** On to the next segment that travels here. */
HOT void lane_step_on(const pb_transfer_t *t, pb_lane_t *lane)
{
    if (MOSTLY(lane->stride != 0)) {
        lane->next += lane->stride;
        lane->round++;
        return;
    }
    do {
        lane_step(t, lane);
    } while (lane->next < t->n_segments && !lane_travels_here(lane));
}

static void lane_init(pb_transfer_t *t, pb_lane_t *lane, int rank, uint32_t mask,
                      pb_flight_t *window, int n_slots)
{
    mask &= (UINT32_C(1) << t->n_streams) - 1;
    *lane = (pb_lane_t){.transfer = t,
                        .rank = rank,
                        .mask = mask,
                        .stride = (mask & (mask - 1)) == 0 ? (uint64_t) t->n_streams : 0,
                        .window = window,
                        .window_end = window + n_slots,
                        .oldest = window,
                        .vacant = window,
                        .until_synchronous = t->synchronous_every};
    while (lane->next < t->n_segments && !lane_travels_here(lane)) {
        lane_step(t, lane);
    }
    t->n_unfinished += lane->next < t->n_segments;
}

/**
 * Every so many segments a send is synchronous, so that at most `ahead` bytes wait there, and far
 * fewer are in flight to a paced one. NEVER: none is. A child can have another
 * parent for each stream, none of which sees what the others send.
 */
static uint64_t synchronous_interval(size_t ahead, int n_streams, size_t segment_size, bool paced)
{
    uint64_t interval = NEVER;
    if (paced) {
        const uint64_t segments = (PACE_BYTES - 1) / segment_size + 1;
        interval = segments > PACE_SEGMENTS ? segments : PACE_SEGMENTS;
    }
    if (ahead != 0) {
        const uint64_t late = ahead / (size_t) n_streams / segment_size / PB_TRANSFER_SYNCHRONOUS;
        interval = late < interval ? late : interval;
        interval = interval > 0 ? interval : 1;
    }
    return interval;
}

/** Every stream has all its segments, and none beyond the message's end. */
static void all_are_here(pb_transfer_t *t)
{
    const uint64_t n_streams = (uint64_t) t->n_streams;
    for (uint64_t stream = 0; stream < n_streams; stream++) {
        t->arrived[stream] = (t->n_segments + n_streams - 1 - stream) / n_streams;
    }
}

bool pb_transfer_start(pb_transfer_t *t, const pb_role_t *role, const pb_transfer_limits_t *limits,
                       size_t total, size_t segment_size, pb_transport_t *transport,
                       pb_message_t *message)
{
    const size_t n_lanes = (size_t) role->n_parents + (size_t) role->n_children;
    const bool is_offered = role->n_parents == 0 && limits->offered;
    const bool in_turn = role->n_parents == 0 && limits->in_turn;
    const bool paced = role->n_parents == 0 && role->n_children > 1 && !is_offered && !in_turn;
    *t = (pb_transfer_t){
        .transport = transport,
        .message = message,
        .in_place = pb_message_in_place(message),
        .total = total,
        .segment_size = segment_size,
        .n_segments = (total - 1) / segment_size + 1,
        .n_streams = role->n_streams,
        .n_parents = role->n_parents,
        .n_children = role->n_children,
        .receive_window = limits->receive_window,
        .send_window = limits->send_window,
        .synchronous_every =
            synchronous_interval(in_turn ? 0 : limits->ahead, role->n_streams, segment_size, paced),
        .paced = paced,
    };
    t->last = t->n_segments - 1;
    t->last_size = total - segment_offset(t, t->last);
    const size_t n_flights = (size_t) t->n_parents * (size_t) t->receive_window +
                             (size_t) t->n_children * (size_t) t->send_window;
    t->lanes = malloc((n_lanes + 1) * sizeof(*t->lanes));
    t->flights = calloc(n_flights + 1, sizeof(*t->flights));
    if (t->lanes == NULL || t->flights == NULL) {
        pb_transfer_finish(t);
        return false;
    }

    t->children = t->lanes + t->n_parents;
    t->children_end = t->children + t->n_children;
    t->served_end = in_turn && t->n_children > 0 ? t->children + 1 : t->children_end;
    pb_flight_t *window = t->flights;
    for (int i = 0; i < t->n_parents; i++, window += t->receive_window) {
        lane_init(t, &t->lanes[i], role->parent[i], role->parent_mask[i], window,
                  t->receive_window);
    }
    for (int i = 0; i < t->n_children; i++, window += t->send_window) {
        lane_init(t, &t->children[i], role->child[i], role->child_mask[i], window, t->send_window);
    }
    if (t->n_parents == 0 && !is_offered) {
        all_are_here(t);
    }
    return true;
}

HOT pb_flight_t *lane_slot_after(const pb_lane_t *lane, pb_flight_t *slot)
{
    return slot + 1 < lane->window_end ? slot + 1 : lane->window;
}

/** A flight is under way; its slot. */
HOT pb_flight_t *lane_push(pb_lane_t *lane)
{
    pb_flight_t *slot = lane->vacant;
    lane->vacant = lane_slot_after(lane, slot);
    lane->n_flying++;
    return slot;
}

/** A synchronous send is under way; its slot. */
static pb_flight_t *lane_push_synchronous(pb_lane_t *lane)
{
    return &lane->synchronous[lane->n_synchronous++];
}

HOT bool lane_is_empty(const pb_lane_t *lane)
{
    return lane->n_flying == 0 && lane->n_synchronous == 0;
}

/** Something of the lane has ended: it may be through. */
HOT void lane_ended(pb_transfer_t *t, const pb_lane_t *lane)
{
    t->n_unfinished -= lane->next >= t->n_segments && lane_is_empty(lane);
}

/** The oldest flight has ended. */
HOT void lane_pop(pb_transfer_t *t, pb_lane_t *lane)
{
    lane->oldest = lane_slot_after(lane, lane->oldest);
    lane->n_flying--;
    lane_ended(t, lane);
}

static void lane_pop_synchronous(pb_transfer_t *t, pb_lane_t *lane)
{
    lane->n_synchronous--;
    for (int i = 0; i < lane->n_synchronous; i++) {
        lane->synchronous[i] = lane->synchronous[i + 1];
    }
    lane_ended(t, lane);
}

static void keep_first_error(pb_transfer_t *t, int error)
{
    if (t->error == 0) {
        t->error = error;
    }
}

/** A flight that is not (or no longer) under way gives its buffer back. */
HOT void release(pb_transfer_t *t, uint64_t segment, const void *buffer)
{
    if (!MOSTLY(t->in_place != NULL) && buffer != NULL) {
        pb_message_release(t->message, segment, buffer);
    }
}

/** Asks the posted receives of a parent to end. */
static void cancel_receives(pb_transfer_t *t, const pb_lane_t *lane)
{
    pb_flight_t *flight = lane->oldest;
    for (int n = 0; n < lane->n_flying; n++, flight = lane_slot_after(lane, flight)) {
        if (flight->request != NULL) {
            pb_transport_cancel(t->transport, flight->request);
        }
    }
}

/** Everything under way is given up; as nothing is left to post nor room to send, nothing starts.
 */
static void give_up(pb_transfer_t *t)
{
    t->broken = true;
    t->send_window = 0;
    for (pb_lane_t *lane = t->lanes; lane < t->children; lane++) {
        lane->next = t->n_segments;
    }
}

/** The transport has refused. */
__attribute__((cold)) static void refused(pb_transfer_t *t, int error)
{
    keep_first_error(t, error);
    give_up(t);
}

/**
 * Something else than the expected segment has come: an empty message, as a rank nearer to the root
 * has an error, or a wrong number of bytes.
 */
__attribute__((cold)) static void arrive_wrong(pb_transfer_t *t, const pb_flight_t *flight,
                                               int error)
{
    if (error != PB_ERR_EMPTY && flight->buffer != NULL && !t->broken) {
        refused(t, error);
    }
    keep_first_error(t, error);
}

/** A segment has come from a parent, or an empty message instead, or something else. */
HOT void arrive(pb_transfer_t *t, pb_flight_t *flight, int error)
{
    if (error != 0) {
        arrive_wrong(t, flight, error);
    } else if (t->in_place == NULL && flight->buffer != NULL) {
        keep_first_error(t, pb_message_received(t->message, flight->segment,
                                                segment_offset(t, flight->segment), flight->bytes,
                                                (void *) flight->buffer));
    }
    release(t, flight->segment, flight->buffer);
    t->arrived[flight->stream]++;
}

/** Takes in the oldest receive of a parent, if it has ended. */
static bool take_arrival(pb_transfer_t *t, pb_lane_t *lane)
{
    int error = 0;
    pb_flight_t *flight = lane->oldest;
    if (lane->n_flying == 0 ||
        !pb_transport_arrived(t->transport, &flight->request, flight->bytes, &error)) {
        return false;
    }
    arrive(t, flight, error);
    lane_pop(t, lane);
    return true;
}

/**
 * A buffer for a parent's next segment, or none for an empty message after an error; false if there
 * is no buffer for it now.
 */
HOT bool to_receive(pb_transfer_t *t, const pb_lane_t *lane, void **buffer_p, size_t *bytes_p)
{
    const size_t offset = segment_offset(t, lane->next);
    *bytes_p = segment_bytes(t, lane->next);
    if (MOSTLY(t->in_place != NULL)) {
        *buffer_p = t->in_place + offset;
        return true;
    }
    const int error = pb_message_to_receive(t->message, lane->next, offset, *bytes_p, buffer_p);
    if (error == PB_MESSAGE_BUSY) {
        return false;
    }
    if (error != 0) {
        keep_first_error(t, error);
        *buffer_p = NULL;
        *bytes_p = 0;
    }
    return true;
}

/** Posts the next receive of a parent; false if that cannot be done now. */
HOT bool post_one(pb_transfer_t *t, pb_lane_t *lane)
{
    void *buffer = NULL;
    size_t bytes;
    if (!to_receive(t, lane, &buffer, &bytes)) {
        return false;
    }
    pb_flight_t *flight = lane->vacant;
    flight->segment = lane->next;
    flight->stream = lane->stream;
    flight->buffer = buffer;
    flight->bytes = bytes;
    const int error =
        pb_transport_receive(t->transport, buffer, bytes, lane->rank, lane, &flight->request);
    if (error != 0) {
        release(t, lane->next, buffer);
        refused(t, error);
        return false;
    }
    lane_push(lane);
    lane_step_on(t, lane);
    return true;
}

HOT bool may_post(const pb_transfer_t *t, const pb_lane_t *lane)
{
    return lane->next < t->n_segments && lane->n_flying < t->receive_window;
}

static void post_receives(pb_transfer_t *t, pb_lane_t *lane)
{
    while (may_post(t, lane) && post_one(t, lane)) {
    }
}

/**
 * Takes in what has come from a parent, oldest first, and keeps its window full of posted
 * receives. Not more than a window at a time, lest what has come waits for being sent on: then
 * true.
 */
static bool receive_some(pb_transfer_t *t, pb_lane_t *lane)
{
    int n = 0;
    post_receives(t, lane);
    while (n < t->receive_window && take_arrival(t, lane)) {
        post_receives(t, lane);
        n++;
    }
    return n == t->receive_window;
}

/** Whether a send is done; then its buffer is given back, and its slot in the lane is to be. */
static bool reap_one(pb_transfer_t *t, pb_flight_t *flight)
{
    int error = 0;
    if (!pb_transport_sent(t->transport, &flight->request, &error)) {
        return false;
    }
    release(t, flight->segment, flight->buffer);
    keep_first_error(t, error);
    return true;
}

/** Takes back what a child no longer needs, oldest first. Not for every segment. */
__attribute__((noinline)) static void reap_sends(pb_transfer_t *t, pb_lane_t *lane)
{
    while (lane->n_flying > 0 && reap_one(t, lane->oldest)) {
        lane_pop(t, lane);
    }
    while (lane->n_synchronous > 0 && reap_one(t, &lane->synchronous[0])) {
        lane_pop_synchronous(t, lane);
    }
}

/**
 * Whether a paced child must wait for another that is behind it: not if half of
 * its own acknowledgements have come, for then the other is late. As these come
 * without the other, no child waits for ever.
 */
HOT bool is_held(const pb_transfer_t *t, const pb_lane_t *lane)
{
    if (!t->paced || lane->n_synchronous < PB_TRANSFER_SYNCHRONOUS / 2) {
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
    return lane->n_flying < t->send_window && lane->n_synchronous < PB_TRANSFER_SYNCHRONOUS;
}

/** Whether a child has room now, or when what it no longer needs is taken back. */
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

/**
 * The bytes of a child's next segment, or an empty message instead; false if there is no
 * buffer for them now.
 */
HOT bool to_send(pb_transfer_t *t, const pb_lane_t *lane, const void **buffer_p, size_t *bytes_p)
{
    const size_t offset = segment_offset(t, lane->next);
    *bytes_p = segment_bytes(t, lane->next);
    if (MOSTLY(t->in_place != NULL)) {
        *buffer_p = t->in_place + offset;
    } else if (t->error == 0) {
        const int error = pb_message_to_send(t->message, lane->next, offset, *bytes_p, buffer_p);
        if (error == PB_MESSAGE_BUSY) {
            return false;
        }
        keep_first_error(t, error);
    }
    if (t->error != 0) {
        *buffer_p = NULL;
        *bytes_p = 0;
    }
    return true;
}

/** Starts one send to a child that may_send(); false if that cannot be done now. */
HOT bool send_one(pb_transfer_t *t, pb_lane_t *lane)
{
    const bool synchronous = lane->until_synchronous == 1;
    const uint64_t segment = lane->next;
    const void *buffer = NULL;
    size_t bytes;
    pb_request_t request;
    if (!to_send(t, lane, &buffer, &bytes)) {
        return false;
    }
    lane->until_synchronous = synchronous ? t->synchronous_every : lane->until_synchronous - 1;
    const int error =
        pb_transport_send(t->transport, buffer, bytes, lane->rank, synchronous, &request);
    if (error != 0) {
        release(t, segment, buffer);
        refused(t, error);
        return false;
    }
    lane_step_on(t, lane);
    if (MOSTLY(request == NULL)) {
        release(t, segment, buffer);
        lane_ended(t, lane);
    } else {
        *(synchronous ? lane_push_synchronous(lane) : lane_push(lane)) =
            (pb_flight_t){.request = request, .segment = segment, .buffer = buffer, .bytes = bytes};
    }
    return true;
}

/**
 * One segment to each child in turn, until nothing can be sent: older segments go first.
 * Another round is needed only if the next segment of one that was served is here, too.
 */
HOT bool send_all(pb_transfer_t *t)
{
    bool moved = false;
    bool more;
    do {
        more = false;
        for (pb_lane_t *lane = t->children; lane < t->served_end; lane++) {
            if (MOSTLY(may_send(t, lane)) && send_one(t, lane)) {
                more |= is_here(t, lane);
                moved = true;
            }
        }
    } while (more);
    return moved;
}

/** The transport has refused: receives are asked to end; true when nothing is under way any more.
 */
static bool drain(pb_transfer_t *t)
{
    bool through = true;
    for (pb_lane_t *lane = t->lanes; lane < t->children; lane++) {
        cancel_receives(t, lane);
        while (take_arrival(t, lane)) {
        }
        through &= lane->n_flying == 0;
    }
    for (const pb_lane_t *lane = t->children; lane < t->children_end; lane++) {
        through &= lane_is_empty(lane);
    }
    return through;
}

/** In turn, when a child has all: the next one is served; true if there is one. */
static bool pass_turn(pb_transfer_t *t)
{
    const pb_lane_t *served = t->served_end - 1;
    if (t->served_end == t->children_end || served->next < t->n_segments ||
        !lane_is_empty(served)) {
        return false;
    }
    t->served_end++;
    return true;
}

bool pb_transfer_advance(pb_transfer_t *t)
{
    bool again;
    do {
        again = false;
        for (pb_lane_t *lane = t->children; lane < t->children_end; lane++) {
            reap_sends(t, lane);
        }
        for (pb_lane_t *lane = t->lanes; lane < t->children; lane++) {
            again |= receive_some(t, lane);
        }
        /* A send may leave a bounce buffer for a receive, or no longer hold another child. */
        again |= send_all(t) && (t->in_place == NULL || t->paced);
        again |= pass_turn(t);
    } while (again && !t->broken);
    return t->broken ? drain(t) : t->n_unfinished == 0;
}

/* Always inline, too: into the transport that calls it. */
__attribute__((always_inline)) inline bool pb_transfer_arrived(pb_lane_t *lane,
                                                               pb_request_t request)
{
    pb_transfer_t *t = lane->transfer;
    pb_flight_t *flight = lane->oldest;
    if (!MOSTLY(flight->request == request)) { /* there is none in a vacant slot */
        return false;
    }
    arrive(t, flight, pb_transport_take(t->transport, &flight->request, flight->bytes));
    lane_pop(t, lane);
    if (MOSTLY(lane->next < t->n_segments)) { /* and in the window there is room now */
        post_one(t, lane);
    }
    send_all(t);
    if (!MOSTLY(t->relay == NULL)) {
        pb_relay_go_on(t->relay);
    }
    return true;
}

void pb_transfer_offer(pb_transfer_t *t, uint64_t n, int error)
{
    if (error != 0) {
        keep_first_error(t, error);
    }
    t->arrived[0] = n;
    send_all(t);
}

void pb_transfer_cancel(pb_transfer_t *t)
{
    give_up(t);
    for (const pb_lane_t *lane = t->lanes; lane < t->children; lane++) {
        cancel_receives(t, lane);
    }
}

static void abandon_lane(pb_transfer_t *t, pb_lane_t *lane)
{
    while (lane->n_flying > 0) {
        pb_transport_abandon(t->transport, &lane->oldest->request);
        lane_pop(t, lane);
    }
    while (lane->n_synchronous > 0) {
        pb_transport_abandon(t->transport, &lane->synchronous[0].request);
        lane_pop_synchronous(t, lane);
    }
}

void pb_transfer_finish(pb_transfer_t *t)
{
    if (t->lanes != NULL && t->flights != NULL) {
        for (pb_lane_t *lane = t->lanes; lane < t->children_end; lane++) {
            abandon_lane(t, lane);
        }
    }
    free(t->flights);
    free(t->lanes);
    t->flights = NULL;
    t->lanes = t->children = t->children_end = t->served_end = NULL;
}
