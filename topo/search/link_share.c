#include "topo/search/link_share.h"

#include <stdlib.h>
#include <string.h>

void pb_link_share_free(pb_link_share_t *share)
{
    if (share != NULL) {
        free(share->capacity);
        free(share->first);
        free(share->link);
        free(share);
    }
}

/* Memory for lists of max_path links each. NULL if there is none. */
static pb_link_share_t *share_new(int n_nodes, int n_links, int max_path)
{
    const size_t n_pairs = (size_t) n_nodes * (size_t) n_nodes;
    pb_link_share_t *share = calloc(1, sizeof(*share));
    if (share == NULL) {
        return NULL;
    }
    share->n_nodes = n_nodes;
    share->n_links = n_links;
    share->capacity = calloc((size_t) n_links + 1, sizeof(*share->capacity));
    share->first = calloc(n_pairs + 1, sizeof(*share->first));
    share->link = malloc((n_pairs * (size_t) max_path + 1) * sizeof(*share->link));
    if (share->capacity == NULL || share->first == NULL || share->link == NULL) {
        pb_link_share_free(share);
        return NULL;
    }
    return share;
}

static void raise_capacity(pb_link_share_t *share, int link, uint64_t bandwidth)
{
    if (share->capacity[link] < bandwidth) {
        share->capacity[link] = bandwidth;
    }
}

/* The list of a pair ends with what has been written to it. */
static void end_list(pb_link_share_t *share, size_t pair, int n)
{
    share->first[pair + 1] = share->first[pair] + n;
    share->max_path = share->max_path > n ? share->max_path : n;
}

/* bandwidth * speed / slowest; at most UINT64_MAX / 2. slowest > 0. */
static uint64_t scaled(uint64_t bandwidth, uint32_t speed, uint32_t slowest)
{
    const uint64_t whole = bandwidth / slowest, rest = bandwidth % slowest;
    if (whole > (UINT64_MAX / 4) / speed) {
        return UINT64_MAX / 2;
    }
    return whole * speed + rest * speed / slowest;
}

static void learn_capacities(pb_link_share_t *share, const pb_network_t *network, const int *links,
                             int n, uint64_t bandwidth)
{
    uint32_t slowest = UINT32_MAX;
    for (int i = 0; i < n; i++) {
        const uint32_t speed = pb_network_node(network, pb_link_node(links[i]))->speed;
        slowest = speed < slowest ? speed : slowest;
    }
    for (int i = 0; i < n; i++) {
        const uint32_t speed = pb_network_node(network, pb_link_node(links[i]))->speed;
        raise_capacity(share, links[i], scaled(bandwidth, speed, slowest));
    }
}

int pb_link_share_network(const pb_link_matrix_t *matrix, const pb_placement_t *placement,
                          pb_link_share_t **share_p)
{
    const pb_network_t *network = placement->network;
    const int n = matrix->n_nodes;
    *share_p = NULL;
    if (placement->n_ranks != n) {
        return PB_ERR_INPUT;
    }
    pb_link_share_t *share =
        share_new(n, 2 * pb_network_size(network), pb_network_max_path(network));
    if (share == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int from = 0; from < n; from++) {
        for (int to = 0; to < n; to++) {
            const size_t pair = (size_t) from * (size_t) n + (size_t) to;
            int *links = share->link + share->first[pair];
            int n_path = pb_placement_path(placement, from, to, links);
            learn_capacities(share, network, links, n_path, pb_link_bandwidth(matrix, from, to));
            end_list(share, pair, n_path);
        }
    }
    *share_p = share;
    return PB_SUCCESS;
}

/* Node's ways out, then in, then pairs of clusters, then pairs of sites. */
static int cluster_links(const pb_link_matrix_t *m, int from, int to, int *links)
{
    const int a = m->node_cluster[from], b = m->node_cluster[to];
    const int x = m->cluster_site[a], y = m->cluster_site[b];
    int n = 0;
    links[n++] = from;
    links[n++] = m->n_nodes + to;
    if (a != b) {
        links[n++] = 2 * m->n_nodes + a * m->n_clusters + b;
    }
    if (x != y) {
        links[n++] = 2 * m->n_nodes + m->n_clusters * m->n_clusters + x * m->n_sites + y;
    }
    return n;
}

int pb_link_share_clusters(const pb_link_matrix_t *matrix, pb_link_share_t **share_p)
{
    const int n = matrix->n_nodes;
    const int n_links =
        2 * n + matrix->n_clusters * matrix->n_clusters + matrix->n_sites * matrix->n_sites;
    *share_p = NULL;
    pb_link_share_t *share = share_new(n, n_links, 4);
    if (share == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int from = 0; from < n; from++) {
        for (int to = 0; to < n; to++) {
            const size_t pair = (size_t) from * (size_t) n + (size_t) to;
            int *links = share->link + share->first[pair];
            int n_path = from != to ? cluster_links(matrix, from, to, links) : 0;
            for (int i = 0; i < n_path; i++) {
                raise_capacity(share, links[i], pb_link_bandwidth(matrix, from, to));
            }
            end_list(share, pair, n_path);
        }
    }
    *share_p = share;
    return PB_SUCCESS;
}
