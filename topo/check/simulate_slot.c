/*
 * The slot model: a transfer holds both ports and all links of its path.
 *
 * Each edge has at most one candidate, its oldest segment that the parent has
 * and the child has not. A candidate that finds something busy waits at that
 * resource. A freed resource offers itself to its first waiter alone; only if
 * that one cannot start for another reason is the next one asked, so that a
 * rank with many children costs O(log) per segment and not O(children).
 */
#include <stdlib.h>

#include "topo/check/simulate_internal.h"

typedef struct resource {
    bool busy;
    bool asked;        /**< its first waiter is among the candidates of this instant */
    pb_heap_t waiters; /**< by segment, then order */
} resource_t;

/** The note of a candidate that no resource has offered itself to. */
#define NOBODY (-1)

typedef struct slot {
    pb_sim_t *sim;
    resource_t *resources; /**< send ports and receive ports by rank, then directed links */
    int n_resources;
    int *n_sent;      /**< by edge: segments of the stream that have arrived or are under way */
    int *n_delivered; /**< by edge: segments that have arrived */
    bool *active;     /**< by edge: under way, a candidate, or waiting */
    int *order;       /**< by edge: index among the parent's children */
    int *freed;       /**< resources freed at this instant */
    int n_freed;
    pb_heap_t candidates; /**< `note` is the resource that offered itself */
} slot_t;

static int n_uses(const slot_t *slot, int edge)
{
    return 2 + slot->sim->first_link[edge + 1] - slot->sim->first_link[edge];
}

/** The resources of an edge by index: sender, receiver, then links. */
static int use(const slot_t *slot, int edge, int index)
{
    const pb_sim_t *sim = slot->sim;
    const int n_ranks = sim->plan->n_ranks;
    if (index == 0) {
        return pb_sim_parent(sim, edge);
    }
    if (index == 1) {
        return n_ranks + pb_sim_child(sim, edge);
    }
    return 2 * n_ranks + sim->link[sim->first_link[edge] + index - 2];
}

static int64_t duration(const slot_t *slot, int edge)
{
    const pb_sim_t *sim = slot->sim;
    int64_t ticks = 0;
    for (int i = sim->first_link[edge]; i < sim->first_link[edge + 1]; i++) {
        const int64_t link_ticks = sim->link_ticks[sim->link[i]];
        ticks = link_ticks > ticks ? link_ticks : ticks;
    }
    return ticks > 0 ? ticks : sim->memory_ticks;
}

static int next_segment(const slot_t *slot, int edge)
{
    return pb_sim_stream(slot->sim, edge) + slot->n_sent[edge] * slot->sim->plan->n_streams;
}

/** Segments of the edge's stream that its parent has. */
static int n_available(const slot_t *slot, int edge)
{
    const pb_sim_t *sim = slot->sim;
    const int stream = pb_sim_stream(sim, edge), parent = pb_sim_parent(sim, edge);
    if (parent == sim->plan->root) {
        return pb_sim_stream_segments(sim, stream);
    }
    return slot->n_delivered[stream * sim->plan->n_ranks + parent];
}

static int push(const slot_t *slot, pb_heap_t *heap, int64_t time, int edge)
{
    const pb_event_t event = {.time = time,
                              .major = next_segment(slot, edge),
                              .minor = slot->order[edge],
                              .id = edge,
                              .note = NOBODY};
    return pb_heap_push(heap, &event);
}

/** Makes an idle edge a candidate if it has a segment to send. */
static int offer(slot_t *slot, int edge)
{
    if (slot->active[edge] || slot->n_sent[edge] == n_available(slot, edge)) {
        return PB_SUCCESS;
    }
    slot->active[edge] = true;
    return push(slot, &slot->candidates, 0, edge);
}

/** Puts a resource's first waiter among the candidates. */
static int ask_waiter(slot_t *slot, int id)
{
    resource_t *resource = &slot->resources[id];
    if (resource->busy || resource->asked || resource->waiters.n_events == 0) {
        return PB_SUCCESS;
    }
    pb_event_t waiter = pb_heap_pop(&resource->waiters);
    waiter.note = id;
    resource->asked = true;
    return pb_heap_push(&slot->candidates, &waiter);
}

static int start(slot_t *slot, int edge, int64_t time)
{
    const int64_t ticks = duration(slot, edge);
    for (int i = 0; i < n_uses(slot, edge); i++) {
        slot->resources[use(slot, edge, i)].busy = true;
    }
    for (int i = slot->sim->first_link[edge]; i < slot->sim->first_link[edge + 1]; i++) {
        slot->sim->result->link_busy[slot->sim->link[i]] += ticks;
    }
    const int rc = push(slot, &slot->sim->heap, time + ticks, edge);
    slot->n_sent[edge]++;
    return rc;
}

