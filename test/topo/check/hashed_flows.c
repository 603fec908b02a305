#include "test/topo/check/hashed_flows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/hash.h"

/* One direction of one member of a cable. */
typedef struct lane {
    int edges;
    int senders;
    int share;       /* edges, of each sender no more than there are streams */
    int last_sender; /* the last rank that was counted, -1: none */
    int last_edges;  /* of that rank */
} lane_t;

typedef struct walk {
    const pb_cabling_t *cabling;
    uint64_t seed;
    int n_streams;
    int *first_lane; /* by cable: of its 2 * members lanes, those up first */
    lane_t *lanes;
    int n_lanes;
    int *distance; /* by host, then by node: links between the two */
    int *queue;
    pb_hashed_load_t *load;
} walk_t;

static int n_nodes(const pb_cabling_t *c)
{
    return c->n_switches + c->n_hosts;
}

static int *distances_to(const walk_t *w, int host)
{
    return w->distance + (size_t) host * (size_t) n_nodes(w->cabling);
}

/* The other end of a cable at a node, -1 if the node is at neither. */
static int other_end(const pb_cable_t *cable, int node)
{
    if (cable->lower == node) {
        return cable->upper;
    }
    return cable->upper == node ? cable->lower : -1;
}

/* Breadth-first from the host. */
static void find_distances(const walk_t *w, int host)
{
    const pb_cabling_t *c = w->cabling;
    int *distance = distances_to(w, host);
    int n = 0;
    memset(distance, 0xff, (size_t) n_nodes(c) * sizeof(*distance));
    distance[c->n_switches + host] = 0;
    w->queue[n++] = c->n_switches + host;
    for (int i = 0; i < n; i++) {
        for (int cable = 0; cable < c->n_cables; cable++) {
            const int next = other_end(&c->cables[cable], w->queue[i]);
            if (next >= 0 && distance[next] < 0) {
                distance[next] = distance[w->queue[i]] + 1;
                w->queue[n++] = next;
            }
        }
    }
}

static int choose(const walk_t *w, int what, int from, int to, int n)
{
    uint64_t hash = pb_hash_number(PB_HASH_START, w->seed);
    hash = pb_hash_number(hash, (uint64_t) what);
    hash = pb_hash_number(hash, (uint64_t) from);
    hash = pb_hash_number(hash, (uint64_t) to);
    return (int) (pb_hash_end(hash) % (uint64_t) n);
}

/* The cable that the flow takes from a node: one of those that lead nearer. */
static int next_cable(walk_t *w, int node, int from, int to)
{
    const pb_cabling_t *c = w->cabling;
    const int *distance = distances_to(w, to);
    int n = 0, chosen = -1;
    for (int pass = 0; pass < 2; pass++) {
        int left = pass == 0 ? -1 : choose(w, node, from, to, n);
        for (int cable = 0; cable < c->n_cables; cable++) {
            const int next = other_end(&c->cables[cable], node);
            if (next < 0 || distance[next] != distance[node] - 1) {
                continue;
            }
            n += pass == 0;
            chosen = left-- == 0 ? cable : chosen;
        }
    }
    w->load->n_choices += n > 1 || c->cables[chosen].members > 1;
    return chosen;
}

static void count(walk_t *w, int lane, int sender)
{
    lane_t *at = &w->lanes[lane];
    if (at->last_sender != sender) {
        at->last_sender = sender;
        at->last_edges = 0;
        at->senders++;
    }
    at->edges++;
    at->share += at->last_edges++ < w->n_streams;
}

static bool contends(const lane_t *lane, int n_streams, int speed)
{
    return lane->senders > 1 && lane->edges > n_streams && lane->share > n_streams * speed;
}

static void judge(const walk_t *w)
{
    const pb_cabling_t *c = w->cabling;
    for (int cable = 0; cable < c->n_cables; cable++) {
        for (int i = 0; i < 2 * c->cables[cable].members; i++) {
            const lane_t *lane = &w->lanes[w->first_lane[cable] + i];
            if (lane->edges > w->load->most_edges) {
                w->load->most_edges = lane->edges;
            }
            w->load->n_contending += contends(lane, w->n_streams, c->cables[cable].speed);
        }
    }
}

/* Every edge of a sender in turn, so that senders are counted once. */
static void pass_edge(walk_t *w, const int *host, int sender, int receiver)
{
    const pb_cabling_t *c = w->cabling;
    const int from = host[sender], to = host[receiver];
    for (int node = c->n_switches + from; node != c->n_switches + to;) {
        const int number = next_cable(w, node, from, to);
        const pb_cable_t *cable = &c->cables[number];
        const bool up = cable->lower == node;
        const int member = choose(w, n_nodes(c) + 2 * number + up, from, to, cable->members);
        count(w, w->first_lane[number] + (up ? 0 : cable->members) + member, sender);
        node = other_end(cable, node);
    }
}

static void pass_plan(walk_t *w, const int *host, const pb_plan_t *plan)
{
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        for (int s = 0; s < plan->n_streams; s++) {
            const pb_stream_t *stream = &plan->streams[s];
            for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
                pass_edge(w, host, rank, stream->child[i]);
            }
        }
    }
}

static int walk_init(walk_t *w)
{
    const pb_cabling_t *c = w->cabling;
    const size_t n = (size_t) n_nodes(c);
    w->first_lane = malloc(((size_t) c->n_cables + 1) * sizeof(*w->first_lane));
    w->distance = malloc(((size_t) c->n_hosts * n + 1) * sizeof(*w->distance));
    w->queue = malloc((n + 1) * sizeof(*w->queue));
    if (w->first_lane == NULL || w->distance == NULL || w->queue == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int cable = 0; cable < c->n_cables; cable++) {
        w->first_lane[cable] = w->n_lanes;
        w->n_lanes += 2 * c->cables[cable].members;
    }
    w->lanes = malloc(((size_t) w->n_lanes + 1) * sizeof(*w->lanes));
    if (w->lanes == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int lane = 0; lane < w->n_lanes; lane++) {
        w->lanes[lane] = (lane_t){.last_sender = -1};
    }
    for (int host = 0; host < c->n_hosts; host++) {
        find_distances(w, host);
    }
    return PB_SUCCESS;
}

int pb_hashed_load(const pb_cabling_t *cabling, const int *host, const pb_plan_t *plan,
                   uint64_t seed, pb_hashed_load_t *load)
{
    walk_t w = {.cabling = cabling, .seed = seed, .n_streams = plan->n_streams, .load = load};
    *load = (pb_hashed_load_t){.most_edges = 0};
    const int error = walk_init(&w);
    if (error == PB_SUCCESS) {
        pass_plan(&w, host, plan);
        judge(&w);
    }
    free(w.first_lane);
    free(w.lanes);
    free(w.distance);
    free(w.queue);
    return error;
}
