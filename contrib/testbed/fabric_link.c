#include "contrib/testbed/fabric_link.h"

#include <assert.h>
#include <string.h>

int64_t fabric_link_wire_time(uint64_t rate, uint32_t length)
{
    uint64_t bytes = length < FABRIC_MIN_FRAME ? FABRIC_MIN_FRAME : length;
    uint64_t bits = (bytes + FABRIC_WIRE_OVERHEAD) * 8;
    return (int64_t) ((bits * 1000000000 + rate - 1) / rate);
}

/**
 * Time at which a host takes a frame that reaches it at `arrival`. It is interrupted at most once
 * in `interrupt` ns, and then takes all frames that have come since. So do network interfaces with
 * moderated interrupts and GRO.
 */
static int64_t take_frame(fabric_link_t *link, int64_t arrival)
{
    if (link->interrupt <= 0) {
        return arrival;
    }
    if (arrival > link->interrupt_at) {
        const int64_t earliest = link->interrupt_at + link->interrupt;
        link->interrupt_at = arrival > earliest ? arrival : earliest;
    }
    return link->interrupt_at;
}

/** Puts a frame on the wire at `start`, when the port is free. */
static void start_frame(fabric_link_t *link, fabric_frame_t *frame, int64_t start)
{
    const int64_t wire = fabric_link_wire_time(link->rate, frame->length);
    link->free_at = start + wire;
    frame->arrival = take_frame(link, link->free_at + link->latency);
    if (frame->arrival < link->last_arrival) {
        frame->arrival = link->last_arrival;
    }
    link->last_arrival = frame->arrival;
    fabric_fifo_push(&link->started, frame);
    fabric_link_counters_t *counters = &link->counters[frame->kind];
    counters->frames++;
    counters->bytes += frame->length;
    counters->busy += wire;
}

static void enqueue(fabric_link_t *link, fabric_frame_t *frame)
{
    fabric_fifo_push(&link->waiting, frame);
    link->n_waiting++;
    link->queue_bytes += frame->length;
    link->synthetic_bytes += frame->kind == FABRIC_SYNTHETIC ? frame->length : 0;
    if (link->queue_bytes > link->queue_peak) {
        link->queue_peak = link->queue_bytes;
    }
}

static fabric_frame_t *dequeue(fabric_link_t *link)
{
    fabric_frame_t *frame = fabric_fifo_pop(&link->waiting);
    link->n_waiting--;
    link->queue_bytes -= frame->length;
    link->synthetic_bytes -= frame->kind == FABRIC_SYNTHETIC ? frame->length : 0;
    return frame;
}

/** Starts every frame whose turn came up to `now`. A frame that waits came before free_at. */
static void advance(fabric_link_t *link, int64_t now)
{
    while (link->n_waiting > 0 && link->free_at <= now) {
        start_frame(link, dequeue(link), link->free_at);
    }
}

bool fabric_link_push(fabric_link_t *link, fabric_frame_t *frame, int64_t now)
{
    advance(link, now);
    if (link->loss > 0 && (uint32_t) pb_random_below(&link->chance, FABRIC_ALL) < link->loss) {
        fabric_link_lose(link, frame->kind, frame->length);
        return false;
    }
    if (link->n_waiting == 0 && (link->free_at <= now || link->started.head == NULL)) {
        start_frame(link, frame, now > link->free_at ? now : link->free_at);
        return true;
    }
    if (link->queue_bytes + frame->length > link->queue_limit) {
        fabric_link_lose(link, frame->kind, frame->length);
        return false;
    }
    enqueue(link, frame);
    return true;
}

void fabric_link_lose(fabric_link_t *link, fabric_traffic_t kind, uint32_t length)
{
    link->counters[kind].drops++;
    link->counters[kind].drop_bytes += length;
}

int64_t fabric_link_next_event(const fabric_link_t *link)
{
    return link->started.head != NULL ? link->started.head->arrival : INT64_MAX;
}

fabric_frame_t *fabric_link_pop(fabric_link_t *link)
{
    assert(link->started.head != NULL);
    /* The port was free before this frame arrived, so the next one is started here at the latest.
     */
    advance(link, link->started.head->arrival);
    return fabric_fifo_pop(&link->started);
}

void fabric_link_change(fabric_link_t *link, int64_t now, const fabric_change_t *change)
{
    advance(link, now);
    link->rate = change->rate > 0 ? change->rate : link->rate;
    link->latency = change->latency >= 0 ? change->latency : link->latency;
    link->queue_limit =
        change->queue_limit >= 0 ? (uint64_t) change->queue_limit : link->queue_limit;
    link->loss = change->loss >= 0 ? (uint32_t) change->loss : link->loss;
}

void fabric_link_reset(fabric_link_t *link)
{
    memset(link->counters, 0, sizeof(link->counters));
    link->queue_peak = link->queue_bytes;
}
