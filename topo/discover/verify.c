#include "topo/discover/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/discover/core.h"
#include "topo/discover/round.h"
#include "topo/util/kit.h"
#include "topo/util/median.h"

/** A host with less than this share of what the file gives it is slow. */
#define LEAST_SPEED 0.75

enum {
    LEAST_CLEAN = 12, /**< rounds in a row, and twice log2(hosts) more */
    MOST_UNEXPLAINED = 10,
    MOST_CONTRADICTIONS = 64,
    MOST_MOVED = 2, /**< hosts that have moved; more of them are a link that is missing */
    MOST_PASSES = 3,
    REVIEW_TRIALS = 3, /**< of each contradiction, which is slow in most of them */
};

typedef struct verifying {
    pb_gauge_t gauge;
    const pb_network_t *network;
    const int *nodes;
    pb_cuts_t cuts; /**< of the file, and then as they were found */
    int *links;     /**< by cut: the node below; -1: it is not in the file */
    double unit;    /**< bytes per second of one unit of the file's speeds */
    pb_flow_t *flows;
    pb_verification_t *result;
} verifying_t;

/* ---- what the file has ---- */

static double rate_of(const verifying_t *v, int host)
{
    return fmin(pb_gauge_out(&v->gauge, host), pb_gauge_in(&v->gauge, host));
}

static double speed_of(const verifying_t *v, int host)
{
    return pb_network_node(v->network, v->nodes[host])->speed;
}

/** Speeds in a file have any unit: the middle one of the hosts' rates for a unit of speed. */
static int find_unit(verifying_t *v)
{
    const int n = v->cuts.n_hosts;
    double *units = malloc((size_t) n * sizeof *units);
    if (units == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int host = 0; host < n; host++) {
        units[host] = rate_of(v, host) / speed_of(v, host);
    }
    v->unit = pb_median(units, n);
    free(units);
    return PB_SUCCESS;
}

static bool is_below(const verifying_t *v, int node, int top)
{
    while (node >= 0 && node != top) {
        node = pb_network_node(v->network, node)->parent;
    }
    return node == top;
}

/** The cut of a link between switches, if there are hosts enough on both sides to fill it. */
static int add_link(verifying_t *v, int node, bool *inside)
{
    const pb_node_t *n = pb_network_node(v->network, node);
    pb_cut_t cut = {.inside = inside, .capacity = n->speed * v->unit, .members = n->members};
    for (int host = 0; host < v->cuts.n_hosts; host++) {
        inside[host] = is_below(v, v->nodes[host], node);
        cut.n_inside += inside[host];
    }
    if (cut.n_inside < 2 || v->cuts.n_hosts - cut.n_inside < 2) {
        return PB_SUCCESS;
    }
    const int same = pb_cuts_find(&v->cuts, &cut);
    if (same >= 0) { /* of links in a row the slowest counts */
        if (cut.capacity < v->cuts.cuts[same].capacity) {
            v->cuts.cuts[same].capacity = cut.capacity;
            v->links[same] = node;
        }
        return PB_SUCCESS;
    }
    v->links[v->cuts.n] = node;
    return pb_cuts_add(&v->cuts, &cut);
}

static int add_links(verifying_t *v)
{
    const int size = pb_network_size(v->network);
    bool *inside = calloc((size_t) v->cuts.n_hosts, sizeof *inside);
    v->links = calloc((size_t) size + MOST_CONTRADICTIONS, sizeof *v->links);
    int code = inside != NULL && v->links != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int node = 0; code == PB_SUCCESS && node < size; node++) {
        const pb_node_t *n = pb_network_node(v->network, node);
        if (n->kind == PB_NODE_SWITCH && n->parent >= 0) {
            code = add_link(v, node, inside);
        }
    }
    free(inside);
    return code;
}

/* ---- contradictions ---- */

/** Adds a contradiction with room for `n_hosts` and the flows of `core`; NULL if out of memory. */
static pb_contradiction_t *add_contradiction(verifying_t *v, pb_contradiction_kind_t kind,
                                             int n_hosts, const pb_core_t *core)
{
    pb_verification_t *r = v->result;
    const int n_flows = core != NULL ? core->n : 0;
    pb_contradiction_t *more = pb_grow(r->contradictions, r->n, &r->capacity, sizeof *more);
    if (more == NULL) {
        return NULL;
    }
    r->contradictions = more;
    pb_contradiction_t *c = &more[r->n];
    *c = (pb_contradiction_t){.kind = kind, .link = -1, .n_flows = n_flows};
    c->hosts = calloc((size_t) n_hosts + 1, sizeof *c->hosts);
    c->flows = calloc((size_t) n_flows + 1, sizeof *c->flows);
    r->n++;
    if (c->hosts == NULL || c->flows == NULL) {
        return NULL;
    }
    if (core != NULL) {
        memcpy(c->flows, core->flows, (size_t) n_flows * sizeof *c->flows);
        c->capacity = core->capacity;
        for (int i = 0; i < n_flows; i++) {
            c->stated += pb_gauge_alone(&v->gauge, core->flows[i]);
        }
    }
    return c;
}

