#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/** The first rank on each host becomes a node. Returns their number, or an error. */
static int find_nodes(const pb_network_t *network, char *const *hosts, int n_ranks, int *rank,
                      int *unknown_p)
{
    int n = 0;
    bool *seen = calloc((size_t) pb_network_size(network), sizeof *seen);
    for (int i = 0; seen != NULL && i < n_ranks && n >= 0; i++) {
        const int host = pb_network_find_host(network, hosts[i]);
        if (host < 0) {
            *unknown_p = i;
            n = PB_ERR_UNKNOWN;
        } else if (!seen[host]) {
            seen[host] = true;
            rank[n++] = i;
        }
    }
    n = seen != NULL ? n : PB_ERR_NO_MEMORY;
    free(seen);
    return n;
}

static int make_matrix(struct probe_plan *plan, const pb_network_t *network, char *const *hosts,
                       int n_nodes)
{
    const char **names = calloc((size_t) n_nodes, sizeof *names);
    int error = PB_ERR_NO_MEMORY;
    for (int i = 0; names != NULL && i < n_nodes; i++) {
        names[i] = hosts[plan->rank[i]];
    }
    if (names != NULL) {
        error = pb_link_matrix_of_network(network, names, n_nodes, &plan->matrix);
    }
    free(names);
    return error;
}

static void add_step(struct probe_plan *plan, enum probe_kind kind, int from, int to)
{
    plan->steps[plan->n_steps++] = (struct probe_step){.kind = kind, .from = from, .to = to};
}

/** The first two nodes of each cluster, -1 where there is none. */
static void find_firsts(const pb_link_matrix_t *m, int *first, int *second)
{
    for (int i = 0; i < m->n_clusters; i++) {
        first[i] = second[i] = -1;
    }
    for (int i = 0; i < m->n_nodes; i++) {
        const int c = m->node_cluster[i];
        int *slot = first[c] < 0 ? &first[c] : second[c] < 0 ? &second[c] : NULL;
        if (slot != NULL) {
            *slot = i;
        }
    }
}

/** Inside a cluster where that can be, else to another cluster. */
static int partner_of(const pb_link_matrix_t *m, const int *first, const int *second, int node)
{
    const int c = m->node_cluster[node];
    if (first[c] != node) {
        return first[c];
    }
    return second[c] >= 0 ? second[c] : (node + 1) % m->n_nodes;
}

static int make_steps(struct probe_plan *plan)
{
    const pb_link_matrix_t *m = plan->matrix;
    const size_t n_clusters = (size_t) m->n_clusters;
    int *first = malloc(2 * n_clusters * sizeof *first);
    plan->steps =
        calloc((size_t) m->n_nodes + n_clusters * (n_clusters + 1) / 2, sizeof *plan->steps);
    if (first == NULL || plan->steps == NULL) {
        free(first);
        return PB_ERR_NO_MEMORY;
    }
    int *second = first + n_clusters;
    find_firsts(m, first, second);
    for (int i = 0; i < m->n_nodes; i++) {
        add_step(plan, PROBE_STARTUP, i, partner_of(m, first, second, i));
    }
    for (int c = 0; c < m->n_clusters; c++) {
        if (second[c] >= 0) {
            add_step(plan, PROBE_LINK, first[c], second[c]);
        }
    }
    for (int a = 0; a < m->n_clusters; a++) {
        for (int b = a + 1; b < m->n_clusters; b++) {
            add_step(plan, PROBE_LINK, first[a], first[b]);
        }
    }
    free(first);
    return PB_SUCCESS;
}

