/*
 * The matrix of a known network: its clusters and sites, without values.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/link_matrix.h"
#include "topo/network/network.h"

typedef struct builder {
    const pb_network_t *network;
    pb_link_matrix_t *matrix;
    int *number; /**< by network node: as a cluster or site, whichever is being numbered; -1 */
} builder_t;

/** The switch just below the top on the way from one of its switches, or the top itself. */
static int site_of(const pb_network_t *network, int node)
{
    while (pb_network_depth(network, node) > 1) {
        node = pb_network_node(network, node)->parent;
    }
    return node;
}

/** Returns a host's cluster. In a network without switches it is one of its own. */
static int cluster_of(const pb_network_t *network, int host)
{
    const int parent = pb_network_node(network, host)->parent;
    return parent >= 0 ? parent : host;
}

static void forget_numbers(builder_t *b)
{
    for (int i = 0; i < pb_network_size(b->network); i++) {
        b->number[i] = -1;
    }
}

/** Numbers of different nodes in the order in which they come first. */
static int number_of(builder_t *b, int node, int *n)
{
    if (b->number[node] < 0) {
        b->number[node] = (*n)++;
    }
    return b->number[node];
}

static int count(builder_t *b, const int *hosts, int n, bool sites)
{
    int found = 0;
    forget_numbers(b);
    for (int i = 0; i < n; i++) {
        const int cluster = cluster_of(b->network, hosts[i]);
        number_of(b, sites ? site_of(b->network, cluster) : cluster, &found);
    }
    return found;
}

static int name_once(char **place, const char *name)
{
    return *place == NULL ? pb_link_matrix_name(place, name) : PB_SUCCESS;
}

static int fill(builder_t *b, const int *hosts, const char *const *names, int n)
{
    pb_link_matrix_t *m = b->matrix;
    int error = PB_SUCCESS, n_clusters = 0, n_sites = 0;
    forget_numbers(b);
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        const int cluster = cluster_of(b->network, hosts[i]);
        m->node_cluster[i] = number_of(b, cluster, &n_clusters);
        error =
            name_once(&m->cluster[m->node_cluster[i]], pb_network_node(b->network, cluster)->name);
        error = error == PB_SUCCESS ? pb_link_matrix_name(&m->node[i], names[i]) : error;
    }
    forget_numbers(b);
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        const int site = site_of(b->network, cluster_of(b->network, hosts[i]));
        const int number = number_of(b, site, &n_sites);
        m->cluster_site[m->node_cluster[i]] = number;
        error = name_once(&m->site[number], pb_network_node(b->network, site)->name);
    }
    return error;
}

/** The host of each name. PB_ERR_UNKNOWN, PB_ERR_INPUT. */
static int find_hosts(builder_t *b, const char *const *names, int n, int *hosts)
{
    forget_numbers(b);
    for (int i = 0; i < n; i++) {
        hosts[i] = pb_network_find_host(b->network, names[i]);
        if (hosts[i] < 0) {
            return PB_ERR_UNKNOWN;
        }
        if (b->number[hosts[i]]++ >= 0) {
            return PB_ERR_INPUT;
        }
    }
    return PB_SUCCESS;
}

int pb_link_matrix_of_network(const pb_network_t *network, const char *const *names, int n,
                              pb_link_matrix_t **matrix_p)
{
    *matrix_p = NULL;
    if (n < 1 || n > PB_LINK_MATRIX_MAX_NODES) {
        return PB_ERR_INPUT;
    }
    builder_t b = {.network = network,
                   .number = malloc((size_t) pb_network_size(network) * sizeof(int))};
    int *hosts = malloc((size_t) n * sizeof(*hosts));
    int error = PB_ERR_NO_MEMORY;
    if (b.number != NULL && hosts != NULL) {
        error = find_hosts(&b, names, n, hosts);
    }
    if (error == PB_SUCCESS) {
        b.matrix = pb_link_matrix_new(count(&b, hosts, n, true), count(&b, hosts, n, false), n);
        error = b.matrix != NULL ? fill(&b, hosts, names, n) : PB_ERR_NO_MEMORY;
    }
    if (error == PB_SUCCESS) {
        *matrix_p = b.matrix;
        b.matrix = NULL;
    }
    pb_link_matrix_free(b.matrix);
    free(b.number);
    free(hosts);
    return error;
}
