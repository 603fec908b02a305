#include "test/adaptive/search/measured_case.h"

#include <stdio.h>
#include <stdlib.h>

#include "contrib/adaptive/search/trees.h"
#include "test/adaptive/search/given_matrix.h"
#include "test/topo/check/random_network.h"
#include "topo/util/error.h"

/** Bytes per second of 1 Mbit/s. */
#define MBIT 125000

/** Bytes per second of a link of speed 1 of a random network. */
#define CABLE (10 * MBIT)

const char *measured_kind_name(measured_kind_t kind)
{
    static const char *const names[MEASURED_COUNT] = {
        [MEASURED_UNIFORM] = "uniform", [MEASURED_GRID] = "grid", [MEASURED_NETWORK] = "network"};
    return names[kind];
}

static pb_link_matrix_t *new_matrix(pb_random_t *random, int n_sites, int n_clusters, int n_nodes)
{
    pb_link_matrix_t *matrix = given_matrix(n_sites, n_clusters, n_nodes, 0, 0, 0);
    for (int i = 0; i < n_nodes; i++) {
        matrix->startup[i] = 10000 + pb_random_below(random, 40000);
    }
    return matrix;
}

static void set_pair(pb_link_matrix_t *matrix, int from, int to, int64_t latency,
                     uint64_t bandwidth)
{
    const size_t at = (size_t) from * (size_t) matrix->n_nodes + (size_t) to;
    matrix->latency[at] = latency;
    matrix->bandwidth[at] = bandwidth;
}

/* Share that a load of 50 to 90 % leaves. */
static uint64_t loaded(pb_random_t *random, uint64_t bandwidth)
{
    return bandwidth * (uint64_t) (10 + pb_random_below(random, 41)) / 100;
}

static void make_uniform(measured_case_t *c, pb_random_t *random, int n)
{
    c->matrix = new_matrix(random, 1, 1, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const uint64_t bandwidth =
                MBIT / 10 + (uint64_t) pb_random_below(random, 99) * (MBIT / 10);
            set_pair(c->matrix, i, j, 1000 * (100 + pb_random_below(random, 50000)), bandwidth);
        }
    }
    for (int i = 0; i < n; i++) {
        set_pair(c->matrix, i, i, 50000, 10 * MBIT);
    }
}

/* Between clusters: fast inside a site, slow and far between sites; those to and
 * from one cluster are loaded. */
static void make_grid(measured_case_t *c, pb_random_t *random, int n)
{
    enum { N_SITES = 4, N_CLUSTERS = 8 };
    int64_t latency[N_CLUSTERS][N_CLUSTERS];
    uint64_t bandwidth[N_CLUSTERS][N_CLUSTERS];
    const int busy = pb_random_below(random, N_CLUSTERS);
    c->matrix = new_matrix(random, N_SITES, N_CLUSTERS, n);
    for (int a = 0; a < N_CLUSTERS; a++) {
        for (int b = 0; b < N_CLUSTERS; b++) {
            const bool near = a / 2 == b / 2;
            latency[a][b] = near ? 300000 : 1000000 * (int64_t) (5 + pb_random_below(random, 40));
            bandwidth[a][b] = (uint64_t) (near ? 50 : 5 + pb_random_below(random, 25)) * MBIT;
            if (a != b && (a == busy || b == busy) && pb_random_below(random, 2) == 1) {
                bandwidth[a][b] = loaded(random, bandwidth[a][b]);
            }
        }
        latency[a][a] = 50000;
        bandwidth[a][a] = 100 * MBIT;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const int a = c->matrix->node_cluster[i], b = c->matrix->node_cluster[j];
            set_pair(c->matrix, i, j, latency[a][b], bandwidth[a][b]);
        }
    }
}

/* Measurement from i to j: the slowest link as loaded, and a latency by link. */
static void measure_network(measured_case_t *c, const uint64_t *capacity, int i, int j, int *links)
{
    const int n = pb_network_path(c->network, c->placement->host[i], c->placement->host[j], links);
    uint64_t bandwidth = 1000 * MBIT;
    for (int k = 0; k < n; k++) {
        bandwidth = capacity[links[k]] < bandwidth ? capacity[links[k]] : bandwidth;
    }
    set_pair(c->matrix, i, j, 20000 + 10000 * n, bandwidth);
}

static int switch_of(const measured_case_t *c, int rank)
{
    const int parent = pb_network_node(c->network, c->placement->host[rank])->parent;
    return atoi(pb_network_node(c->network, parent)->name + 1);
}

static void make_network(measured_case_t *c, pb_random_t *random, int n)
{
    const int n_switches = n < 8 ? 1 : n / 8;
    const pb_shape_t shape = (pb_shape_t) pb_random_below(random, PB_SHAPE_ONE_PER_SWITCH);
    c->network = pb_random_network(random, shape, n_switches, n, 2);
    c->placement = pb_random_placement(random, c->network, 1);
    c->matrix = new_matrix(random, n_switches, n_switches, n);
    const int n_links = 2 * pb_network_size(c->network);
    uint64_t *capacity = must_zeroed((size_t) n_links, sizeof(*capacity));
    int *links = must_zeroed((size_t) pb_network_max_path(c->network) + 1, sizeof(*links));
    for (int link = 0; link < n_links; link++) {
        capacity[link] = pb_network_node(c->network, pb_link_node(link))->speed * (uint64_t) CABLE;
        if (pb_random_below(random, 10) == 0) {
            capacity[link] = loaded(random, capacity[link]);
        }
    }
    for (int i = 0; i < n; i++) {
        c->matrix->node_cluster[i] = switch_of(c, i);
        for (int j = 0; j < n; j++) {
            measure_network(c, capacity, i, j, links);
        }
    }
    free(capacity);
    free(links);
}

void measured_case_init(measured_case_t *c, pb_random_t *random, measured_kind_t kind, int n_nodes)
{
    *c = (measured_case_t){.matrix = NULL};
    switch (kind) {
    case MEASURED_GRID:
        make_grid(c, random, n_nodes);
        break;
    case MEASURED_NETWORK:
        make_network(c, random, n_nodes);
        break;
    default:
        make_uniform(c, random, n_nodes);
        break;
    }
    c->root = pb_random_below(random, n_nodes);
}

void measured_case_clear(measured_case_t *c)
{
    pb_link_matrix_free(c->matrix);
    pb_placement_free(c->placement);
    pb_network_free(c->network);
}

pb_link_share_t *measured_share(const measured_case_t *c)
{
    pb_link_share_t *share;
    must((c->network != NULL ? pb_link_share_network(c->matrix, c->placement, &share)
                             : pb_link_share_clusters(c->matrix, &share)) == PB_SUCCESS);
    return share;
}

void measured_random_tree(pb_random_t *random, int root, pb_tree_t *tree)
{
    int nodes[MEASURED_MAX_NODES];
    for (int i = 0; i < tree->n_nodes; i++) {
        nodes[i] = (root + i) % tree->n_nodes;
    }
    pb_tree_random(random, nodes, tree->n_nodes, tree);
}
