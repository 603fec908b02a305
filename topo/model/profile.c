#include "topo/model/profile.h"

#include "topo/util/kit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/**
 * The most that is counted; whatever is more is as good as that. A sum of all measures
 * of an entry still fits.
 */
#define LONGEST (INT64_MAX / 16)

/** a + b, at most LONGEST; neither is more, and each is far from the least number. */
static int64_t sum_of(int64_t a, int64_t b)
{
    return a < LONGEST - b ? a + b : LONGEST;
}

/* ---- sets of what may be the longest ---- */

/** Paths and duties are entries of as many measures: more of any takes longer. */
#define N_MEASURES 6

_Static_assert(sizeof(pb_profile_path_t) == N_MEASURES * sizeof(int64_t) &&
                   sizeof(pb_profile_duty_t) == N_MEASURES * sizeof(int64_t),
               "both are measures alone");

/** Weights by which measures are compared with each other. */
static const int64_t path_weights[N_MEASURES] = {0, PB_PROFILE_UNIT, 1, 1, PB_PROFILE_UNIT, 1};
static const int64_t duty_weights[N_MEASURES] = {
    1, 1, PB_PROFILE_UNIT, PB_PROFILE_UNIT, PB_PROFILE_UNIT, PB_PROFILE_UNIT};

/** Sum of the amounts by which measures of b exceed those of a. */
static int64_t excess(const int64_t *a, const int64_t *b, const int64_t *weights)
{
    int64_t sum = 0;
    for (int i = 0; i < N_MEASURES; i++) {
        sum += b[i] > a[i] ? (b[i] - a[i]) * weights[i] : 0;
    }
    return sum;
}

/** Makes an entry take as long as either for any costs. */
static void join(int64_t *entry, const int64_t *other)
{
    for (int i = 0; i < N_MEASURES; i++) {
        entry[i] = pb_max64(entry[i], other[i]);
    }
}

/** Tells whether an entry takes as long as the other one for any costs. */
static bool covers(const int64_t *entry, const int64_t *other)
{
    int i = 0;
    while (i < N_MEASURES && entry[i] >= other[i]) {
        i++;
    }
    return i == N_MEASURES;
}

/** The entry that need grow least to take as long as another one for any costs, of n > 0. */
static int find_nearest(const int64_t *entries, int n, const int64_t *entry, const int64_t *weights)
{
    int64_t least = INT64_MAX;
    int nearest = 0;
    for (int i = 0; i < n; i++) {
        const int64_t more = excess(&entries[N_MEASURES * i], entry, weights);
        nearest = more < least ? i : nearest;
        least = more < least ? more : least;
    }
    return nearest;
}

/**
 * Adds an entry unless one is there that takes as long for any costs, and drops those that it
 * covers. Where there is no room it is joined with the nearest one. Returns which one covers it.
 */
static int add_entry(int64_t *entries, int *n_p, int most, const int64_t *entry,
                     const int64_t *weights)
{
    int n = 0;
    for (int i = 0; i < *n_p; i++) {
        if (covers(&entries[N_MEASURES * i], entry)) {
            return i;
        }
    }
    for (int i = 0; i < *n_p; i++) {
        const int64_t *there = &entries[N_MEASURES * i];
        if (!covers(entry, there)) {
            memmove(&entries[N_MEASURES * n++], there, N_MEASURES * sizeof(*there));
        }
    }
    *n_p = n;
    if (n < most) {
        memcpy(&entries[N_MEASURES * (*n_p)++], entry, N_MEASURES * sizeof(*entry));
        return n;
    }
    const int nearest = find_nearest(entries, n, entry, weights);
    join(&entries[N_MEASURES * nearest], entry);
    return nearest;
}

static int add_path(pb_profile_t *profile, const pb_profile_path_t *path)
{
    return add_entry((int64_t *) profile->paths, &profile->n_paths, PB_PROFILE_MAX_PATHS,
                     (const int64_t *) path, path_weights);
}

static void add_duty(pb_profile_t *profile, const pb_profile_duty_t *duty)
{
    add_entry((int64_t *) profile->duties, &profile->n_duties, PB_PROFILE_MAX_DUTIES,
              (const int64_t *) duty, duty_weights);
}

/* ---- the ground ---- */

/** A node as walks see it; the uplink's load each way is next to the other values that walks
 * read. */
typedef struct ground_node {
    int parent, depth;
    int64_t time;     /**< of a segment over a member of its uplink, as a flow takes one */
    int64_t up, down; /**< the uplink's load: PB_PROFILE_UNIT for each segment of a round */
} ground_node_t;

/** Messages of one rank in a round. */
typedef struct rank_messages {
    int sends, receives;
    int memory_sends, memory_receives;
} rank_messages_t;

