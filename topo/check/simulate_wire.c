/*
 * The wire model: links, frames, acknowledgements, and one processor for each rank.
 *
 * As in the links model, servers need no queues of their own, since what comes to them comes in
 * order of time: it starts when the server is next free. A rank's own link is served in the order
 * in which its processor sends, so that entering it is no event.
 */
#include <stdlib.h>

#include "topo/check/simulate_internal.h"

typedef struct wire {
    pb_sim_t *sim;
    int64_t *free_at;  /**< by directed link: when it can start the next segment */
    int64_t *ready_at; /**< by rank: when its processor can do the next thing */
} wire_t;

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** The link in the other direction. */
static int reverse(int link)
{
    const int node = pb_link_node(link);
    return pb_link_is_up(link) ? pb_link_down(node) : pb_link_up(node);
}

/** A segment takes its turn on a link; returns when it starts. */
static int64_t pass_link(wire_t *wire, int link, const pb_simulate_cost_t *cost, int64_t time)
{
    pb_sim_t *sim = wire->sim;
    const int64_t start = later(wire->free_at[link], time);
    const int64_t ticks = pb_sim_scaled(sim, link, cost->link);
    const int64_t back = pb_sim_scaled(sim, link, cost->acknowledgements);
    const int other = reverse(link);
    wire->free_at[link] = start + ticks;
    /* They fill gaps where there are some, and delay what comes later where there are none. */
    wire->free_at[other] += back;
    sim->result->link_busy[link] += ticks;
    sim->result->link_busy[other] += back;
    sim->result->max_wait = later(sim->result->max_wait, start - time);
    return start;
}

/** From its beginning on a link to that on the next one. */
static int64_t further(const pb_sim_t *sim, int link, const pb_simulate_cost_t *cost)
{
    return pb_sim_scaled(sim, link, cost->further) + pb_sim_latency(sim, link);
}

/** The first event of an edge's segment that the sender's processor begins with at `time`. */
static int begin_edge(wire_t *wire, int edge, int segment, int64_t time)
{
    pb_sim_t *sim = wire->sim;
    const pb_simulate_cost_t *cost = pb_sim_cost(sim, segment);
    const int first = sim->first_link[edge];
    pb_event_t event = {.time = time + cost->memory, .major = segment, .id = edge, .note = 1};
    if (first < sim->first_link[edge + 1]) {
        const int link = sim->link[first];
        const int64_t start = pass_link(wire, link, cost, time);
        /* The processor hands frames over as it makes them. */
        wire->free_at[link] = later(wire->free_at[link], time + cost->send);
        event.time = start + further(sim, link, cost);
    }
    return pb_heap_push(&sim->heap, &event);
}

/** The processor sends a segment to the children of a rank, one after the other. */
static int send_all(wire_t *wire, int rank, int segment)
{
    const pb_sim_t *sim = wire->sim;
    const pb_plan_t *plan = sim->plan;
    const int s = segment % plan->n_streams;
    const pb_stream_t *stream = &plan->streams[s];
    int rc = PB_SUCCESS;
    for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
        const int edge = s * plan->n_ranks + stream->child[i];
        const bool inside = sim->first_link[edge] == sim->first_link[edge + 1];
        const pb_simulate_cost_t *cost = pb_sim_cost(sim, segment);
        rc = rc == PB_SUCCESS ? begin_edge(wire, edge, segment, wire->ready_at[rank]) : rc;
        wire->ready_at[rank] += inside ? cost->memory : cost->send;
    }
    return rc;
}

/** The processor of a rank has the segment at `time`, receives it and sends it on. */
static int arrive(wire_t *wire, int edge, int segment, int64_t time, bool inside)
{
    const pb_simulate_cost_t *cost = pb_sim_cost(wire->sim, segment);
    const int rank = pb_sim_child(wire->sim, edge);
    const int64_t done =
        later(wire->ready_at[rank], time) + (inside ? cost->memory : cost->receive);
    wire->ready_at[rank] = done;
    pb_sim_delivered(wire->sim, edge, done);
    return send_all(wire, rank, segment);
}

/** A segment enters the link of its edge's path that the event names, or has passed all. */
static int step(wire_t *wire, const pb_event_t *event)
{
    pb_sim_t *sim = wire->sim;
    const int at = sim->first_link[event->id] + event->note, end = sim->first_link[event->id + 1];
    const pb_simulate_cost_t *cost = pb_sim_cost(sim, event->major);
    if (at - event->note == end) {
        return arrive(wire, event->id, event->major, event->time, true);
    }
    const int64_t start = pass_link(wire, sim->link[at], cost, event->time);
    if (at + 1 == end) {
        const int64_t through = start + pb_sim_scaled(sim, sim->link[at], cost->link) +
                                pb_sim_latency(sim, sim->link[at]);
        return arrive(wire, event->id, event->major, through + cost->way, false);
    }
    const pb_event_t next = {.time = start + further(sim, sim->link[at], cost),
                             .major = event->major,
                             .id = event->id,
                             .note = event->note + 1};
    return pb_heap_push(&sim->heap, &next);
}

int pb_sim_run_wire(pb_sim_t *sim)
{
    wire_t wire = {.sim = sim};
    wire.free_at = calloc((size_t) sim->result->n_links + 1, sizeof(*wire.free_at));
    wire.ready_at = calloc((size_t) sim->plan->n_ranks, sizeof(*wire.ready_at));
    int rc = wire.free_at != NULL && wire.ready_at != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int segment = 0; segment < sim->options->n_segments && rc == PB_SUCCESS; segment++) {
        rc = send_all(&wire, sim->plan->root, segment);
    }
    while (rc == PB_SUCCESS && sim->heap.n_events > 0) {
        const pb_event_t event = pb_heap_pop(&sim->heap);
        rc = step(&wire, &event);
    }
    free(wire.free_at);
    free(wire.ready_at);
    return rc;
}
