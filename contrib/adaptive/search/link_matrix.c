#include "contrib/adaptive/search/link_matrix.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/times.h"

static bool alloc(pb_link_matrix_t *m)
{
    const size_t n = (size_t) m->n_nodes;
    m->site = calloc((size_t) m->n_sites, sizeof(*m->site));
    m->cluster = calloc((size_t) m->n_clusters, sizeof(*m->cluster));
    m->node = calloc(n, sizeof(*m->node));
    m->cluster_site = calloc((size_t) m->n_clusters, sizeof(*m->cluster_site));
    m->node_cluster = calloc(n, sizeof(*m->node_cluster));
    m->startup = calloc(n, sizeof(*m->startup));
    m->latency = calloc(n * n, sizeof(*m->latency));
    m->bandwidth = calloc(n * n, sizeof(*m->bandwidth));
    return m->site != NULL && m->cluster != NULL && m->node != NULL && m->cluster_site != NULL &&
           m->node_cluster != NULL && m->startup != NULL && m->latency != NULL &&
           m->bandwidth != NULL;
}

static bool in_range(int n)
{
    return n >= 1 && n <= PB_LINK_MATRIX_MAX_NODES;
}

pb_link_matrix_t *pb_link_matrix_new(int n_sites, int n_clusters, int n_nodes)
{
    if (!in_range(n_sites) || !in_range(n_clusters) || !in_range(n_nodes)) {
        return NULL;
    }
    pb_link_matrix_t *matrix = calloc(1, sizeof(*matrix));
    if (matrix == NULL) {
        return NULL;
    }
    matrix->n_sites = n_sites;
    matrix->n_clusters = n_clusters;
    matrix->n_nodes = n_nodes;
    if (!alloc(matrix)) {
        pb_link_matrix_free(matrix);
        return NULL;
    }
    return matrix;
}

static void free_names(char **names, int n)
{
    for (int i = 0; i < n && names != NULL; i++) {
        free(names[i]);
    }
    free(names);
}

void pb_link_matrix_free(pb_link_matrix_t *matrix)
{
    if (matrix == NULL) {
        return;
    }
    free_names(matrix->site, matrix->n_sites);
    free_names(matrix->cluster, matrix->n_clusters);
    free_names(matrix->node, matrix->n_nodes);
    free(matrix->cluster_site);
    free(matrix->node_cluster);
    free(matrix->startup);
    free(matrix->latency);
    free(matrix->bandwidth);
    free(matrix);
}

/** The nodes of hosts, whose names are compared as those of a network. */
static int find_nodes(const pb_link_matrix_t *matrix, char *const *names, int n, int *nodes,
                      int *unknown_p)
{
    pb_network_t *network =
        pb_network_one_switch((const char *const *) matrix->node, matrix->n_nodes);
    int error = network != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        const int host = pb_network_find_host(network, names[i]);
        /* Its hosts have numbers in a row. */
        nodes[i] = host - pb_network_find(network, matrix->node[0]);
        if (host < 0) {
            *unknown_p = i;
            error = PB_ERR_UNKNOWN;
        }
    }
    pb_network_free(network);
    return error;
}

/* False if out of memory. */
static bool copy_names(char **to, char *const *from, int n)
{
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        to[i] = strdup(from[i]);
        good = to[i] != NULL;
    }
    return good;
}

static void copy_values(const pb_link_matrix_t *from, const int *nodes, pb_link_matrix_t *to)
{
    const size_t n = (size_t) to->n_nodes;
    for (size_t i = 0; i < n; i++) {
        to->node_cluster[i] = from->node_cluster[nodes[i]];
        to->startup[i] = from->startup[nodes[i]];
        for (size_t j = 0; j < n; j++) {
            to->latency[i * n + j] = pb_link_latency(from, nodes[i], nodes[j]);
            to->bandwidth[i * n + j] = pb_link_bandwidth(from, nodes[i], nodes[j]);
        }
    }
    memcpy(to->cluster_site, from->cluster_site, (size_t) from->n_clusters * sizeof(int));
}

int pb_link_matrix_select(const pb_link_matrix_t *matrix, char *const *names, int n,
                          pb_link_matrix_t **selected_p, int *unknown_p)
{
    int nodes[PB_LINK_MATRIX_MAX_NODES];
    *selected_p = NULL;
    const int error = in_range(n) ? find_nodes(matrix, names, n, nodes, unknown_p) : PB_ERR_INPUT;
    if (error != PB_SUCCESS) {
        return error;
    }
    pb_link_matrix_t *selected = pb_link_matrix_new(matrix->n_sites, matrix->n_clusters, n);
    if (selected == NULL || !copy_names(selected->site, matrix->site, matrix->n_sites) ||
        !copy_names(selected->cluster, matrix->cluster, matrix->n_clusters) ||
        !copy_names(selected->node, names, n)) {
        pb_link_matrix_free(selected);
        return PB_ERR_NO_MEMORY;
    }
    copy_values(matrix, nodes, selected);
    *selected_p = selected;
    return PB_SUCCESS;
}

int64_t pb_link_time(uint64_t bytes, uint64_t bandwidth)
{
    const int64_t time = pb_time_scale(1000000000, bytes, bandwidth);
    return time < PB_LINK_LONGEST ? time : PB_LINK_LONGEST;
}