struct pb_profile_ground {
    const pb_placement_t *placement;
    ground_node_t *nodes;
    int *host;                 /**< by rank: the node */
    rank_messages_t *messages; /**< by rank */
    int *queue;                /**< ranks of a stream, each behind its parent */
    pb_profile_path_t *paths;  /**< by index in `queue`: of the stream being walked */
};

uint32_t pb_profile_host_speed(const pb_placement_t *placement)
{
    uint32_t least = UINT32_MAX;
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        const pb_node_t *at =
            pb_network_node(placement->network, pb_placement_host(placement, rank));
        if (at->parent >= 0 && at->speed > 0 && at->speed < least) {
            least = at->speed;
        }
    }
    return least < UINT32_MAX ? least : 1;
}

static void survey(pb_profile_ground_t *ground)
{
    const pb_placement_t *placement = ground->placement;
    const pb_network_t *network = placement->network;
    const int64_t unit = PB_PROFILE_UNIT * (int64_t) pb_profile_host_speed(placement);
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *at = pb_network_node(network, node);
        ground->nodes[node] = (ground_node_t){.parent = at->parent,
                                              .depth = pb_network_depth(network, node),
                                              .time = at->speed > 0 ? unit / at->speed : 0};
    }
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        ground->host[rank] = pb_placement_host(placement, rank);
    }
}

pb_profile_ground_t *pb_profile_ground_new(const pb_placement_t *placement)
{
    const size_t n_ranks = (size_t) placement->n_ranks;
    pb_profile_ground_t *ground = calloc(1, sizeof(*ground));
    if (ground == NULL) {
        return NULL;
    }
    ground->placement = placement;
    ground->nodes = malloc((size_t) pb_network_size(placement->network) * sizeof(*ground->nodes));
    ground->host = malloc(n_ranks * sizeof(*ground->host));
    ground->messages = malloc(n_ranks * sizeof(*ground->messages));
    ground->queue = malloc(n_ranks * sizeof(*ground->queue));
    ground->paths = malloc(n_ranks * sizeof(*ground->paths));
    if (ground->nodes == NULL || ground->host == NULL || ground->messages == NULL ||
        ground->queue == NULL || ground->paths == NULL) {
        pb_profile_ground_free(ground);
        return NULL;
    }
    survey(ground);
    return ground;
}

void pb_profile_ground_free(pb_profile_ground_t *ground)
{
    if (ground != NULL) {
        free(ground->nodes);
        free(ground->host);
        free(ground->messages);
        free(ground->queue);
        free(ground->paths);
        free(ground);
    }
}

/* ---- walking the plan ---- */

typedef struct walk {
    pb_profile_ground_t *ground;
    pb_profile_t *profile;
    int covering; /**< the profile's path that covered the last one */
} walk_t;

/** A walk that has counted nothing, for a profile that has nothing. */
static walk_t begin_walk(pb_profile_ground_t *ground, pb_profile_t *profile)
{
    const pb_placement_t *placement = ground->placement;
    for (int node = 0; node < pb_network_size(placement->network); node++) {
        ground->nodes[node].up = ground->nodes[node].down = 0;
    }
    memset(ground->messages, 0, (size_t) placement->n_ranks * sizeof(*ground->messages));
    memset(profile, 0, sizeof(*profile));
    return (walk_t){.ground = ground, .profile = profile};
}

/** The load of a link with one segment more; constant where switches copy segments. */
static inline int64_t loaded(int64_t load, int64_t time, bool copies)
{
    return copies ? time : sum_of(load, time);
}

/**
 * Loads the links between two hosts with a segment. Returns `further` and the times of all of them
 * but the first. O(path).
 */
static inline int64_t pass_links(ground_node_t *nodes, int from, int to, int64_t further,
                                 bool copies)
{
    ground_node_t *a = &nodes[from], *b = &nodes[to];
    a->up = loaded(a->up, a->time, copies);
    a = &nodes[a->parent];
    b->down = loaded(b->down, b->time, copies);
    further = sum_of(further, b->time);
    b = &nodes[b->parent];
    while (a != b) {
        if (a->depth >= b->depth) {
            a->up = loaded(a->up, a->time, copies);
            further = sum_of(further, a->time);
            a = &nodes[a->parent];
        } else {
            b->down = loaded(b->down, b->time, copies);
            further = sum_of(further, b->time);
            b = &nodes[b->parent];
        }
    }
    return further;
}

/**
 * Adds one hop to a path: `sent` has what the sender has sent before in this
 * round, and is brought up to date. The links' loads are counted. Returns whether
 * the hop stays inside a host.
 */
