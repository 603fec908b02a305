#include "contrib/adaptive/search/link_share.h"

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

/** A way between two nodes: its links, and the speed of the slowest, 0 of none. */
typedef struct way {
    const int *links;
    int n;
    uint32_t slowest;
    uint64_t bandwidth; /**< measured */
} way_t;

static uint32_t speed_of(const pb_network_t *network, int link)
{
    return pb_network_node(network, pb_link_node(link))->speed;
}

static way_t way_of(const pb_link_share_t *share, const pb_network_t *network,
                    const pb_link_matrix_t *matrix, int from, int to)
{
    way_t way = {.bandwidth = pb_link_bandwidth(matrix, from, to)};
    way.links = pb_link_share_path(share, from, to, &way.n);
    for (int i = 0; i < way.n; i++) {
        const uint32_t speed = speed_of(network, way.links[i]);
        way.slowest = way.slowest == 0 || speed < way.slowest ? speed : way.slowest;
    }
    return way;
}

/** Tells whether others use so much of a path that its speeds do not explain its measured rate. */
static bool is_loaded(const way_t *way, uint64_t per_speed)
{
    return way->n > 0 &&
           way->bandwidth / way->slowest < per_speed / 100 * PB_LINK_SHARE_FREE_PERCENT;
}

static void learn_capacities(pb_link_share_t *share, const pb_network_t *network,
                             const pb_link_matrix_t *matrix)
{
    const int n = share->n_nodes;
    uint64_t per_speed = 0; /* what a link of speed 1 can carry */
    for (int pair = 0; pair < n * n; pair++) {
        const way_t way = way_of(share, network, matrix, pair / n, pair % n);
        if (way.slowest > 0 && way.bandwidth / way.slowest > per_speed) {
            per_speed = way.bandwidth / way.slowest;
        }
    }
    for (int pair = 0; pair < n * n; pair++) {
        const way_t way = way_of(share, network, matrix, pair / n, pair % n);
        const bool loaded = is_loaded(&way, per_speed);
        for (int i = 0; i < way.n; i++) {
            const uint32_t speed = loaded ? way.slowest : speed_of(network, way.links[i]);
            const unsigned __int128 own = (unsigned __int128) way.bandwidth * speed / way.slowest;
            raise_capacity(share, way.links[i],
                           own < UINT64_MAX / 2 ? (uint64_t) own : UINT64_MAX / 2);
        }
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
            end_list(share, pair, n_path);
        }
    }
    learn_capacities(share, network, matrix);
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
