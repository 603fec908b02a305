#include "topo/model/least.h"

#include <stdlib.h>
#include <string.h>

#include "topo/model/profile.h"
#include "topo/util/error.h"
#include "topo/util/times.h"

/** Ways of more hops, or of more sends beyond one for each hop, are not counted. */
#define MAX_HOPS 32
#define MAX_MORE 32

/** Enough for as many hosts as there can be. */
#define MAX_PHASES 31

/**
 * It is asked whether plans are higher than so many times the least height: where they are, they
 * hardly ever matter. (In random trees of 8,192 hosts, those with two children are 4 to 5 times as
 * high by the extension of Algorithm 2.)
 */
#define LOOK_FACTOR 2

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

/** Counts the ranks below each switch that has some; returns how many switches these are. */
static int count_ranks(const pb_placement_t *placement, int *n_ranks)
{
    int n = 0;
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        const int host = pb_network_host_of(placement->network, placement->host[rank]);
        const int above = pb_network_node(placement->network, host)->parent;
        n += above >= 0 && n_ranks[above] == 0;
        n_ranks[above >= 0 ? above : host]++;
    }
    return n;
}

/** The least of the counts that are not 0. */
static int least_count(const int *n_ranks, int n_nodes)
{
    int least = 0;
    for (int node = 0; node < n_nodes; node++) {
        if (n_ranks[node] > 0 && (least == 0 || n_ranks[node] < least)) {
            least = n_ranks[node];
        }
    }
    return least;
}

/** Whether a node's uplink is one link, as fast as the slowest host's, and not below a switch with
 * ranks if the node is a switch. */
static bool is_plain(const pb_network_t *network, int node, uint32_t speed, const int *n_ranks)
{
    const pb_node_t *at = pb_network_node(network, node);
    if (at->kind == PB_NODE_PLACE || at->parent < 0) {
        return true;
    }
    return at->speed == speed && pb_network_members(network, node) == 1 &&
           (at->kind == PB_NODE_HOST || n_ranks[at->parent] == 0);
}

