#include "topo/model/profile.h"

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

/** Numbers by which two entries are compared: more of any takes longer. */
#define N_PATH_MEASURES 5
#define N_DUTY_MEASURES 6

static void path_measures(const pb_profile_path_t *path, int64_t *measures)
{
    measures[0] = path->hops * PB_PROFILE_UNIT;
    measures[1] = path->further;
    measures[2] = path->sends;
    measures[3] = path->memory_hops * PB_PROFILE_UNIT;
    measures[4] = path->memory_sends * PB_PROFILE_UNIT;
}

static void duty_measures(const pb_profile_duty_t *duty, int64_t *measures)
{
    measures[0] = duty->most;
    measures[1] = duty->least;
    measures[2] = duty->sends * PB_PROFILE_UNIT;
    measures[3] = duty->receives * PB_PROFILE_UNIT;
    measures[4] = duty->memory_sends * PB_PROFILE_UNIT;
    measures[5] = duty->memory_receives * PB_PROFILE_UNIT;
}

/** What b has more than a, over all measures. */
static int64_t excess(const int64_t *a, const int64_t *b, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++) {
        sum += b[i] > a[i] ? b[i] - a[i] : 0;
    }
    return sum;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** A path that takes as long as either for any costs. */
static void path_join(pb_profile_path_t *path, const pb_profile_path_t *other)
{
    path->stream = path->stream < other->stream ? path->stream : other->stream;
    path->hops = larger(path->hops, other->hops);
    path->further = larger(path->further, other->further);
    path->sends = larger(path->sends, other->sends);
    path->memory_hops = larger(path->memory_hops, other->memory_hops);
    path->memory_sends = larger(path->memory_sends, other->memory_sends);
}

static void duty_join(pb_profile_duty_t *duty, const pb_profile_duty_t *other)
{
    duty->most = larger(duty->most, other->most);
    duty->least = larger(duty->least, other->least);
    duty->sends = larger(duty->sends, other->sends);
    duty->receives = larger(duty->receives, other->receives);
    duty->memory_sends = larger(duty->memory_sends, other->memory_sends);
    duty->memory_receives = larger(duty->memory_receives, other->memory_receives);
}

/** Whether one path takes as long as another for any costs. */
static bool path_covers(const pb_profile_path_t *path, const pb_profile_path_t *other)
{
    return path->stream <= other->stream && path->hops >= other->hops &&
           path->further >= other->further && path->sends >= other->sends &&
           path->memory_hops >= other->memory_hops && path->memory_sends >= other->memory_sends;
}

static bool duty_covers(const pb_profile_duty_t *duty, const pb_profile_duty_t *other)
{
    return duty->most >= other->most && duty->least >= other->least &&
           duty->sends >= other->sends && duty->receives >= other->receives &&
           duty->memory_sends >= other->memory_sends &&
           duty->memory_receives >= other->memory_receives;
}

/**
 * Adds a path unless one is there that is as long for any costs; drops those that
 * it is as long as. Where there is no room it is joined with the one most like
 * it. A stream carries no fewer segments than those behind it.
 */
static void add_path(pb_profile_t *profile, const pb_profile_path_t *path)
{
    int64_t own[N_PATH_MEASURES], other[N_PATH_MEASURES], least = INT64_MAX;
    int n = 0, nearest = 0;
    for (int i = 0; i < profile->n_paths; i++) {
        if (path_covers(&profile->paths[i], path)) {
            return;
        }
    }
    path_measures(path, own);
    for (int i = 0; i < profile->n_paths; i++) {
        const pb_profile_path_t *there = &profile->paths[i];
        if (path_covers(path, there)) {
            continue;
        }
        path_measures(there, other);
        const int64_t more = excess(other, own, N_PATH_MEASURES);
        nearest = more < least ? n : nearest;
        least = more < least ? more : least;
        profile->paths[n++] = *there;
    }
    profile->n_paths = n;
    if (n < PB_PROFILE_MAX_PATHS) {
        profile->paths[profile->n_paths++] = *path;
    } else {
        path_join(&profile->paths[nearest], path);
    }
}

/** The same for a duty. */
static void add_duty(pb_profile_t *profile, const pb_profile_duty_t *duty)
{
    int64_t own[N_DUTY_MEASURES], other[N_DUTY_MEASURES], least = INT64_MAX;
    int n = 0, nearest = 0;
    for (int i = 0; i < profile->n_duties; i++) {
        if (duty_covers(&profile->duties[i], duty)) {
            return;
        }
    }
    duty_measures(duty, own);
    for (int i = 0; i < profile->n_duties; i++) {
        const pb_profile_duty_t *there = &profile->duties[i];
        if (duty_covers(duty, there)) {
            continue;
        }
        duty_measures(there, other);
        const int64_t more = excess(other, own, N_DUTY_MEASURES);
        nearest = more < least ? n : nearest;
        least = more < least ? more : least;
        profile->duties[n++] = *there;
    }
    profile->n_duties = n;
    if (n < PB_PROFILE_MAX_DUTIES) {
        profile->duties[profile->n_duties++] = *duty;
    } else {
        duty_join(&profile->duties[nearest], duty);
    }
}