/** Starts the candidate or leaves it waiting. */
static int try_candidate(slot_t *slot, const pb_event_t *candidate, int64_t time)
{
    const int edge = candidate->id, asker = candidate->note;
    if (asker != NOBODY) {
        slot->resources[asker].asked = false;
    }
    for (int i = 0; i < n_uses(slot, edge); i++) {
        const int id = use(slot, edge, i);
        if (slot->resources[id].busy) {
            const int rc = push(slot, &slot->resources[id].waiters, 0, edge);
            return rc == PB_SUCCESS && asker != NOBODY ? ask_waiter(slot, asker) : rc;
        }
    }
    return start(slot, edge, time);
}

/** A transfer has ended: its resources are free and the child may forward. */
static int finish(slot_t *slot, int edge, int64_t time)
{
    const pb_plan_t *plan = slot->sim->plan;
    const int stream_number = pb_sim_stream(slot->sim, edge), child = pb_sim_child(slot->sim, edge);
    const pb_stream_t *stream = &plan->streams[stream_number];
    for (int i = 0; i < n_uses(slot, edge); i++) {
        const int id = use(slot, edge, i);
        slot->resources[id].busy = false;
        slot->freed[slot->n_freed++] = id;
    }
    slot->n_delivered[edge]++;
    slot->active[edge] = false;
    pb_sim_delivered(slot->sim, edge, time);
    int rc = offer(slot, edge);
    for (int i = stream->first_child[child]; i < stream->first_child[child + 1] && rc == PB_SUCCESS;
         i++) {
        rc = offer(slot, stream_number * plan->n_ranks + stream->child[i]);
    }
    return rc;
}

/** Everything that happens at one instant: first all ends, then all starts. */
static int instant(slot_t *slot)
{
    pb_heap_t *heap = &slot->sim->heap;
    const int64_t time = heap->events[0].time;
    int rc = PB_SUCCESS;
    slot->n_freed = 0;
    while (heap->n_events > 0 && heap->events[0].time == time && rc == PB_SUCCESS) {
        rc = finish(slot, pb_heap_pop(heap).id, time);
    }
    for (int i = 0; i < slot->n_freed && rc == PB_SUCCESS; i++) {
        rc = ask_waiter(slot, slot->freed[i]);
    }
    while (slot->candidates.n_events > 0 && rc == PB_SUCCESS) {
        const pb_event_t candidate = pb_heap_pop(&slot->candidates);
        rc = try_candidate(slot, &candidate, time);
    }
    return rc;
}

static int prepare(slot_t *slot, pb_sim_t *sim)
{
    const pb_plan_t *plan = sim->plan;
    const size_t n_edges = (size_t) sim->n_edges;
    slot->sim = sim;
    slot->n_resources = 2 * plan->n_ranks + sim->result->n_links;
    slot->resources = calloc((size_t) slot->n_resources, sizeof(*slot->resources));
    slot->n_sent = calloc(n_edges, sizeof(*slot->n_sent));
    slot->n_delivered = calloc(n_edges, sizeof(*slot->n_delivered));
    slot->active = calloc(n_edges, sizeof(*slot->active));
    slot->order = calloc(n_edges, sizeof(*slot->order));
    /* A busy resource is freed once per instant. */
    slot->freed = malloc((size_t) slot->n_resources * sizeof(*slot->freed));
    if (slot->resources == NULL || slot->n_sent == NULL || slot->n_delivered == NULL ||
        slot->active == NULL || slot->order == NULL || slot->freed == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        for (int r = 0; r < plan->n_ranks; r++) {
            for (int i = stream->first_child[r]; i < stream->first_child[r + 1]; i++) {
                slot->order[s * plan->n_ranks + stream->child[i]] = i - stream->first_child[r];
            }
        }
    }
    return PB_SUCCESS;
}

/** At time 0 the root has every segment. */
static int begin(slot_t *slot)
{
    const pb_plan_t *plan = slot->sim->plan;
    const int root = plan->root;
    int rc = PB_SUCCESS;
    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        for (int i = stream->first_child[root];
             i < stream->first_child[root + 1] && rc == PB_SUCCESS; i++) {
            rc = offer(slot, s * plan->n_ranks + stream->child[i]);
        }
    }
    while (slot->candidates.n_events > 0 && rc == PB_SUCCESS) {
        const pb_event_t candidate = pb_heap_pop(&slot->candidates);
        rc = try_candidate(slot, &candidate, 0);
    }
    return rc;
}

int pb_sim_run_slot(pb_sim_t *sim)
{
    slot_t slot = {0};
    int rc = prepare(&slot, sim);
    if (rc == PB_SUCCESS) {
        rc = begin(&slot);
    }
    while (rc == PB_SUCCESS && sim->heap.n_events > 0) {
        rc = instant(&slot);
    }
    for (int i = 0; i < slot.n_resources && slot.resources != NULL; i++) {
        pb_heap_clear(&slot.resources[i].waiters);
    }
    free(slot.resources);
    free(slot.n_sent);
    free(slot.n_delivered);
    free(slot.active);
    free(slot.order);
    free(slot.freed);
    pb_heap_clear(&slot.candidates);
    return rc;
}