static bool add_hop(walk_t *walk, int from, int to, pb_profile_path_t *path,
                    pb_profile_path_t *sent)
{
    ground_node_t *nodes = walk->ground->nodes;
    const int a = walk->ground->host[from], b = walk->ground->host[to];
    if (a == b) {
        sent->memory_sends += PB_PROFILE_UNIT;
        path->memory_hops++;
    } else {
        sent->sends = sum_of(sent->sends, nodes[a].time);
        path->hops++;
        path->further = pass_links(nodes, a, b, path->further - PB_PROFILE_UNIT, false);
    }
    path->sends = sum_of(path->sends, sent->sends);
    path->memory_sends += sent->memory_sends;
    return a == b;
}

static void count_rank(walk_t *walk, int from, int to, bool inside)
{
    rank_messages_t *messages = walk->ground->messages;
    if (inside) {
        messages[from].memory_sends++;
        messages[to].memory_receives++;
    } else {
        messages[from].sends++;
        messages[to].receives++;
    }
}

/** Ends a path. The same one often covers those that end one after the other. */
static void end_path(walk_t *walk, const pb_profile_path_t *path)
{
    const pb_profile_t *profile = walk->profile;
    if (walk->covering >= profile->n_paths ||
        !covers((const int64_t *) &profile->paths[walk->covering], (const int64_t *) path)) {
        walk->covering = add_path(walk->profile, path);
    }
}

/** Walks one stream; `sent` has what the root has sent in those before it. */
static void walk_stream(walk_t *walk, const pb_plan_t *plan, int s, pb_profile_path_t *sent)
{
    const pb_stream_t *stream = &plan->streams[s];
    int *queue = walk->ground->queue, n_queued = 0;
    pb_profile_path_t *paths = walk->ground->paths;
    paths[n_queued] = (pb_profile_path_t){.before = -s};
    queue[n_queued++] = plan->root;
    for (int at = 0; at < n_queued; at++) {
        const int rank = queue[at];
        pb_profile_path_t of_rank = {.before = -s};
        pb_profile_path_t *sent_before = rank == plan->root ? sent : &of_rank;
        const int first = stream->first_child[rank], end = stream->first_child[rank + 1];
        for (int i = first; i < end; i++) {
            const int child = stream->child[i];
            pb_profile_path_t *path = &paths[n_queued];
            *path = paths[at];
            count_rank(walk, rank, child, add_hop(walk, rank, child, path, sent_before));
            queue[n_queued++] = child;
        }
        /* A rank that sends on has the segment before those that it sends to. */
        if (first == end) {
            end_path(walk, &paths[at]);
        }
    }
}

/** The way of a frame from the root into the host of `rank`, by copies of switches. */
static pb_profile_path_t add_copies(walk_t *walk, int root, int rank)
{
    ground_node_t *nodes = walk->ground->nodes;
    const int *host = walk->ground->host;
    walk->ground->messages[root].sends = 1;
    walk->ground->messages[rank].receives++;
    return (pb_profile_path_t){
        .hops = 1,
        .further = pass_links(nodes, host[root], host[rank], -PB_PROFILE_UNIT, true),
        .sends = nodes[host[root]].time};
}

/** Walks the plan of a kind whose frames switches copy: of its tree, only what is inside hosts. */
static void walk_copies(walk_t *walk, const pb_plan_t *plan)
{
    const pb_stream_t *stream = &plan->streams[0];
    const int *host = walk->ground->host;
    int *queue = walk->ground->queue, n_queued = 0;
    pb_profile_path_t *paths = walk->ground->paths;
    paths[n_queued] = (pb_profile_path_t){0};
    queue[n_queued++] = plan->root;
    for (int at = 0; at < n_queued; at++) {
        const int rank = queue[at];
        pb_profile_path_t sent = {0};
        end_path(walk, &paths[at]);
        for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
            const int child = stream->child[i];
            pb_profile_path_t *path = &paths[n_queued];
            queue[n_queued++] = child;
            if (host[rank] == host[child]) {
                *path = paths[at];
                count_rank(walk, rank, child, add_hop(walk, rank, child, path, &sent));
            } else {
                *path = add_copies(walk, plan->root, child);
            }
        }
    }
}

/** Segments over links between switches. */
typedef struct crossing {
    int64_t n_segments, n_links;
    int64_t slowest; /**< time of a segment, which parallel links share */
} crossing_t;

/** Adds the uplink of a node that is used. */
static void add_crossing(const pb_profile_ground_t *ground, int node, crossing_t *crossing)
{
    const pb_node_t *below = pb_network_node(ground->placement->network, node);
    const ground_node_t *at = &ground->nodes[node];
    if (below->kind == PB_NODE_SWITCH && at->time > 0) {
        crossing->n_segments += sum_of(at->up, at->down) / at->time;
        crossing->n_links++;
        crossing->slowest = pb_max64(crossing->slowest, at->time / below->members);
    }
}