int probe_plan_make(struct probe_plan *plan, const pb_network_t *network, char *const *hosts,
                    int n_ranks, int *unknown_p)
{
    *plan = (struct probe_plan){.rank = calloc((size_t) n_ranks, sizeof *plan->rank)};
    if (plan->rank == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int n_nodes = find_nodes(network, hosts, n_ranks, plan->rank, unknown_p);
    if (n_nodes < 2) {
        return n_nodes < 0 ? n_nodes : PB_ERR_INPUT;
    }
    const int error = make_matrix(plan, network, hosts, n_nodes);
    return error == PB_SUCCESS ? make_steps(plan) : error;
}

void probe_plan_clear(struct probe_plan *plan)
{
    pb_link_matrix_free(plan->matrix);
    free(plan->rank);
    free(plan->steps);
    *plan = (struct probe_plan){.matrix = NULL};
}

/* ---- bytes ---- */

int64_t probe_car_bytes(int64_t train)
{
    return train >= PROBE_TRAIN_CARS ? train / PROBE_TRAIN_CARS : 1;
}

int64_t probe_plan_bytes(const struct probe_plan *plan, int64_t train, int64_t *between_p)
{
    const int64_t link =
        2 * ((PROBE_ROUNDS + 1) * PROBE_BALL_BYTES + PROBE_TRAIN_CARS * probe_car_bytes(train));
    const int64_t startup = (PROBE_STARTS + 2) * PROBE_BALL_BYTES;
    int64_t all = 0;
    *between_p = 0;
    for (int i = 0; i < plan->n_steps; i++) {
        const struct probe_step *step = &plan->steps[i];
        const int64_t bytes = step->kind == PROBE_LINK ? link : startup;
        const int *cluster = plan->matrix->node_cluster;
        all += bytes;
        *between_p += cluster[step->from] != cluster[step->to] ? bytes : 0;
    }
    return all;
}

/* ---- filling ---- */

int probe_plan_settle(const struct probe_plan *plan, struct probe_result *results)
{
    int n_unknown = 0;
    for (int i = 0; i < plan->n_steps; i++) {
        if (plan->steps[i].kind == PROBE_LINK) {
            n_unknown += probe_band_settle(&results[i].there);
            n_unknown += probe_band_settle(&results[i].back);
        }
    }
    return n_unknown;
}

/** The results between clusters, and inside them. */
struct known {
    int64_t *latency;
    uint64_t *bandwidth; /**< 0: not measured */
    int n;
};

static void keep(struct known *known, int from, int to, int64_t latency, int64_t bandwidth)
{
    const size_t at = (size_t) from * (size_t) known->n + (size_t) to;
    known->latency[at] = latency < 0                       ? 0
                         : latency > PB_LINK_MATRIX_MAX_NS ? PB_LINK_MATRIX_MAX_NS
                                                           : latency;
    known->bandwidth[at] = bandwidth > (int64_t) PB_LINK_MATRIX_MAX_BANDWIDTH
                               ? PB_LINK_MATRIX_MAX_BANDWIDTH
                               : (uint64_t) bandwidth;
}

static void keep_result(const pb_link_matrix_t *m, const struct probe_step *step,
                        const struct probe_result *result, struct known *known)
{
    const int a = m->node_cluster[step->from], b = m->node_cluster[step->to];
    if (a != b) {
        keep(known, a, b, result->time, result->there.most);
        keep(known, b, a, result->time, result->back.most);
    } else {
        keep(known, a, a, result->time,
             result->there.most > result->back.most ? result->there.most : result->back.most);
    }
}

/** Clusters of one node. */
static void complete(struct known *known)
{
    const size_t n = (size_t) known->n;
    int64_t latency = PB_LINK_MATRIX_MAX_NS;
    uint64_t bandwidth = 1;
    for (size_t i = 0; i < n * n; i++) {
        if (known->bandwidth[i] > 0) {
            latency = known->latency[i] < latency ? known->latency[i] : latency;
            bandwidth = known->bandwidth[i] > bandwidth ? known->bandwidth[i] : bandwidth;
        }
    }
    for (size_t c = 0; c < n; c++) {
        if (known->bandwidth[c * n + c] == 0) {
            known->latency[c * n + c] = latency;
            known->bandwidth[c * n + c] = bandwidth;
        }
    }
}

static void spread(const struct known *known, pb_link_matrix_t *m)
{
    for (int i = 0; i < m->n_nodes; i++) {
        for (int j = 0; j < m->n_nodes; j++) {
            const size_t at =
                (size_t) m->node_cluster[i] * (size_t) known->n + (size_t) m->node_cluster[j];
            const size_t pair = (size_t) i * (size_t) m->n_nodes + (size_t) j;
            m->latency[pair] = known->latency[at];
            m->bandwidth[pair] = known->bandwidth[at];
        }
    }
}

/** The first step without a result that it needs, or -1. */
static int find_missing(const struct probe_plan *plan, const struct probe_result *results)
{
    for (int i = 0; i < plan->n_steps; i++) {
        if (plan->steps[i].kind == PROBE_LINK &&
            (results[i].there.most <= 0 || results[i].back.most <= 0)) {
            return i;
        }
    }
    return -1;
}

int probe_plan_fill(struct probe_plan *plan, const struct probe_result *results, int *step_p)
{
    pb_link_matrix_t *m = plan->matrix;
    const size_t n = (size_t) m->n_clusters;
    struct known known = {.latency = calloc(n * n, sizeof(int64_t)),
                          .bandwidth = calloc(n * n, sizeof(uint64_t)),
                          .n = m->n_clusters};
    int error = PB_ERR_NO_MEMORY;
    *step_p = find_missing(plan, results);
    if (known.latency != NULL && known.bandwidth != NULL) {
        error = *step_p < 0 ? PB_SUCCESS : PB_ERR_INPUT;
    }
    for (int i = 0; error == PB_SUCCESS && i < plan->n_steps; i++) {
        const struct probe_step *step = &plan->steps[i];
        if (step->kind == PROBE_LINK) {
            keep_result(m, step, &results[i], &known);
        } else {
            const int64_t most = PB_LINK_MATRIX_MAX_NS;
            m->startup[step->from] = results[i].time < most ? results[i].time : most;
        }
    }
    if (error == PB_SUCCESS) {
        complete(&known);
        spread(&known, m);
    }
    free(known.latency);
    free(known.bandwidth);
    return error;
}
