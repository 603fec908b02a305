#include "contrib/testbed/fabric_link.h"

#include <assert.h>

int64_t fabric_link_wire_time(uint64_t rate, uint32_t length)
{
    uint64_t bytes = length < FABRIC_MIN_FRAME ? FABRIC_MIN_FRAME : length;
    uint64_t bits = (bytes + FABRIC_WIRE_OVERHEAD) * 8;
    return (int64_t) ((bits * 1000000000 + rate - 1) / rate);
}

/** Starts `link->waiting` at `start`, when the port is free. */
static void start_one(fabric_link_t *link, int64_t start)
{
    fabric_frame_t *frame = link->waiting;
    int64_t wire = fabric_link_wire_time(link->rate, frame->length);
    link->waiting = frame->next;
    link->free_at = start + wire;
    frame->arrival = link->free_at + link->latency;
    if (frame->arrival < link->last_arrival) {
        frame->arrival = link->last_arrival;
    }
    link->last_arrival = frame->arrival;
    link->counters.frames++;
    link->counters.bytes += frame->length;
    link->counters.busy += wire;
}

/** Starts every frame whose turn came up to `now`. A frame that waits came before free_at. */
static void advance(fabric_link_t *link, int64_t now)
{
    while (link->waiting != NULL && link->free_at <= now) {
        link->queue_bytes -= link->waiting->length;
        start_one(link, link->free_at);
    }
}

static void append(fabric_link_t *link, fabric_frame_t *frame)
{
    frame->next = NULL;
    if (link->head == NULL) {
        link->head = frame;
    } else {
        link->tail->next = frame;
    }
    link->tail = frame;
    if (link->waiting == NULL) {
        link->waiting = frame;
    }
}

bool fabric_link_push(fabric_link_t *link, fabric_frame_t *frame, int64_t now)
{
    advance(link, now);
    if (link->waiting == NULL && (link->free_at <= now || link->head == NULL)) {
        append(link, frame);
        start_one(link, now > link->free_at ? now : link->free_at);
        return true;
    }
    if (link->queue_bytes + frame->length > link->queue_limit) {
        link->counters.drops++;
        link->counters.drop_bytes += frame->length;
        return false;
    }
    append(link, frame);
    link->queue_bytes += frame->length;
    if (link->queue_bytes > link->counters.queue_peak) {
        link->counters.queue_peak = link->queue_bytes;
    }
    return true;
}

int64_t fabric_link_next_event(const fabric_link_t *link)
{
    return link->head != NULL ? link->head->arrival : INT64_MAX;
}

fabric_frame_t *fabric_link_pop(fabric_link_t *link)
{
    fabric_frame_t *frame = link->head;
    assert(frame != NULL && frame != link->waiting);
    /* The port was free before this frame arrived, so the next one is started here at the latest.
     */
    advance(link, frame->arrival);
    link->head = frame->next;
    return frame;
}

void fabric_link_change(fabric_link_t *link, int64_t now, uint64_t rate, int64_t latency,
                        uint64_t queue_limit)
{
    advance(link, now);
    link->rate = rate;
    link->latency = latency;
    link->queue_limit = queue_limit;
}

void fabric_link_reset(fabric_link_t *link)
{
    link->counters = (fabric_link_counters_t){.queue_peak = link->queue_bytes};
}
