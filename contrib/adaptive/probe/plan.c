#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/report.h"
#include "topo/util/kit.h"

/* ---- making ---- */

/** The first rank on each host becomes a node. Returns their number, or an error. */
static int find_nodes(const pb_network_t *network, char *const *hosts, int n_ranks, int *rank)
{
    int n = 0;
    bool *seen = common_alloc((size_t) pb_network_size(network), sizeof *seen);
    for (int i = 0; i < n_ranks && n >= 0; i++) {
        const int host = pb_network_find_host(network, hosts[i]);
        if (host < 0) {
            n = PB_ERR_UNKNOWN;
        } else if (!seen[host]) {
            seen[host] = true;
            rank[n++] = i;
        }
    }
    free(seen);
    return n;
}

static int make_matrix(struct probe_plan *plan, const pb_network_t *network, char *const *hosts,
                       int n_nodes)
{
    const char **names = common_alloc((size_t) n_nodes, sizeof *names);
    for (int i = 0; i < n_nodes; i++) {
        names[i] = hosts[plan->rank[i]];
    }
    const int error = pb_link_matrix_of_network(network, names, n_nodes, &plan->matrix);
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

static void make_steps(struct probe_plan *plan)
{
    const pb_link_matrix_t *m = plan->matrix;
    const size_t n_clusters = (size_t) m->n_clusters;
    const size_t most = (size_t) m->n_nodes + n_clusters * (n_clusters + 1) / 2;
    int *first = common_alloc(2 * n_clusters, sizeof *first);
    plan->steps = common_alloc(most, sizeof *plan->steps);
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
}

int probe_plan_make(struct probe_plan *plan, const pb_network_t *network, char *const *hosts,
                    int n_ranks)
{
    *plan = (struct probe_plan){.rank = common_alloc((size_t) n_ranks, sizeof *plan->rank)};
    const int n_nodes = find_nodes(network, hosts, n_ranks, plan->rank);
    if (n_nodes < 2) {
        return n_nodes < 0 ? n_nodes : PB_ERR_INPUT;
    }
    const int error = make_matrix(plan, network, hosts, n_nodes);
    if (error == PB_SUCCESS) {
        make_steps(plan);
    }
    return error;
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

static int64_t limited(int64_t ns)
{
    return ns < PB_LINK_MATRIX_MAX_NS ? ns : PB_LINK_MATRIX_MAX_NS;
}

static void set_pair(pb_link_matrix_t *m, int from, int to, int64_t latency, int64_t bandwidth)
{
    const size_t at = (size_t) from * (size_t) m->n_nodes + (size_t) to;
    m->latency[at] = limited(latency);
    m->bandwidth[at] = (uint64_t) bandwidth;
}

/** Enters a link's result for its two nodes; for a cluster inside, on its first node's diagonal. */
static void set_link(pb_link_matrix_t *m, const struct probe_step *step,
                     const struct probe_result *result)
{
    const int64_t there = result->there.most, back = result->back.most;
    if (m->node_cluster[step->from] == m->node_cluster[step->to]) {
        set_pair(m, step->from, step->from, result->time, pb_max64(there, back));
    } else {
        set_pair(m, step->from, step->to, result->time, there);
        set_pair(m, step->to, step->from, result->time, back);
    }
}

/** Gives all nodes the values of the first ones of their clusters. */
static void spread(pb_link_matrix_t *m, const int *first)
{
    for (int i = 0; i < m->n_nodes; i++) {
        for (int j = 0; j < m->n_nodes; j++) {
            const int a = first[m->node_cluster[i]], b = first[m->node_cluster[j]];
            set_pair(m, i, j, pb_link_latency(m, a, b), (int64_t) pb_link_bandwidth(m, a, b));
        }
    }
}

int probe_plan_fill(struct probe_plan *plan, struct probe_result *results)
{
    pb_link_matrix_t *m = plan->matrix;
    int n_unknown = 0, *first = common_alloc(2 * (size_t) m->n_clusters, sizeof *first);
    int64_t latency = PB_LINK_MATRIX_MAX_NS, bandwidth = 1; /* the best of all */
    const int *second = first + m->n_clusters;
    find_firsts(m, first, first + m->n_clusters);
    for (int i = 0; i < plan->n_steps; i++) {
        struct probe_result *result = &results[i];
        if (plan->steps[i].kind == PROBE_STARTUP) {
            m->startup[plan->steps[i].from] = limited(result->time);
            continue;
        }
        n_unknown += probe_band_settle(&result->there);
        n_unknown += probe_band_settle(&result->back);
        set_link(m, &plan->steps[i], result);
        latency = result->time < latency ? result->time : latency;
        bandwidth = pb_max64(bandwidth, pb_max64(result->there.most, result->back.most));
    }
    for (int c = 0; c < m->n_clusters; c++) {
        if (second[c] < 0) {
            set_pair(m, first[c], first[c], latency, bandwidth);
        }
    }
    spread(m, first);
    free(first);
    return n_unknown;
}