/** The file's rate between two hosts, of a flow alone. */
static double stated_rate(const verifying_t *v, int from, int to)
{
    return pb_network_slowest(v->network, v->nodes[from], v->nodes[to]) * v->unit;
}

/** The partner to which the file gives a host the most. *stated_p: that. */
static int best_partner(const verifying_t *v, int host, double *stated_p)
{
    int best = -1;
    *stated_p = 0;
    for (int other = 0; other < v->cuts.n_hosts; other++) {
        if (other != host) {
            const double stated = stated_rate(v, host, other);
            if (stated > *stated_p && rate_of(v, other) >= LEAST_SPEED * stated) {
                best = other;
                *stated_p = stated;
            }
        }
    }
    return best;
}

/** Tells whether a host has less than the file gives it to another, from it or to it, in two
 * trials. */
static int verify_host(verifying_t *v, int host)
{
    double stated;
    const int partner = best_partner(v, host, &stated);
    int code = PB_SUCCESS;
    if (partner < 0 || rate_of(v, host) >= LEAST_SPEED * stated) {
        return PB_SUCCESS;
    }
    for (int i = 0; code == PB_SUCCESS && i < 4; i++) {
        const pb_flow_t flow = i % 2 == 0 ? (pb_flow_t){host, partner} : (pb_flow_t){partner, host};
        double sum, free;
        code = pb_gauge_trial(&v->gauge, &v->cuts, &flow, 1, &sum, &free);
    }
    if (code != PB_SUCCESS || rate_of(v, host) >= LEAST_SPEED * stated) {
        return code;
    }
    pb_contradiction_t *c = add_contradiction(v, PB_CONTRADICTION_HOST, 1, NULL);
    if (c == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    c->link = v->nodes[host];
    c->hosts[c->n_hosts++] = host;
    c->capacity = rate_of(v, host);
    c->stated = stated;
    return PB_SUCCESS;
}

/** Hosts whose own links are slower than in the file. */
static int verify_hosts(verifying_t *v)
{
    int code = PB_SUCCESS;
    for (int host = 0; code == PB_SUCCESS && host < v->cuts.n_hosts; host++) {
        code = verify_host(v, host);
    }
    return code;
}

/** Tells whether a host is on different sides of two cuts; `opposite`: the inside of one is the
 * other's outside. */
static bool differs(const pb_cut_t *a, const pb_cut_t *b, bool opposite, int host)
{
    return (a->inside[host] == b->inside[host]) == opposite;
}

static int count_differing(const verifying_t *v, const pb_cut_t *a, const pb_cut_t *b,
                           bool opposite)
{
    int n = 0;
    for (int host = 0; host < v->cuts.n_hosts; host++) {
        n += differs(a, b, opposite, host);
    }
    return n;
}

/** The cut from which the fewest hosts have moved; -1: there is none. */
static int find_nearest(const verifying_t *v, const pb_cut_t *cut, int *n_moved_p, bool *opposite_p)
{
    int nearest = -1;
    *n_moved_p = v->cuts.n_hosts;
    for (int i = 0; i < v->cuts.n; i++) {
        for (int opposite = 0; opposite < 2; opposite++) {
            const int n = count_differing(v, &v->cuts.cuts[i], cut, opposite == 1);
            if (n < *n_moved_p) {
                nearest = i;
                *n_moved_p = n;
                *opposite_p = opposite == 1;
            }
        }
    }
    return nearest;
}

/** Returns the switch of the first core flow's sender in the file that has hosts on both sides;
 * else the sender's. */
static int switch_of(const verifying_t *v, const pb_core_t *core, const pb_cut_t *cut)
{
    for (int i = 0; i < core->n; i++) {
        const int sender = core->flows[i].from;
        const int parent = pb_network_node(v->network, v->nodes[sender])->parent;
        for (int host = 0; host < v->cuts.n_hosts; host++) {
            if (pb_network_node(v->network, v->nodes[host])->parent == parent &&
                cut->inside[host] != cut->inside[sender]) {
                return parent;
            }
        }
    }
    return pb_network_node(v->network, v->nodes[core->flows[0].from])->parent;
}

static int add_moved(verifying_t *v, const pb_core_t *core, const pb_cut_t *cut, int nearest,
                     int n_moved, bool opposite)
{
    pb_contradiction_t *c = add_contradiction(v, PB_CONTRADICTION_MOVED, n_moved, core);
    if (c == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    c->link = v->links[nearest];
    for (int host = 0; host < v->cuts.n_hosts; host++) {
        if (differs(&v->cuts.cuts[nearest], cut, opposite, host)) {
            c->hosts[c->n_hosts++] = host;
        }
    }
    for (int host = 0; host < v->cuts.n_hosts; host++) {
        v->cuts.cuts[nearest].inside[host] = cut->inside[host];
    }
    return PB_SUCCESS;
}

static int add_split(verifying_t *v, const pb_core_t *core, const pb_cut_t *cut)
{
    const int n = v->cuts.n_hosts;
    const bool smaller = 2 * cut->n_inside <= n;
    pb_contradiction_t *c = add_contradiction(v, PB_CONTRADICTION_SPLIT, n, core);
    if (c == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    c->link = switch_of(v, core, cut);
    for (int host = 0; host < n; host++) {
        if (cut->inside[host] == smaller) {
            c->hosts[c->n_hosts++] = host;
        }
    }
    v->links[v->cuts.n] = -1;
    return pb_cuts_add(&v->cuts, cut);
}

static int add_slower(verifying_t *v, const pb_core_t *core, int same)
{
    pb_contradiction_t *c = add_contradiction(v, PB_CONTRADICTION_LINK, 0, core);
    if (c == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    c->link = v->links[same];
    c->stated = fmin(c->stated, v->cuts.cuts[same].capacity);
    v->cuts.cuts[same].capacity = core->capacity;
    return PB_SUCCESS;
}

static int compare_with_file(verifying_t *v, const pb_core_t *core, const pb_cut_t *cut)
{
    bool opposite = false;
    int n_moved;
    const int same = pb_cuts_find(&v->cuts, cut), n_outside = v->cuts.n_hosts - cut->n_inside;
    const int nearest = find_nearest(v, cut, &n_moved, &opposite),
              smaller = cut->n_inside < n_outside ? cut->n_inside : n_outside;
    if (same >= 0 && v->links[same] < 0) { /* it is reported, and has even less */
        v->cuts.cuts[same].capacity = fmin(v->cuts.cuts[same].capacity, core->capacity);
        v->result->n_unexplained++;
        return PB_SUCCESS;
    }
    if (same >= 0) {
        return add_slower(v, core, same);
    }
    if (nearest >= 0 && v->links[nearest] >= 0 && n_moved <= MOST_MOVED && 2 * n_moved < smaller) {
        return add_moved(v, core, cut, nearest, n_moved, opposite);
    }
    return add_split(v, core, cut);
}

/* ---- rounds ---- */

/** Finds the flows that are slow together, of the slow ones of a round, and the cut that they
 * cross. *found_p: there are such flows, and they are slow a second time. */
static int find_slow_cut(verifying_t *v, int n_slow, int n, pb_core_t *core, pb_cut_t *cut,
                         bool *found_p)
{
    *found_p = false;
    int code = pb_core_find(&v->gauge, &v->cuts, v->flows, n_slow, n, core);
    if (code != PB_SUCCESS || core->n == 0 || (core->hashed && core->n > 2)) {
        return code;
    }
    code = pb_core_cut(&v->gauge, &v->cuts, core, cut);
    if (code != PB_SUCCESS) {
        return code;
    }
    memcpy(v->flows, core->flows, (size_t) core->n * sizeof *core->flows);
    code = pb_gauge_find_slow(&v->gauge, &v->cuts, v->flows, core->n);
    *found_p = code > 0;
    return code > 0 ? PB_SUCCESS : code;
}

/** Reports the contradictions that the slow flows of a round show twice. */
static int explain(verifying_t *v, int n_slow, int n)
{
    bool found;
    pb_core_t core;
    pb_cut_t cut = {.inside = calloc((size_t) v->cuts.n_hosts, sizeof *cut.inside)};
    if (cut.inside == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int code = find_slow_cut(v, n_slow, n, &core, &cut, &found);
    if (code == PB_SUCCESS && found && cut.n_inside > 1 && cut.n_inside < v->cuts.n_hosts - 1) {
        code = compare_with_file(v, &core, &cut);
        v->result->n_rounds = 0;
    } else if (code == PB_SUCCESS) {
        v->result->n_unexplained += found;
        v->result->n_rounds += !found;
    }
    pb_core_clear(&core);
    free(cut.inside);
    return code;
}

static int verify_rounds(verifying_t *v)
{
    const int n_hosts = v->cuts.n_hosts, most = v->gauge.meter->max_flows;
    const int parts = (n_hosts + most - 1) / most,
              needed = (LEAST_CLEAN + 2 * (int) ceil(log2(n_hosts))) * parts * parts;
    pb_verification_t *r = v->result;
    int code = PB_SUCCESS;
    while (code == PB_SUCCESS && r->n_rounds < needed && r->n_unexplained < MOST_UNEXPLAINED &&
           r->n < MOST_CONTRADICTIONS) {
        const int n = pb_round_make(&v->gauge, &v->cuts, most, v->flows);
        code = n > 0 ? pb_gauge_find_slow(&v->gauge, &v->cuts, v->flows, n) : n;
        if (code > 0) {
            code = explain(v, code, n);
        } else {
            r->n_rounds++;
        }
    }
    r->complete = r->n_rounds >= needed;
    return code;
}

/* ---- what stays ---- */

static void clear_contradiction(pb_contradiction_t *c)
{
    free(c->hosts);
    free(c->flows);
}

/** Tells whether the flows that showed it are still slower than in the file. */
static int is_still_there(verifying_t *v, const pb_contradiction_t *c, bool *is_p)
{
    int n_slow = 0, code = PB_SUCCESS;
    for (int i = 0; code == PB_SUCCESS && i < REVIEW_TRIALS; i++) {
        double sum = 0, free_sum;
        code = pb_gauge_trial(&v->gauge, &v->cuts, c->flows, c->n_flows, &sum, &free_sum);
        n_slow += sum < (c->capacity + c->stated) / 2;
    }
    *is_p = 2 * n_slow > REVIEW_TRIALS;
    return code;
}

/**
 * Drops contradictions that are not there any more. Other traffic comes and goes, and may look like
 * a link for as long as it takes to find one. *n_dropped_p: how many.
 */
static int review(verifying_t *v, int *n_dropped_p)
{
    pb_verification_t *r = v->result;
    int n_kept = 0, code = PB_SUCCESS;
    for (int i = 0; i < r->n; i++) {
        bool is_there = true;
        if (code == PB_SUCCESS) {
            code = is_still_there(v, &r->contradictions[i], &is_there);
        }
        if (is_there) {
            r->contradictions[n_kept++] = r->contradictions[i];
        } else {
            clear_contradiction(&r->contradictions[i]);
        }
    }
    *n_dropped_p = r->n - n_kept;
    r->n = n_kept;
    return code;
}

/** Drops all contradictions, and begins with the file's cuts. */
static int begin_pass(verifying_t *v)
{
    pb_verification_t *r = v->result;
    for (int i = 0; i < r->n; i++) {
        clear_contradiction(&r->contradictions[i]);
    }
    r->n = r->n_rounds = r->n_unexplained = 0;
    free(v->links);
    pb_cuts_clear(&v->cuts);
    pb_cuts_init(&v->cuts, v->gauge.meter->n_hosts);
    return add_links(v);
}

/** A contradiction that is dropped has hidden others, so all is tried again without it. */
static int verify_links(verifying_t *v)
{
    int code = PB_SUCCESS, n_dropped = 1;
    for (int i = 0; code == PB_SUCCESS && n_dropped > 0 && i < MOST_PASSES; i++) {
        code = begin_pass(v);
        code = code == PB_SUCCESS ? verify_rounds(v) : code;
        code = code == PB_SUCCESS ? review(v, &n_dropped) : code;
    }
    return code;
}

int pb_verify(const pb_meter_t *meter, const pb_network_t *network, const int *nodes, uint64_t seed,
              pb_verification_t *verification)
{
    verifying_t v = {.network = network, .nodes = nodes, .result = verification};
    *verification = (pb_verification_t){.n = 0};
    pb_cuts_init(&v.cuts, meter->n_hosts);
    v.flows = calloc((size_t) meter->n_hosts, sizeof *v.flows);
    int code = pb_gauge_init(&v.gauge, meter, seed);
    code = v.flows == NULL ? PB_ERR_NO_MEMORY : code;
    code = code == PB_SUCCESS ? pb_gauge_hosts(&v.gauge) : code;
    code = code == PB_SUCCESS ? find_unit(&v) : code;
    code = code == PB_SUCCESS ? verify_links(&v) : code;
    code = code == PB_SUCCESS ? verify_hosts(&v) : code;
    verification->n_trials = v.gauge.n_trials;
    free(v.flows);
    free(v.links);
    pb_cuts_clear(&v.cuts);
    pb_gauge_clear(&v.gauge);
    return code;
}

void pb_verification_clear(pb_verification_t *verification)
{
    for (int i = 0; i < verification->n; i++) {
        clear_contradiction(&verification->contradictions[i]);
    }
    free(verification->contradictions);
    *verification = (pb_verification_t){.n = 0};
}