/* ---- walking the plan ---- */

typedef struct walk {
    const pb_placement_t *placement;
    pb_profile_t *profile;
    int *links;               /**< of one path */
    int64_t *times;           /**< by node: of a segment over a member of its uplink, as a flow
                                   takes one */
    int64_t *loads;           /**< by directed link: PB_PROFILE_UNIT for each segment of a round */
    pb_profile_duty_t *ranks; /**< by rank: without the link's part */
    pb_profile_path_t *paths; /**< by rank: of the stream being walked */
    int *queue;               /**< ranks of the stream, each behind its parent */
} walk_t;

uint32_t pb_profile_host_speed(const pb_network_t *network)
{
    uint32_t least = UINT32_MAX;
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *at = pb_network_node(network, node);
        if (at->kind == PB_NODE_HOST && at->parent >= 0 && at->speed > 0 && at->speed < least) {
            least = at->speed;
        }
    }
    return least < UINT32_MAX ? least : 1;
}

static inline int64_t link_time(const walk_t *walk, int link)
{
    return walk->times[pb_link_node(link)];
}

/**
 * Adds one hop to a path: `sent` has what the sender has sent before in this
 * round, and is brought up to date. The links' loads are counted. Returns whether
 * the hop stays inside a host.
 */
static bool add_hop(walk_t *walk, int from, int to, pb_profile_path_t *path,
                    pb_profile_path_t *sent)
{
    const int n = pb_placement_path(walk->placement, from, to, walk->links);
    if (n == 0) {
        sent->memory_sends += PB_PROFILE_UNIT;
        path->memory_hops++;
    } else {
        sent->sends = sum_of(sent->sends, link_time(walk, walk->links[0]));
        path->hops++;
        path->further -= PB_PROFILE_UNIT;
    }
    for (int i = 0; i < n; i++) {
        int64_t *load = &walk->loads[walk->links[i]];
        const int64_t time = link_time(walk, walk->links[i]);
        *load = sum_of(*load, time);
        path->further = i > 0 ? sum_of(path->further, time) : path->further;
    }
    path->sends = sum_of(path->sends, sent->sends);
    path->memory_sends += sent->memory_sends;
    return n == 0;
}

static void count_rank(walk_t *walk, int from, int to, bool inside)
{
    if (inside) {
        walk->ranks[from].memory_sends++;
        walk->ranks[to].memory_receives++;
    } else {
        walk->ranks[from].sends++;
        walk->ranks[to].receives++;
        walk->profile->messages++;
    }
}

/** Walks one stream; `sent` has what the root has sent in those before it. */
static void walk_stream(walk_t *walk, const pb_plan_t *plan, int s, pb_profile_path_t *sent)
{
    const pb_stream_t *stream = &plan->streams[s];
    int n_queued = 0;
    walk->paths[plan->root] = (pb_profile_path_t){.stream = s};
    walk->queue[n_queued++] = plan->root;
    for (int at = 0; at < n_queued; at++) {
        const int rank = walk->queue[at];
        pb_profile_path_t of_rank = {.stream = s};
        pb_profile_path_t *sent_before = rank == plan->root ? sent : &of_rank;
        const int first = stream->first_child[rank], end = stream->first_child[rank + 1];
        for (int i = first; i < end; i++) {
            const int child = stream->child[i];
            walk->paths[child] = walk->paths[rank];
            count_rank(walk, rank, child,
                       add_hop(walk, rank, child, &walk->paths[child], sent_before));
            walk->queue[n_queued++] = child;
        }
        /* A rank that sends on has the segment before those that it sends to. */
        if (first == end) {
            add_path(walk->profile, &walk->paths[rank]);
        }
    }
}

/** The way of a frame from the root into a host, by copies of switches. */
static void add_copies(walk_t *walk, int root, int rank, pb_profile_path_t *path)
{
    const int n = pb_placement_path(walk->placement, root, rank, walk->links);
    for (int i = 0; i < n; i++) {
        const int64_t time = link_time(walk, walk->links[i]);
        walk->loads[walk->links[i]] = time;
        path->further = i > 0 ? sum_of(path->further, time) : path->further;
        path->sends = i > 0 ? path->sends : time;
    }
    path->hops = 1;
    path->further -= PB_PROFILE_UNIT;
    walk->ranks[root].sends = 1;
    walk->ranks[rank].receives++;
    walk->profile->messages++;
}

