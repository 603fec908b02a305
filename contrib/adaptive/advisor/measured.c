#include "measured.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/kit.h"

/** State of a path from one cluster to another. */
enum { UNKNOWN, FREE, LOADED };

/** A path from one cluster to another. */
struct way {
    int state;
    uint64_t rate;    /**< where it is not UNKNOWN */
    int64_t known_by; /**< the broadcast's records of its rate began here */
    uint64_t usual;   /**< as the matrix had it */
};

/** Use of a link by the edges of one broadcast. */
struct use {
    double through; /**< bytes per second */
    int n_edges;
};

struct applying {
    int root;
    pb_link_matrix_t *matrix;
    const pb_link_share_t *share;
    int n_clusters;
    struct way *ways;   /**< by pair of clusters */
    struct use *uses;   /**< by link */
    uint64_t *incoming; /**< by node: the slowest rate into it; 0: not known */
};

static struct way *way_between(const struct applying *a, int from, int to)
{
    return &a->ways[(size_t) from * (size_t) a->n_clusters + (size_t) to];
}

static uint64_t rate_of(const pb_history_record_t *record)
{
    return pb_link_rate((double) record->bytes, record->taken);
}

static bool is_percent_of(uint64_t rate, int percent, double whole)
{
    return (double) rate * 100 >= percent * whole;
}

/* ---- one broadcast ---- */

static void enter_edges(struct applying *a, const pb_history_record_t *records, int n)
{
    memset(a->incoming, 0, (size_t) a->matrix->n_nodes * sizeof *a->incoming);
    if (a->share != NULL) {
        memset(a->uses, 0, (size_t) a->share->n_links * sizeof *a->uses);
    }
    for (int i = 0; i < n; i++) {
        const uint64_t rate = rate_of(&records[i]);
        uint64_t *incoming = &a->incoming[records[i].to];
        *incoming = *incoming == 0 || rate < *incoming ? rate : *incoming;
        int n_links = 0;
        const int *links = a->share != NULL ? pb_link_share_path(a->share, records[i].from,
                                                                 records[i].to, &n_links)
                                            : NULL;
        for (int j = 0; j < n_links; j++) {
            a->uses[links[j]].through += (double) rate;
            a->uses[links[j]].n_edges++;
        }
    }
}

/** Tells whether the tree itself, not load, explains why an edge was not faster. Records of other
 * roots are among these, so that somebody may have delivered to this one. */
static bool is_explained(const struct applying *a, const pb_history_record_t *record)
{
    const uint64_t before = a->incoming[record->from];
    if (before == 0 ? record->from != a->root
                    : is_percent_of(rate_of(record), ADVISE_SAME_PERCENT, (double) before)) {
        return true;
    }
    int n_links = 0;
    const int *links =
        a->share != NULL ? pb_link_share_path(a->share, record->from, record->to, &n_links) : NULL;
    for (int i = 0; i < n_links; i++) {
        const double full = (double) a->share->capacity[links[i]] * ADVISE_FULL_PERCENT / 100;
        if (a->uses[links[i]].n_edges > 1 && a->uses[links[i]].through >= full) {
            return true;
        }
    }
    return false;
}

/** Tells whether an edge was slower than usual by more than noise and a connection's warm-up. */
static bool is_slow(const struct applying *a, const pb_history_record_t *record, uint64_t usual)
{
    const int64_t settling =
        ADVISE_SETTLING_LATENCIES * pb_link_latency(a->matrix, record->from, record->to);
    const int64_t expected = pb_link_time(record->bytes, usual);
    return !is_percent_of(rate_of(record), ADVISE_LOADED_PERCENT, (double) usual) &&
           expected >= settling && record->taken > expected + settling;
}

/** Newer broadcasts replace the rates of older ones; of one broadcast the fastest edge counts. */
static void learn(struct applying *a, const pb_history_record_t *record, int64_t broadcast)
{
    const int *cluster = a->matrix->node_cluster;
    struct way *way = way_between(a, cluster[record->from], cluster[record->to]);
    const uint64_t rate = rate_of(record);
    const bool fast = is_percent_of(rate, ADVISE_LOADED_PERCENT, (double) way->usual);
    if (cluster[record->from] == cluster[record->to] ||
        (!fast && (is_explained(a, record) || !is_slow(a, record, way->usual)))) {
        return;
    }
    if (way->known_by != broadcast || rate > way->rate) {
        way->state = fast ? FREE : LOADED;
        way->rate = rate;
        way->known_by = broadcast;
    }
}

static int end_of_broadcast(const struct advise_rates *rates, int first)
{
    int i = first;
    while (i < rates->n && rates->records[i].broadcast == rates->records[first].broadcast) {
        i++;
    }
    return i;
}

/* ---- all ---- */

/** Common state of the pairs in a row (a column) of clusters. */
struct line {
    int n_free, n_loaded;
    uint64_t fastest; /**< of the loaded */
};

static struct line line_of(const struct applying *a, int cluster, bool into)
{
    struct line line = {.n_free = 0};
    for (int i = 0; i < a->n_clusters; i++) {
        const struct way *way = into ? way_between(a, i, cluster) : way_between(a, cluster, i);
        line.n_free += way->state == FREE;
        line.n_loaded += way->state == LOADED;
        if (way->state == LOADED && way->rate > line.fastest) {
            line.fastest = way->rate;
        }
    }
    return line;
}

