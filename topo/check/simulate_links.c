/*
 * Every directed link serves one segment after the other.
 *
 * Service times are fixed and events come in order of time, so a link needs no queue of its own. A
 * segment that arrives starts when the link is next free.
 */
#include <assert.h>
#include <stdlib.h>

#include "topo/check/simulate_internal.h"

/** A rank's sends: what arrived, in order of arrival, and how far it got with it. */
typedef struct sender {
    int *arrived;  /**< segments; owned by the one allocation of links_t */
    int n_arrived; /**< entries of `arrived` */
    int at;        /**< entry that is being sent */
    int child;     /**< index of the child that gets it next, from 0 */
    bool busy;     /**< a segment of this rank is on its first link */
} sender_t;

typedef struct links {
    pb_sim_t *sim;
    sender_t *senders; /**< by rank */
    int *arrived;      /**< room for all segments of all ranks that send */
    int64_t *free_at;  /**< by directed link: when it can start the next segment */
} links_t;

static bool is_sender(const pb_plan_t *plan, int rank)
{
    for (int s = 0; s < plan->n_streams; s++) {
        if (plan->streams[s].first_child[rank] < plan->streams[s].first_child[rank + 1]) {
            return true;
        }
    }
    return false;
}

static int prepare(links_t *links, pb_sim_t *sim)
{
    const pb_plan_t *plan = sim->plan;
    size_t n_senders = 0;
    for (int r = 0; r < plan->n_ranks; r++) {
        n_senders += is_sender(plan, r);
    }
    const size_t n_segments = (size_t) sim->options->n_segments;
    links->sim = sim;
    links->senders = calloc((size_t) plan->n_ranks, sizeof(*links->senders));
    links->free_at = calloc((size_t) sim->result->n_links + 1, sizeof(*links->free_at));
    links->arrived = malloc((n_senders * n_segments + 1) * sizeof(*links->arrived));
    if (links->senders == NULL || links->free_at == NULL || links->arrived == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int *arrived = links->arrived;
    for (int r = 0; r < plan->n_ranks; r++) {
        if (is_sender(plan, r)) {
            links->senders[r].arrived = arrived;
            arrived += n_segments;
        }
    }
    return PB_SUCCESS;
}

/** Moves a segment that has passed `hop` links of its path onto the next one. */
static int enter_link(links_t *links, int edge, int segment, int hop, int64_t time)
{
    pb_sim_t *sim = links->sim;
    const int first = sim->first_link[edge];
    int64_t done = time + sim->memory_ticks;
    if (first < sim->first_link[edge + 1]) {
        const int link = sim->link[first + hop];
        const int64_t start = links->free_at[link] > time ? links->free_at[link] : time;
        done = start + sim->link_ticks[link];
        links->free_at[link] = done;
        sim->result->link_busy[link] += sim->link_ticks[link];
        if (sim->result->max_wait < start - time) {
            sim->result->max_wait = start - time;
        }
    }
    const pb_event_t event = {.time = done, .major = segment, .id = edge, .note = hop + 1};
    return pb_heap_push(&sim->heap, &event);
}

/** Starts the next send of an idle rank, if it has one. */
static int send_next(links_t *links, int rank, int64_t time)
{
    const pb_plan_t *plan = links->sim->plan;
    sender_t *sender = &links->senders[rank];
    while (!sender->busy && sender->at < sender->n_arrived) {
        const int segment = sender->arrived[sender->at];
        const int s = segment % plan->n_streams;
        const pb_stream_t *stream = &plan->streams[s];
        const int next = stream->first_child[rank] + sender->child;
        if (next == stream->first_child[rank + 1]) {
            sender->at++;
            sender->child = 0;
            continue;
        }
        sender->child++;
        sender->busy = true;
        return enter_link(links, s * plan->n_ranks + stream->child[next], segment, 0, time);
    }
    return PB_SUCCESS;
}

/** A segment has arrived whole at a rank. */
static int arrive(links_t *links, int edge, int segment, int64_t time)
{
    const int rank = pb_sim_child(links->sim, edge);
    assert(links->senders != NULL);
    sender_t *sender = &links->senders[rank];
    pb_sim_delivered(links->sim, edge, time);
    if (sender->arrived == NULL) {
        return PB_SUCCESS;
    }
    sender->arrived[sender->n_arrived++] = segment;
    return send_next(links, rank, time);
}

static int step(links_t *links, const pb_event_t *event)
{
    pb_sim_t *sim = links->sim;
    const int length = sim->first_link[event->id + 1] - sim->first_link[event->id];
    int rc = PB_SUCCESS;
    if (event->note < length) {
        rc = enter_link(links, event->id, event->major, event->note, event->time);
    } else {
        rc = arrive(links, event->id, event->major, event->time);
    }
    if (rc == PB_SUCCESS && event->note == 1) {
        const int parent = pb_sim_parent(sim, event->id);
        assert(links->senders != NULL);
        links->senders[parent].busy = false;
        rc = send_next(links, parent, event->time);
    }
    return rc;
}

int pb_sim_run_links(pb_sim_t *sim)
{
    links_t links = {0};
    int rc = prepare(&links, sim);
    sender_t *root = rc == PB_SUCCESS ? &links.senders[sim->plan->root] : NULL;
    if (root != NULL && root->arrived != NULL) {
        for (int segment = 0; segment < sim->options->n_segments; segment++) {
            root->arrived[root->n_arrived++] = segment;
        }
        rc = send_next(&links, sim->plan->root, 0);
    }
    while (rc == PB_SUCCESS && sim->heap.n_events > 0) {
        const pb_event_t event = pb_heap_pop(&sim->heap);
        rc = step(&links, &event);
    }
    free(links.senders);
    free(links.free_at);
    free(links.arrived);
    return rc;
}
