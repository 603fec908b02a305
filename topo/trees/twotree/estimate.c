/*
 * Time of two trees on links of unequal speed.
 *
 * The first segment of a tree reaches a rank after the links on its way, each with the time that
 * one segment takes over it, and after the segments that its ancestors send before. From then on, a
 * segment of each tree follows after the time that the busiest directed link needs for one of each.
 * Segments that meet at a link are taken not to wait for each other, except at the sender's own;
 * the software's time of a hop counts, too. (Ours; after formula (2) of paper 2.)
 */
#include <stdlib.h>

#include "topo/trees/link_load.h"
#include "topo/trees/twotree/internal.h"

/** One segment over a link of the network's lowest speed, in ticks: speeds up to 16 divide it. */
#define UNIT INT64_C(720720)

/** Segments of the message for each tree by which plans are compared: enough to show queues. */
#define SEGMENTS_PER_TREE 8

/** Software's time of a hop, in segment times of the fastest host: between the one and five that
 * follow from the costs in table.c less two links. */
#define SOFTWARE_PER_HOP 2

typedef struct walk {
    const pb_placement_t *placement;
    const pb_plan_t *plan;
    int64_t base;     /**< UNIT times the lowest speed */
    int64_t *arrival; /**< by rank: when the first segment of a tree is there */
    int64_t *busy;    /**< by directed link: ticks of what it carries, one segment of each tree */
    int *path;
    int *queue; /**< ranks, breadth-first */
} walk_t;

static int64_t link_ticks(const walk_t *w, int link)
{
    const uint32_t speed = pb_network_node(w->placement->network, pb_link_node(link))->speed;
    return speed > 0 ? w->base / speed : 0;
}

/** Adds the edge to its links. *first_p is the time that it keeps the sender; returns the whole. */
static int64_t pass_edge(walk_t *w, int parent, int child, int64_t *first_p)
{
    const int length = pb_placement_path(w->placement, parent, child, w->path);
    int64_t ticks = 0;
    *first_p = UNIT;
    for (int i = 0; i < length; i++) {
        const int64_t one = link_ticks(w, w->path[i]);
        w->busy[w->path[i]] += one;
        *first_p = i == 0 ? one : *first_p;
        ticks += one;
    }
    return length > 0 ? ticks : UNIT; /* inside a host */
}

/** Sends the first segment down a tree, the root from `start` on; when the last rank has it. */
static int64_t pass_tree(walk_t *w, int tree, int64_t *start)
{
    const pb_stream_t *stream = &w->plan->streams[tree];
    int64_t last = 0;
    int n = 0;
    w->queue[n++] = w->plan->root;
    w->arrival[w->plan->root] = *start;
    for (int i = 0; i < n; i++) {
        const int parent = w->queue[i];
        int64_t free_at = w->arrival[parent];
        for (int at = stream->first_child[parent]; at < stream->first_child[parent + 1]; at++) {
            const int child = stream->child[at];
            int64_t first;
            w->arrival[child] = free_at + pass_edge(w, parent, child, &first);
            free_at += first;
            last = w->arrival[child] > last ? w->arrival[child] : last;
            w->queue[n++] = child;
        }
        *start = i == 0 ? free_at : *start;
    }
    return last;
}

/** The time of the busiest directed link for one segment of each tree. */
static int64_t period(const walk_t *w, int n_links)
{
    int64_t most = 0;
    for (int link = 0; link < n_links; link++) {
        most = w->busy[link] > most ? w->busy[link] : most;
    }
    return most;
}

int pb_tt_estimate(const pb_view_t *view, const pb_plan_t *plan, int64_t *ticks)
{
    const pb_placement_t *placement = view->placement;
    const pb_network_t *network = placement->network;
    const int n_links = 2 * pb_network_size(network);
    walk_t w = {.placement = placement,
                .plan = plan,
                .base = UNIT * (int64_t) pb_network_base_speed(network)};
    w.arrival = calloc((size_t) plan->n_ranks, sizeof(*w.arrival));
    w.busy = calloc((size_t) n_links + 1, sizeof(*w.busy));
    w.path = malloc(((size_t) pb_network_max_path(network) + 1) * sizeof(*w.path));
    w.queue = malloc((size_t) plan->n_members * sizeof(*w.queue));
    int rc = PB_ERR_NO_MEMORY;
    if (w.arrival != NULL && w.busy != NULL && w.path != NULL && w.queue != NULL) {
        int64_t start = 0, last = 0;
        for (int tree = 0; tree < plan->n_streams; tree++) {
            const int64_t reached = pass_tree(&w, tree, &start);
            last = reached > last ? reached : last;
        }
        const int64_t software =
            SOFTWARE_PER_HOP * pb_tt_height(plan) * (w.base / pb_link_sender_speed(view));
        *ticks = last + (SEGMENTS_PER_TREE - 1) * period(&w, n_links) + software;
        rc = PB_SUCCESS;
    }
    free(w.arrival);
    free(w.busy);
    free(w.path);
    free(w.queue);
    return rc;
}