/** The assumed rate of an unmeasured path, by the other paths that leave, or enter, a cluster. */
static uint64_t by_line(const struct line *line, uint64_t usual)
{
    if (line->n_loaded == 0 || line->n_free > 0) {
        return usual;
    }
    const uint64_t suspect = usual / 100 * ADVISE_SUSPECT_PERCENT + 1;
    const uint64_t lowered = line->n_loaded > 1 ? line->fastest : suspect;
    return lowered < usual ? lowered : usual;
}

static uint64_t bandwidth_of(const struct applying *a, int from, int to)
{
    const struct way *way = way_between(a, from, to);
    if (way->state == LOADED) {
        return way->rate;
    }
    if (way->state == FREE) {
        return way->rate > way->usual ? way->rate : way->usual;
    }
    const struct line out = line_of(a, from, false), in = line_of(a, to, true);
    return pb_minu64(by_line(&out, way->usual), by_line(&in, way->usual));
}

/** Pairs of nodes keep their proportion to the usual bandwidth between their clusters. */
static void write_pair(const struct applying *a, int from, int to, uint64_t bandwidth)
{
    pb_link_matrix_t *m = a->matrix;
    const uint64_t usual = way_between(a, from, to)->usual;
    for (int i = 0; i < m->n_nodes; i++) {
        for (int j = 0; m->node_cluster[i] == from && j < m->n_nodes; j++) {
            if (m->node_cluster[j] == to) {
                uint64_t *entry = &m->bandwidth[(size_t) i * (size_t) m->n_nodes + (size_t) j];
                const double scaled = (double) *entry * (double) bandwidth / (double) usual;
                *entry = scaled < 1 ? 1
                         : scaled < (double) PB_LINK_MATRIX_MAX_BANDWIDTH
                             ? (uint64_t) scaled
                             : PB_LINK_MATRIX_MAX_BANDWIDTH;
            }
        }
    }
}

static void write_all(const struct applying *a, struct advise_findings *findings)
{
    for (int from = 0; from < a->n_clusters; from++) {
        for (int to = 0; to < a->n_clusters; to++) {
            const struct way *way = way_between(a, from, to);
            if (from == to || way->usual == 0) {
                continue;
            }
            if (way->state == LOADED) {
                findings->n_loaded++;
                findings->loaded_from = from;
                findings->loaded_to = to;
            }
            const uint64_t bandwidth = bandwidth_of(a, from, to);
            if (bandwidth != way->usual) {
                write_pair(a, from, to, bandwidth);
            }
        }
    }
}

/** The fastest pair of nodes stands for a pair of clusters. */
static void note_usual(struct applying *a)
{
    const pb_link_matrix_t *m = a->matrix;
    for (int i = 0; i < m->n_nodes; i++) {
        for (int j = 0; j < m->n_nodes; j++) {
            struct way *way = way_between(a, m->node_cluster[i], m->node_cluster[j]);
            const uint64_t bandwidth = pb_link_bandwidth(m, i, j);
            way->usual = bandwidth > way->usual ? bandwidth : way->usual;
        }
    }
}

static bool alloc_applying(struct applying *a)
{
    const size_t n_pairs = (size_t) a->n_clusters * (size_t) a->n_clusters;
    const size_t n_links = a->share != NULL ? (size_t) a->share->n_links + 1 : 1;
    a->ways = calloc(n_pairs, sizeof *a->ways);
    a->uses = calloc(n_links, sizeof *a->uses);
    a->incoming = calloc((size_t) a->matrix->n_nodes, sizeof *a->incoming);
    return a->ways != NULL && a->uses != NULL && a->incoming != NULL;
}

static void free_applying(struct applying *a)
{
    free(a->ways);
    free(a->uses);
    free(a->incoming);
}

/** Tells whether the broadcast whose records begin at `first` is new enough: its last end
 * counts. */
static bool is_new(const struct advise_rates *rates, int first, int end, int64_t since)
{
    int64_t last = INT64_MIN;
    for (int i = first; i < end; i++) {
        const int64_t over = rates->records[i].begun + rates->records[i].taken;
        last = over > last ? over : last;
    }
    return last >= since;
}

int advise_apply_rates(pb_link_matrix_t *matrix, const pb_link_share_t *share,
                       const struct advise_rates *rates, int64_t since,
                       struct advise_findings *findings)
{
    struct applying a = {
        .root = rates->root, .matrix = matrix, .share = share, .n_clusters = matrix->n_clusters};
    *findings = (struct advise_findings){.loaded_from = -1, .loaded_to = -1};
    if (!alloc_applying(&a)) {
        free_applying(&a);
        return PB_ERR_NO_MEMORY;
    }
    note_usual(&a);
    for (int first = 0, end; first < rates->n; first = end) {
        end = end_of_broadcast(rates, first);
        if (!is_new(rates, first, end, since)) {
            continue;
        }
        enter_edges(&a, rates->records + first, end - first);
        for (int i = first; i < end; i++) {
            learn(&a, &rates->records[i], first + 1);
        }
        findings->n_used += end - first;
    }
    write_all(&a, findings);
    free_applying(&a);
    return PB_SUCCESS;
}