/** Per link, in PB_PROFILE_UNIT. */
static int64_t crossing_of(const crossing_t *crossing)
{
    const int64_t n = crossing->n_segments;
    return n == 0                             ? 0
           : crossing->slowest >= LONGEST / n ? LONGEST
                                              : crossing->slowest * n / crossing->n_links;
}

/** Adds links. Most do as those before them, which need not be added again. */
static void add_links(const walk_t *walk)
{
    const int n_nodes = pb_network_size(walk->ground->placement->network);
    int64_t last_up = 0, last_down = 0;
    crossing_t crossing = {0};
    for (int node = 0; node < n_nodes; node++) {
        const int64_t up = walk->ground->nodes[node].up, down = walk->ground->nodes[node].down;
        if (up != 0 || down != 0) {
            add_crossing(walk->ground, node, &crossing);
        }
        if ((up != 0 || down != 0) && (up != last_up || down != last_down)) {
            add_duty(walk->profile, &(pb_profile_duty_t){.most = pb_max64(up, down),
                                                         .least = up + down - pb_max64(up, down)});
            last_up = up;
            last_down = down;
        }
    }
    walk->profile->crossing = crossing_of(&crossing);
}

/** The same for ranks. */
static void add_ranks(const walk_t *walk)
{
    const rank_messages_t *messages = walk->ground->messages;
    for (int rank = 0; rank < walk->ground->placement->n_ranks; rank++) {
        const rank_messages_t *own = &messages[rank];
        if (rank == 0 || memcmp(own, own - 1, sizeof(*own)) != 0) {
            add_duty(walk->profile, &(pb_profile_duty_t){.sends = own->sends,
                                                         .receives = own->receives,
                                                         .memory_sends = own->memory_sends,
                                                         .memory_receives = own->memory_receives});
        }
    }
}

void pb_profile_plan(pb_profile_ground_t *ground, const pb_plan_t *plan, pb_profile_t *profile)
{
    const pb_kind_row_t *row = pb_kind_row(plan->kind);
    walk_t walk = begin_walk(ground, profile);
    pb_profile_path_t sent = {0};
    profile->n_streams = plan->n_streams;
    profile->copies = row != NULL && row->copies;
    if (profile->copies) {
        walk_copies(&walk, plan);
    } else {
        for (int s = 0; s < plan->n_streams; s++) {
            walk_stream(&walk, plan, s, &sent);
        }
    }
    add_links(&walk);
    add_ranks(&walk);
}

/* ---- the fallback component ---- */

/** Returns the largest load of a link, and in *crossing_p of links between switches both ways;
 * resets all loads. Parallel links share evenly, which is the best that a hash can do. */
static int64_t unload(pb_profile_ground_t *ground, int64_t *crossing_p)
{
    const pb_network_t *network = ground->placement->network;
    int64_t share = PB_PROFILE_UNIT;
    crossing_t crossing = {0};
    for (int node = 0; node < pb_network_size(network); node++) {
        ground_node_t *at = &ground->nodes[node];
        const int64_t most = pb_max64(at->up, at->down);
        share =
            most > share ? pb_max64(share, most / pb_network_node(network, node)->members) : share;
        if (most > 0) {
            add_crossing(ground, node, &crossing);
        }
        at->up = at->down = 0;
    }
    *crossing_p = crossing_of(&crossing);
    return share;
}

/** Adds the transfers of the phase in which ranks send to those `distance` behind them. */
static void add_phase(walk_t *walk, int root, int distance, pb_profile_path_t *path)
{
    const int n_ranks = walk->ground->placement->n_ranks;
    pb_profile_path_t longest = {0};
    for (int from = 0; from + distance < n_ranks; from += 2 * distance) {
        pb_profile_path_t hop = {0}, sent = {0};
        add_hop(walk, (from + root) % n_ranks, (from + distance + root) % n_ranks, &hop, &sent);
        join((int64_t *) &longest, (const int64_t *) &hop);
    }
    int64_t crossing;
    const int64_t share = unload(walk->ground, &crossing);
    walk->profile->crossing = sum_of(walk->profile->crossing, crossing);
    path->hops += longest.hops;
    path->further = sum_of(path->further, longest.further);
    path->sends = sum_of(path->sends, longest.hops > 0 ? pb_max64(share, longest.sends) : 0);
    path->memory_hops += longest.memory_hops;
    path->memory_sends += longest.memory_sends;
}

void pb_profile_fallback(pb_profile_ground_t *ground, int root, pb_profile_t *profile)
{
    const int n_ranks = ground->placement->n_ranks;
    walk_t walk = begin_walk(ground, profile);
    pb_profile_path_t path = {0};
    int distance = 1;
    while (distance <= (n_ranks - 1) / 2) {
        distance *= 2;
    }
    profile->n_streams = 1;
    for (; distance > 0 && n_ranks > 1; distance /= 2) {
        add_phase(&walk, root, distance, &path);
    }
    add_path(profile, &path);
}