/** Walks the plan of a kind whose frames switches copy: of its tree, only what is inside hosts. */
static void walk_copies(walk_t *walk, const pb_plan_t *plan)
{
    const pb_stream_t *stream = &plan->streams[0];
    int n_queued = 0;
    walk->paths[plan->root] = (pb_profile_path_t){0};
    walk->queue[n_queued++] = plan->root;
    for (int at = 0; at < n_queued; at++) {
        const int rank = walk->queue[at];
        pb_profile_path_t sent = {0};
        add_path(walk->profile, &walk->paths[rank]);
        for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
            const int child = stream->child[i];
            walk->queue[n_queued++] = child;
            if (pb_placement_path(walk->placement, rank, child, walk->links) == 0) {
                walk->paths[child] = walk->paths[rank];
                count_rank(walk, rank, child,
                           add_hop(walk, rank, child, &walk->paths[child], &sent));
            } else {
                walk->paths[child] = (pb_profile_path_t){0};
                add_copies(walk, plan->root, child, &walk->paths[child]);
            }
        }
    }
}

/** Most links and ranks do as those before them, which need not be added again. */
static bool is_same_duty(const pb_profile_duty_t *a, const pb_profile_duty_t *b)
{
    return a->most == b->most && a->least == b->least && a->sends == b->sends &&
           a->receives == b->receives && a->memory_sends == b->memory_sends &&
           a->memory_receives == b->memory_receives;
}

static void add_links(walk_t *walk)
{
    pb_profile_duty_t last = {0};
    for (int node = 0; node < pb_network_size(walk->placement->network); node++) {
        const int64_t up = walk->loads[pb_link_up(node)], down = walk->loads[pb_link_down(node)];
        if (up != 0 || down != 0) {
            const pb_profile_duty_t duty = {.most = larger(up, down),
                                            .least = up + down - larger(up, down)};
            if (!is_same_duty(&duty, &last)) {
                add_duty(walk->profile, &duty);
            }
            last = duty;
        }
    }
}

static void find_times(walk_t *walk, const pb_network_t *network)
{
    const int64_t unit = PB_PROFILE_UNIT * (int64_t) pb_profile_host_speed(network);
    for (int node = 0; node < pb_network_size(network); node++) {
        const uint32_t speed = pb_network_node(network, node)->speed;
        walk->times[node] = speed > 0 ? unit / (int64_t) speed : 0;
    }
}

