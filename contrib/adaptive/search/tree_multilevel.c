/*
 * MPICH-G2's tree, as paper 4 describes and compares with it.
 */
#include <stdlib.h>

#include "contrib/adaptive/search/trees.h"

typedef struct builder {
    const pb_link_matrix_t *matrix;
    pb_tree_t *tree;
    int *of_site;    /* by site: the node that represents it, -1: none */
    int *of_cluster; /* by cluster */
    int *n_children; /* by node */
    int *group;      /* room for nodes */
} builder_t;

static void send(builder_t *b, int from, int to)
{
    b->tree->parent[to] = from;
    b->tree->child_index[to] = b->n_children[from]++;
}

/* A binomial tree over the group, from its first node. Node i has to reach the nodes up to i +
 * reach. It gives the farther half to the first node of that half. */
static void binomial(builder_t *b, int n)
{
    int reach = 1;
    while (reach < n) {
        reach *= 2;
    }
    for (; reach > 1; reach /= 2) {
        for (int i = 0; i + reach / 2 < n; i += reach) {
            send(b, b->group[i], b->group[i + reach / 2]);
        }
    }
}

static int site_of(const builder_t *b, int node)
{
    return b->matrix->cluster_site[b->matrix->node_cluster[node]];
}

/* The first node of each site and cluster, the root before all others. */
static void find_representatives(builder_t *b, int root)
{
    const pb_link_matrix_t *m = b->matrix;
    for (int i = 0; i < m->n_sites; i++) {
        b->of_site[i] = -1;
    }
    for (int i = 0; i < m->n_clusters; i++) {
        b->of_cluster[i] = -1;
    }
    b->of_site[site_of(b, root)] = root;
    b->of_cluster[m->node_cluster[root]] = root;
    for (int i = 0; i < m->n_nodes; i++) {
        if (b->of_site[site_of(b, i)] < 0) {
            b->of_site[site_of(b, i)] = i;
        }
        if (b->of_cluster[m->node_cluster[i]] < 0) {
            b->of_cluster[m->node_cluster[i]] = i;
        }
    }
}

static void join_sites(builder_t *b, int root)
{
    for (int i = 0; i < b->matrix->n_sites; i++) {
        if (b->of_site[i] >= 0 && b->of_site[i] != root) {
            send(b, root, b->of_site[i]);
        }
    }
}

static void join_clusters(builder_t *b, int site)
{
    const pb_link_matrix_t *m = b->matrix;
    int n = 0;
    b->group[n++] = b->of_site[site];
    for (int i = 0; i < m->n_clusters; i++) {
        const int node = b->of_cluster[i];
        if (m->cluster_site[i] == site && node >= 0 && node != b->of_site[site]) {
            b->group[n++] = node;
        }
    }
    binomial(b, n);
}

static void join_nodes(builder_t *b, int cluster)
{
    int n = 0;
    b->group[n++] = b->of_cluster[cluster];
    for (int i = 0; i < b->matrix->n_nodes; i++) {
        if (b->matrix->node_cluster[i] == cluster && i != b->of_cluster[cluster]) {
            b->group[n++] = i;
        }
    }
    binomial(b, n);
}

static void build(builder_t *b, int root)
{
    find_representatives(b, root);
    join_sites(b, root);
    for (int i = 0; i < b->matrix->n_sites; i++) {
        if (b->of_site[i] >= 0) {
            join_clusters(b, i);
        }
    }
    for (int i = 0; i < b->matrix->n_clusters; i++) {
        if (b->of_cluster[i] >= 0) {
            join_nodes(b, i);
        }
    }
}

int pb_tree_multilevel(const pb_link_matrix_t *matrix, int root, pb_tree_t **tree_p)
{
    *tree_p = NULL;
    if (root < 0 || root >= matrix->n_nodes) {
        return PB_ERR_INPUT;
    }
    const size_t n = (size_t) matrix->n_nodes;
    builder_t b = {.matrix = matrix,
                   .tree = pb_tree_new(matrix->n_nodes, root),
                   .of_site = malloc((size_t) matrix->n_sites * sizeof(int)),
                   .of_cluster = malloc((size_t) matrix->n_clusters * sizeof(int)),
                   .n_children = calloc(n, sizeof(int)),
                   .group = malloc(n * sizeof(int))};
    int error = PB_ERR_NO_MEMORY;
    if (b.tree != NULL && b.of_site != NULL && b.of_cluster != NULL && b.n_children != NULL &&
        b.group != NULL) {
        build(&b, root);
        *tree_p = b.tree;
        b.tree = NULL;
        error = PB_SUCCESS;
    }
    pb_tree_free(b.tree);
    free(b.of_site);
    free(b.of_cluster);
    free(b.n_children);
    free(b.group);
    return error;
}
