#include "measured.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** State of a path from one cluster to another. */
enum { UNKNOWN, FREE, LOADED };

struct applying {
    int root;
    pb_link_matrix_t *matrix;
    const pb_link_share_t *share;
    int n_clusters;
    int *state;         /**< by pair of clusters */
    uint64_t *rate;     /**< by pair of clusters, where it is not UNKNOWN */
    int64_t *known_by;  /**< by pair of clusters: the broadcast's records of its rate began here */
    uint64_t *usual;    /**< by pair of clusters: as the matrix had it */
    double *through;    /**< by link: bytes per second of this broadcast's edges */
    int *n_edges;       /**< by link */
    uint64_t *incoming; /**< by node: the slowest rate into it; 0: not known */
};

static uint64_t rate_of(const pb_history_record_t *record)
{
    const double rate = (double) record->bytes * 1e9 / (double) record->taken;
    return rate < 1                                       ? 1
           : rate < (double) PB_LINK_MATRIX_MAX_BANDWIDTH ? (uint64_t) rate
                                                          : PB_LINK_MATRIX_MAX_BANDWIDTH;
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
        memset(a->through, 0, (size_t) a->share->n_links * sizeof *a->through);
        memset(a->n_edges, 0, (size_t) a->share->n_links * sizeof *a->n_edges);
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
            a->through[links[j]] += (double) rate;
            a->n_edges[links[j]]++;
        }
    }
}

/** Tells whether the tree itself, not load, explains why an edge was not faster. */
static bool is_explained(const struct applying *a, const pb_history_record_t *record)
{
    const uint64_t before = a->incoming[record->from];
    if (record->from != a->root &&
        (before == 0 || is_percent_of(rate_of(record), ADVISE_SAME_PERCENT, (double) before))) {
        return true;
    }
    int n_links = 0;
    const int *links =
        a->share != NULL ? pb_link_share_path(a->share, record->from, record->to, &n_links) : NULL;
    for (int i = 0; i < n_links; i++) {
        const double full = (double) a->share->capacity[links[i]] * ADVISE_FULL_PERCENT / 100;
        if (a->n_edges[links[i]] > 1 && a->through[links[i]] >= full) {
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
    const size_t pair =
        (size_t) cluster[record->from] * (size_t) a->n_clusters + (size_t) cluster[record->to];
    const uint64_t rate = rate_of(record);
    const bool fast = is_percent_of(rate, ADVISE_LOADED_PERCENT, (double) a->usual[pair]);
    const bool first = a->known_by[pair] != broadcast;
    if (cluster[record->from] == cluster[record->to] ||
        (!fast && (is_explained(a, record) || !is_slow(a, record, a->usual[pair])))) {
        return;
    }
    if (first || rate > a->rate[pair]) {
        a->state[pair] = fast ? FREE : LOADED;
        a->rate[pair] = rate;
        a->known_by[pair] = broadcast;
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
    const size_t n = (size_t) a->n_clusters, c = (size_t) cluster;
    struct line line = {.n_free = 0};
    for (size_t i = 0; i < n; i++) {
        const size_t pair = into ? i * n + c : c * n + i;
        line.n_free += a->state[pair] == FREE;
        line.n_loaded += a->state[pair] == LOADED;
        if (a->state[pair] == LOADED && a->rate[pair] > line.fastest) {
            line.fastest = a->rate[pair];
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
    const size_t pair = (size_t) from * (size_t) a->n_clusters + (size_t) to;
    if (a->state[pair] == LOADED) {
        return a->rate[pair];
    }
    if (a->state[pair] == FREE) {
        return a->rate[pair] > a->usual[pair] ? a->rate[pair] : a->usual[pair];
    }
    const struct line out = line_of(a, from, false), in = line_of(a, to, true);
    const uint64_t by_out = by_line(&out, a->usual[pair]), by_in = by_line(&in, a->usual[pair]);
    return by_out < by_in ? by_out : by_in;
}

/** Pairs of nodes keep their proportion to the usual bandwidth between their clusters. */
static void write_pair(const struct applying *a, int from, int to, uint64_t bandwidth)
{
    pb_link_matrix_t *m = a->matrix;
    const uint64_t usual = a->usual[(size_t) from * (size_t) a->n_clusters + (size_t) to];
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
            const size_t pair = (size_t) from * (size_t) a->n_clusters + (size_t) to;
            if (from == to || a->usual[pair] == 0) {
                continue;
            }
            if (a->state[pair] == LOADED) {
                findings->n_loaded++;
                findings->loaded_from = from;
                findings->loaded_to = to;
            }
            const uint64_t bandwidth = bandwidth_of(a, from, to);
            if (bandwidth != a->usual[pair]) {
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
            uint64_t *usual = &a->usual[(size_t) m->node_cluster[i] * (size_t) a->n_clusters +
                                        (size_t) m->node_cluster[j]];
            const uint64_t bandwidth = pb_link_bandwidth(m, i, j);
            *usual = bandwidth > *usual ? bandwidth : *usual;
        }
    }
}

static bool alloc_applying(struct applying *a)
{
    const size_t n_pairs = (size_t) a->n_clusters * (size_t) a->n_clusters;
    const size_t n_links = a->share != NULL ? (size_t) a->share->n_links + 1 : 1;
    a->state = calloc(n_pairs, sizeof *a->state);
    a->rate = calloc(n_pairs, sizeof *a->rate);
    a->known_by = calloc(n_pairs, sizeof *a->known_by);
    a->usual = calloc(n_pairs, sizeof *a->usual);
    a->through = calloc(n_links, sizeof *a->through);
    a->n_edges = calloc(n_links, sizeof *a->n_edges);
    a->incoming = calloc((size_t) a->matrix->n_nodes, sizeof *a->incoming);
    return a->state != NULL && a->rate != NULL && a->known_by != NULL && a->usual != NULL &&
           a->through != NULL && a->n_edges != NULL && a->incoming != NULL;
}

static void free_applying(struct applying *a)
{
    free(a->state);
    free(a->rate);
    free(a->known_by);
    free(a->usual);
    free(a->through);
    free(a->n_edges);
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
