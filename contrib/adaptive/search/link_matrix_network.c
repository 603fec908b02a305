/*
 * The matrix of a known network: its clusters and sites, without values.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/link_matrix.h"
#include "topo/network/network.h"

/** Clusters, or sites, in the order in which hosts name them. */
typedef struct numbers {
    int *of; /**< by network node: its number; -1: none yet */
    int n;
    char **names; /**< the matrix's, by number */
} numbers_t;

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

/** A copy of a switch's name. One that a file of links cannot have gets its number and '_'. */
static char *copy_name(const char *name, int number)
{
    static const char odd[] = " \t\r\n\v\f#";
    char text[PB_LINK_MATRIX_MAX_NAME + 1];
    if (strlen(name) < sizeof(text) && strpbrk(name, odd) == NULL) {
        return strdup(name);
    }
    snprintf(text, sizeof(text), "%d_%s", number, name);
    for (char *at = strpbrk(text, odd); at != NULL; at = strpbrk(at, odd)) {
        *at = '_';
    }
    return strdup(text);
}

/** The number of a node, which it gets if it has none; -1 if out of memory. */
static int number_of(numbers_t *numbers, const pb_network_t *network, int node)
{
    if (numbers->of[node] < 0) {
        numbers->names[numbers->n] = copy_name(pb_network_node(network, node)->name, numbers->n);
        numbers->of[node] = numbers->names[numbers->n] != NULL ? numbers->n++ : -1;
    }
    return numbers->of[node];
}

/** `number` has room for three numbers of each network node, -1. */
static int fill(pb_link_matrix_t *m, const pb_network_t *network, const char *const *names,
                int *number)
{
    const int size = pb_network_size(network);
    numbers_t clusters = {.of = number, .names = m->cluster},
              sites = {.of = number + size, .names = m->site};
    int *used = number + 2 * size; /* by network node: >= 0 if it is a host of the matrix */
    for (int i = 0; i < m->n_nodes; i++) {
        const int host = pb_network_find_host(network, names[i]);
        if (host < 0 || used[host] >= 0) {
            return host < 0 ? PB_ERR_UNKNOWN : PB_ERR_INPUT;
        }
        used[host] = i;
        const int node = cluster_of(network, host);
        const int cluster = number_of(&clusters, network, node);
        const int site = number_of(&sites, network, site_of(network, node));
        m->node[i] = strdup(names[i]);
        if (cluster < 0 || site < 0 || m->node[i] == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        m->node_cluster[i] = cluster;
        m->cluster_site[cluster] = site;
    }
    m->n_clusters = clusters.n;
    m->n_sites = sites.n;
    return PB_SUCCESS;
}

int pb_link_matrix_of_network(const pb_network_t *network, const char *const *names, int n,
                              pb_link_matrix_t **matrix_p)
{
    *matrix_p = NULL;
    if (n < 1 || n > PB_LINK_MATRIX_MAX_NODES) {
        return PB_ERR_INPUT;
    }
    const size_t n_numbers = 3 * (size_t) pb_network_size(network);
    pb_link_matrix_t *matrix = pb_link_matrix_new(n, n, n);
    int *number = malloc(n_numbers * sizeof(*number));
    int error = PB_ERR_NO_MEMORY;
    if (matrix != NULL && number != NULL) {
        memset(number, -1, n_numbers * sizeof(*number));
        error = fill(matrix, network, names, number);
    }
    free(number);
    if (error != PB_SUCCESS) {
        pb_link_matrix_free(matrix);
        return error;
    }
    *matrix_p = matrix;
    return PB_SUCCESS;
}