int pb_least_hosts(const pb_placement_t *placement, int n_hosts, int most_senders,
                   pb_least_hosts_t *hosts)
{
    const pb_network_t *network = placement->network;
    const uint32_t speed = pb_profile_host_speed(network);
    const int n_nodes = pb_network_size(network);
    int *n_ranks = calloc((size_t) n_nodes, sizeof(*n_ranks));
    if (n_ranks == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    *hosts = (pb_least_hosts_t){.n_hosts = n_hosts,
                                .most_senders = most_senders,
                                .n_leaves = count_ranks(placement, n_ranks),
                                .fast = fastest_time(placement)};
    for (int node = 0; node < n_nodes && hosts->n_leaves > 0; node++) {
        hosts->n_leaves = is_plain(network, node, speed, n_ranks) ? hosts->n_leaves : 0;
    }
    hosts->least_on_leaf = placement->n_ranks == n_hosts ? least_count(n_ranks, n_nodes) : 1;
    free(n_ranks);
    return PB_SUCCESS;
}

/* ---- ways ---- */

/** The least number of hops in which all hosts can be reached, where each sends to `branching`. */
static int64_t least_height(int64_t n_hosts, int64_t branching)
{
    int64_t height = 0;
    for (int64_t reached = 1; reached < n_hosts; reached = 1 + branching * reached) {
        height++;
    }
    return height;
}

/**
 * Of n trees that together send n times from the root, one has a root with one child at most, below
 * which no host has more than n. Every host receives all streams, and of n + 1 hosts or more beside
 * the root, which forward n less than they receive, one forwards as much.
 *
 * Where leaves have one link, it carries no more than n edges of all trees each way, and so one of
 * each tree into each leaf and out of the root's; and no leaf is left by more than n edges of one
 * tree. As a leaf is entered once, its other hosts are below the one that is: so many hops as that
 * takes in the smallest leaf come after those to the last one.
 */
static pb_least_way_t way_of_streams(const pb_least_hosts_t *hosts, int n)
{
    if (hosts->n_hosts < n + 2) {
        return (pb_least_way_t){.n_streams = 1};
    }
    pb_least_way_t way = {.n_streams = n,
                          .load = n,
                          .forwards = n,
                          .of_root = 1,
                          .children = n,
                          .senders = 1,
                          .height = 1 + least_height(hosts->n_hosts - 1, n)};
    if (hosts->n_leaves > 1) {
        way.leaves = 1 + least_height(hosts->n_leaves - 1, n);
        way.inside = least_height(hosts->least_on_leaf, n);
    }
    return way;
}

/**
 * Plans whose busiest rank sends to from `fewest` to `most` ranks of other hosts. Where the one
 * link of a leaf has `one_sender`, no more edges than its children leave a leaf.
 */
static pb_least_way_t way_of_one_stream(const pb_least_hosts_t *hosts, int fewest, int most,
                                        bool one_sender)
{
    const int64_t branching = (int64_t) hosts->most_senders * most;
    return (pb_least_way_t){.n_streams = 1,
                            .load = fewest,
                            .of_root = most,
                            .children = most,
                            .senders = hosts->most_senders,
                            .height = least_height(hosts->n_hosts, branching),
                            .leaves = one_sender ? least_height(hosts->n_leaves, most) : 0};
}

/** Phases in which hosts that send in each can reach all. */
static int count_phases(int n_hosts)
{
    int n = 0;
    while ((n_hosts - 1) >> n > 0) {
        n++;
    }
    return n;
}

/**
 * How many there may be in a tree whose root has so many phases before it, where no rank sends more
 * than `most` times: the root, and what is below its children of the next phases.
 */
static int64_t most_in_phases(int n_phases, int most)
{
    int64_t n[MAX_PHASES + 1] = {0};
    for (int left = 0; left <= n_phases; left++) {
        n[left] = 1;
        for (int child = 1; child <= most && child <= left; child++) {
            n[left] += n[left - child];
        }
    }
    return n[n_phases];
}

/** The busiest rank sends so often that all can be reached. */
static pb_least_way_t way_of_phases(const pb_least_hosts_t *hosts)
{
    const int n_phases = count_phases(hosts->n_hosts);
    int fewest = 1;
    while (most_in_phases(n_phases, fewest) < hosts->n_hosts) {
        fewest++;
    }
    return way_of_one_stream(hosts, fewest, n_phases, false);
}

/** Plans with any number of children up to `most`. */
static void add_ways(pb_least_t *least, int most, bool one_sender)
{
    for (int children = 1; children <= most && least->n_ways < PB_LEAST_MAX_WAYS; children++) {
        const bool is_last = least->n_ways + 1 == PB_LEAST_MAX_WAYS;
        least->ways[least->n_ways++] =
            way_of_one_stream(&least->hosts, children, is_last ? most : children, one_sender);
    }
}

pb_least_t pb_least_of(const pb_least_hosts_t *hosts, pb_kind_t kind,
                       const pb_plan_options_t *options)
{
    const pb_kind_row_t *row = pb_kind_row(kind);
    pb_least_t least = {.hosts = *hosts};
    if (row->bound == PB_BOUND_TWO_STREAMS) {
        least.ways[least.n_ways++] = way_of_streams(hosts, 2);
    } else if (row->bound == PB_BOUND_FOUR_STREAMS) {
        least.ways[least.n_ways++] = way_of_streams(hosts, 4);
    } else if (row->bound == PB_BOUND_ONE_STREAM && hosts->n_hosts > 1) {
        add_ways(&least, row->takes_fanout ? options->fanout : 2, row->promises);
    } else if (row->bound == PB_BOUND_PHASES && hosts->n_hosts > 1) {
        least.ways[least.n_ways++] = way_of_phases(hosts);
    } else if (row->bound == PB_BOUND_ROOT && hosts->n_hosts > 1) {
        const int of_root = row->reaches_all ? hosts->n_hosts - 1 : 1;
        least.ways[least.n_ways++] = way_of_one_stream(hosts, of_root, of_root, row->promises);
    }
    return least;
}

pb_least_t pb_least_of_fallback(const pb_least_hosts_t *hosts)
{
    return (pb_least_t){
        .hosts = *hosts,
        .n_ways = 1,
        .ways = {{.n_streams = 1, .height = count_phases(hosts->n_hosts)}},
    };
}

/* ---- a closer look ---- */

/** A vertex: how far it is from the root's, and its hosts. */
typedef struct distant {
    int64_t further;
    int n_hosts;
} distant_t;

static int compare_distances(const void *a, const void *b)
{
    const distant_t *x = a, *y = b;
    return (x->further < y->further) - (x->further > y->further);
}

/** Of a segment over the slowest link between a vertex and the one above it; `unit` at speed 1. */
static int64_t time_of_link(const pb_view_t *view, int v, int64_t unit)
{
    return view->vertices[v].speed_in > 0 ? unit / view->vertices[v].speed_in : 0;
}

/** The vertices, the farthest first. A path between two of them has their slowest link, at least.
 */
static void list_distances(const pb_view_t *view, distant_t *distances)
{
    const pb_vertex_t *vertices = view->vertices;
    const int64_t unit =
        PB_PROFILE_UNIT * (int64_t) pb_profile_host_speed(view->placement->network);
    for (int v = 0; v < view->n_vertices; v++) {
        const int64_t above = v > 0 ? distances[vertices[v].parent].further : 0;
        const int64_t link = v > 0 ? time_of_link(view, v, unit) : 0;
        distances[v] = (distant_t){.further = above + link,
                                   .n_hosts = vertices[v].end_local - vertices[v].first_rank};
    }
    qsort(distances, (size_t) view->n_vertices, sizeof(*distances), compare_distances);
}

/** The farthest 32th of the hosts, the farthest 8th, the farther half, and all. */
int pb_least_look_far(const pb_view_t *view, pb_least_distances_t *list)
{
    distant_t *distances = malloc((size_t) view->n_vertices * sizeof(*distances));
    static const int parts[PB_LEAST_MAX_FAR - 1] = {5, 3, 1};
    int n_hosts = 0;
    if (distances == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    list_distances(view, distances);
    list->n = 0;
    for (int v = 0; v < view->n_vertices && list->n + 1 < PB_LEAST_MAX_FAR; v++) {
        n_hosts += distances[v].n_hosts;
        if (n_hosts > view->n_ranks >> parts[list->n]) {
            list->far[list->n++] =
                (pb_least_far_t){.n_hosts = n_hosts, .further = distances[v].further};
        }
    }
    list->far[list->n++] = (pb_least_far_t){.n_hosts = view->n_ranks, .further = 0};
    free(distances);
    return PB_SUCCESS;
}

/** Raises the least heights of the ways but the last one, where the kind knows more. */
static int look_high(pb_least_t *least, pb_kind_t kind, const pb_view_t *view)
{
    pb_is_higher_t *is_higher = pb_kind_row(kind)->is_higher;
    int rc = PB_SUCCESS;
    /* The way of one child is a chain, which is as high as can be. */
    for (int i = 1; i + 1 < least->n_ways && is_higher != NULL && rc == PB_SUCCESS; i++) {
        pb_least_way_t *way = &least->ways[i];
        const int64_t height = LOOK_FACTOR * way->height;
        bool is = false;
        if (height < view->n_ranks) {
            rc = is_higher(view, way->children, (int) height, &is);
        }
        way->height = is ? height + 1 : way->height;
    }
    return rc;
}

/** A path that the kind knows to have many hops. */
static int look_deep(pb_least_t *least, pb_kind_t kind, const pb_view_t *view)
{
    const pb_kind_row_t *row = pb_kind_row(kind);
    int vertex, hops;
    if (row->look_deep == NULL) {
        return PB_SUCCESS;
    }
    const int rc = row->look_deep(view, &vertex, &hops);
    if (rc == PB_SUCCESS) {
        const int64_t unit =
            PB_PROFILE_UNIT * (int64_t) pb_profile_host_speed(view->placement->network);
        least->deep_hops = hops;
        least->deep_further = 0;
        for (int v = vertex; v > 0; v = view->vertices[v].parent) {
            least->deep_further += time_of_link(view, v, unit);
        }
    }
    return rc;
}

int pb_least_look(pb_least_t *least, pb_kind_t kind, const pb_view_t *view,
                  const pb_least_distances_t *distances)
{
    least->distances = *distances;
    const int rc = look_high(least, kind, view);
    return rc == PB_SUCCESS ? look_deep(least, kind, view) : rc;
}

/* ---- the way to the last host ---- */

/**
 * By hops, and by sends beyond one for each hop: how many hosts can be reached so. A host is
 * reached by the first of its ranks that is. Each but the root's is at the end of an edge from a
 * host that was reached with one hop less, and with as many sends less as the edge is the how
 * manieth of its rank; and of the edges that are the how manieth there are no more from a host than
 * senders on it.
 */
typedef struct reach {
    int last[MAX_HOPS + 1];                /**< by hops: more than so many sends reach no other */
    int64_t n[MAX_HOPS + 1][MAX_MORE + 1]; /**< with so many sends or fewer */
} reach_t;

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void count_reach(const pb_least_way_t *way, int64_t n_hosts, int n_rows, reach_t *reach)
{
    reach->n[0][0] = 1;
    reach->last[0] = 0;
    for (int hops = 1; hops <= n_rows; hops++) {
        const int children = hops == 1 ? way->of_root : way->children;
        const int before = reach->last[hops - 1];
        const int64_t last = least_of(before + children - 1, MAX_MORE);
        reach->last[hops] = (int) last;
        for (int more = 0; more <= last; more++) {
            int64_t n = 0;
            for (int i = more > before ? more - before : 0; i < children && i <= more; i++) {
                n += reach->n[hops - 1][more - i];
            }
            reach->n[hops][more] = least_of(n * way->senders, n_hosts);
        }
    }
    for (int hops = 1; hops <= n_rows; hops++) {
        for (int more = 1; more <= reach->last[hops]; more++) {
            reach->n[hops][more] += reach->n[hops][more - 1];
        }
    }
}

/** What a hop costs with the first send of a rank, and what each further send adds. */
typedef struct price {
    int64_t hop, more;
} price_t;

/** As pb_predict() has them, on the links of the fastest hosts. */
static price_t price_of(const pb_segment_cost_t *cost, int64_t fast)
{
    const int64_t gap = pb_time_scale(cost->link.gap, (uint64_t) fast, PB_PROFILE_UNIT);
    const int64_t saved =
        pb_time_scale(cost->further, (uint64_t) (PB_PROFILE_UNIT - fast), PB_PROFILE_UNIT);
    return (price_t){.hop = cost->link.rtt / 2 - cost->link.gap - saved + gap, .more = gap};
}

/** The sends beyond one for each of `hops` that are over by a time; less than 0: not even these. */
static int64_t more_by(const price_t *price, int hops, int64_t time)
{
    const int64_t left = time - hops * price->hop;
    return left < 0 ? -1 : left / price->more;
}

static bool reaches_all(const reach_t *reach, const price_t *price, int64_t time, int64_t n_hosts)
{
    int64_t n = 1, left = time - price->hop;
    for (int hops = 1; hops <= MAX_HOPS && left >= 0 && n < n_hosts; hops++) {
        n += reach->n[hops][least_of(left / price->more, reach->last[hops])];
        left -= price->hop;
    }
    return n >= n_hosts;
}

/** By which all hosts can be reached, or beyond which hosts might be that are not counted. */
static int64_t time_enough(const pb_least_way_t *way, const price_t *price)
{
    const int64_t counted =
        least_of((MAX_HOPS + 1) * price->hop, price->hop + (MAX_MORE + 1) * price->more);
    return least_of(counted, way->height * (price->hop + (way->children - 1) * price->more));
}

/** The least time by which so many hosts can be reached, at most `enough`. */
static int64_t time_to_reach(const reach_t *reach, int64_t n_hosts, const price_t *price,
                             int64_t enough)
{
    int64_t low = 0, high = enough;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (reaches_all(reach, price, middle, n_hosts)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/** A way of so many hops, and of so many sends beyond one for each. */
typedef struct cell {
    int64_t hops, more;
} cell_t;

/** That which takes longest of those that take no longer than a time. */
static cell_t cell_at(const price_t *price, int64_t time)
{
    cell_t cell = {0, 0};
    int64_t most = -1;
    for (int hops = 0; hops <= MAX_HOPS + 1 && time > 0; hops++) {
        const int64_t more = least_of(more_by(price, hops, time), MAX_MORE + 1);
        const int64_t takes = hops * price->hop + more * price->more;
        if (more >= 0 && takes > most) {
            most = takes;
            cell = (cell_t){hops, more};
        }
    }
    return cell;
}

/* ---- times ---- */

/** Nanoseconds, more than by which sums are rounded where not all links are alike. */
#define ROUNDED 128

/** `further` takes back what each hop over fast links counts too much. */
static void add_path(pb_profile_t *profile, int64_t hops, int64_t sends, int64_t further,
                     int64_t fast)
{
    profile->paths[profile->n_paths++] = (pb_profile_path_t){
        .hops = hops, .further = further + hops * (fast - PB_PROFILE_UNIT), .sends = sends * fast};
}

/**
 * The ways to the last of the hosts that are so far or farther: besides hops and sends, each path
 * to one of these takes what lies between it and the root, whichever hops it has. Where costs are
 * so odd that a hop, or a send, takes no time, nothing is known.
 */
static void add_far_paths(const pb_least_t *least, const pb_least_way_t *way, const price_t *price,
                          pb_profile_t *profile)
{
    if (least->distances.n == 0 || price->hop <= 0 || price->more <= 0 || way->children == 0) {
        return;
    }
    const int64_t enough = time_enough(way, price);
    reach_t reach;
    count_reach(way, least->hosts.n_hosts, (int) least_of(enough / price->hop, MAX_HOPS), &reach);
    for (int i = 0; i < least->distances.n; i++) {
        const pb_least_far_t *far = &least->distances.far[i];
        /* The root is reached in no time; where it is one of them, all are. */
        const int64_t n_hosts = least_of(far->n_hosts + 1, least->hosts.n_hosts);
        const cell_t cell = cell_at(price, time_to_reach(&reach, n_hosts, price, enough));
        add_path(profile, cell.hops, cell.hops + cell.more, far->further, least->hosts.fast);
    }
}

static int64_t time_of_way(const pb_least_t *least, const pb_least_way_t *way,
                           const pb_model_t *model, const pb_segment_cost_t *cost, uint64_t bytes)
{
    const int64_t fast = least->hosts.fast, n_hosts = least->hosts.n_hosts;
    const pb_segment_cost_t of_first =
        bytes < cost->segment ? pb_segment_cost(model, bytes) : *cost;
    const price_t price = price_of(&of_first, fast);
    pb_profile_t profile;
    profile.copies = false;
    profile.height_inside = 0;
    profile.n_streams = way->n_streams;
    profile.n_paths = 0;
    add_path(&profile, way->height, way->height, 0, fast);
    /* Between leaves there are two links more, at least. */
    const int64_t to_last_leaf = way->leaves + way->inside;
    add_path(&profile, to_last_leaf, to_last_leaf, 2 * way->leaves * PB_PROFILE_UNIT, fast);
    add_path(&profile, least->deep_hops, least->deep_hops, least->deep_further, fast);
    add_far_paths(least, way, &price, &profile);
    profile.n_duties = 1;
    profile.duties[0] = (pb_profile_duty_t){.most = way->load * fast,
                                            .least = way->forwards * fast,
                                            .sends = way->load,
                                            .receives = way->forwards};
    profile.messages = way->load > 0 ? way->n_streams * (n_hosts - 1) : 0;
    const int64_t time = pb_predict(&profile, model, cost, bytes);
    return fast == PB_PROFILE_UNIT ? time : pb_time_limited(time - ROUNDED);
}

int64_t pb_least_predict(const pb_least_t *least, const pb_model_t *model,
                         const pb_segment_cost_t *cost, uint64_t bytes)
{
    int64_t time = least->n_ways > 0 ? PB_TIME_LONGEST : 0;
    for (int i = 0; i < least->n_ways; i++) {
        time = least_of(time, time_of_way(least, &least->ways[i], model, cost, bytes));
    }
    return time;
}