static int walk_init(walk_t *walk, const pb_placement_t *placement, pb_profile_t *profile)
{
    const pb_network_t *network = placement->network;
    const size_t n_ranks = (size_t) placement->n_ranks;
    memset(profile, 0, sizeof(*profile));
    *walk = (walk_t){.placement = placement, .profile = profile};
    walk->links = malloc(((size_t) pb_network_max_path(network) + 1) * sizeof(*walk->links));
    walk->loads = calloc(2 * (size_t) pb_network_size(network), sizeof(*walk->loads));
    walk->ranks = calloc(n_ranks, sizeof(*walk->ranks));
    walk->paths = malloc(n_ranks * sizeof(*walk->paths));
    walk->queue = malloc(n_ranks * sizeof(*walk->queue));
    walk->times = malloc((size_t) pb_network_size(network) * sizeof(*walk->times));
    if (walk->links == NULL || walk->loads == NULL || walk->ranks == NULL || walk->paths == NULL ||
        walk->queue == NULL || walk->times == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    find_times(walk, network);
    return PB_SUCCESS;
}

static void walk_clear(walk_t *walk)
{
    free(walk->links);
    free(walk->times);
    free(walk->loads);
    free(walk->ranks);
    free(walk->paths);
    free(walk->queue);
}

static void walk_plan(walk_t *walk, const pb_plan_t *plan)
{
    const pb_kind_row_t *row = pb_kind_row(plan->kind);
    pb_profile_path_t sent = {0};
    walk->profile->n_streams = plan->n_streams;
    walk->profile->copies = row != NULL && row->copies;
    if (walk->profile->copies) {
        walk_copies(walk, plan);
        return;
    }
    for (int s = 0; s < plan->n_streams; s++) {
        walk_stream(walk, plan, s, &sent);
    }
}

int pb_profile_plan(const pb_placement_t *placement, const pb_plan_t *plan, pb_profile_t *profile)
{
    walk_t walk;
    int rc = walk_init(&walk, placement, profile);
    if (rc == PB_SUCCESS) {
        walk_plan(&walk, plan);
        add_links(&walk);
        for (int rank = 0; rank < plan->n_ranks; rank++) {
            if (rank == 0 || !is_same_duty(&walk.ranks[rank], &walk.ranks[rank - 1])) {
                add_duty(profile, &walk.ranks[rank]);
            }
        }
    }
    walk_clear(&walk);
    return rc;
}

/* ---- the fallback component ---- */

/**
 * Adds the transfers of the phase in which ranks send to those `distance` behind them. Parallel
 * links share them evenly, which is the best that a hash can do for them.
 */
static void add_phase(walk_t *walk, int root, int distance, pb_profile_path_t *path)
{
    const pb_network_t *network = walk->placement->network;
    const int n_ranks = walk->placement->n_ranks;
    const size_t n_links = 2 * (size_t) pb_network_size(network);
    pb_profile_path_t longest = {0};
    int64_t share = PB_PROFILE_UNIT;
    memset(walk->loads, 0, n_links * sizeof(*walk->loads));
    for (int from = 0; from + distance < n_ranks; from += 2 * distance) {
        pb_profile_path_t hop = {0}, sent = {0};
        add_hop(walk, (from + root) % n_ranks, (from + distance + root) % n_ranks, &hop, &sent);
        path_join(&longest, &hop);
    }
    for (size_t link = 0; link < n_links; link++) {
        const int members = pb_network_members(network, pb_link_node((int) link));
        share = larger(share, walk->loads[link] / members);
    }
    path->hops += longest.hops;
    path->further = sum_of(path->further, longest.further);
    path->sends = sum_of(path->sends, longest.hops > 0 ? larger(share, longest.sends) : 0);
    path->memory_hops += longest.memory_hops;
    path->memory_sends += longest.memory_sends;
}

int pb_profile_fallback(const pb_placement_t *placement, int root, pb_profile_t *profile)
{
    walk_t walk;
    int rc = walk_init(&walk, placement, profile);
    if (rc == PB_SUCCESS) {
        pb_profile_path_t path = {0};
        int distance = 1;
        while (distance <= (placement->n_ranks - 1) / 2) {
            distance *= 2;
        }
        profile->n_streams = 1;
        for (; distance > 0 && placement->n_ranks > 1; distance /= 2) {
            add_phase(&walk, root, distance, &path);
        }
        add_path(profile, &path);
    }
    walk_clear(&walk);
    return rc;
}

/* ---- lower bound ---- */

/** The time of a segment over the fastest link of a host that has ranks. */
static int64_t fastest_time(const pb_placement_t *placement)
{
    const int64_t unit = PB_PROFILE_UNIT * (int64_t) pb_profile_host_speed(placement->network);
    int64_t least = PB_PROFILE_UNIT;
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        const int host = pb_network_host_of(placement->network, placement->host[rank]);
        const pb_node_t *node = pb_network_node(placement->network, host);
        const int64_t time = node->speed > 0 ? unit / (int64_t) node->speed : PB_PROFILE_UNIT;
        least = time < least ? time : least;
    }
    return least;
}

/** A path whose every link is a fast one; `further` takes back what each hop counts too much. */
static pb_profile_path_t fast_path(int64_t hops, int64_t sends, int64_t fast)
{
    return (pb_profile_path_t){
        .hops = hops, .further = sends * (fast - PB_PROFILE_UNIT), .sends = sends * fast};
}

void pb_profile_least_two_streams(const pb_placement_t *placement, int n_hosts,
                                  pb_profile_t *profile)
{
    memset(profile, 0, sizeof(*profile));
    profile->n_streams = 2;
    if (n_hosts < 4) {
        profile->n_streams = 1;
        return;
    }
    /* Of two trees that together send twice from the root, one has a root with one
     * child at most, below which no rank has more than two: `height` edges reach
     * 2^height hosts in all, and `sends` gaps, of which a second child costs
     * two, reach a sum of Fibonacci numbers. */
    const int64_t fast = fastest_time(placement);
    int64_t height = 1, sends = 1, last = 1, reached = 1;
    while (INT64_C(1) << height < n_hosts) {
        height++;
    }
    while (1 + reached < n_hosts) {
        const int64_t more = reached + last + 1;
        last = reached;
        reached = more;
        sends++;
    }
    const pb_profile_path_t by_height = fast_path(height, height, fast);
    const pb_profile_path_t by_sends = fast_path((sends + 1) / 2, sends, fast);
    add_path(profile, &by_height);
    add_path(profile, &by_sends);
    /* Every host receives both streams, and one forwards as much. */
    profile->messages = 2 * (n_hosts - 1);
    const pb_profile_duty_t duty = {.most = 2 * fast, .least = 2 * fast, .sends = 2, .receives = 2};
    add_duty(profile, &duty);
}
