/*
 * Measured links that a test has written down.
 */
#ifndef PB_TEST_GIVEN_MATRIX_H
#define PB_TEST_GIVEN_MATRIX_H

#include <string.h>

#include "contrib/adaptive/search/link_matrix.h"
#include "test/must.h"
#include "topo/util/error.h"

static inline void given_names(char **names, int n, char letter)
{
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%c%d", letter, i);
        names[i] = must_have(strdup(name));
    }
}

/** Sets what was measured from the nodes of a cluster to those of another. */
static inline void given_way(pb_link_matrix_t *m, int from, int to, int64_t latency,
                             uint64_t bandwidth)
{
    for (int at = 0; at < m->n_nodes * m->n_nodes; at++) {
        if (m->node_cluster[at / m->n_nodes] == from && m->node_cluster[at % m->n_nodes] == to) {
            m->latency[at] = latency;
            m->bandwidth[at] = bandwidth;
        }
    }
}

/** Links that are all alike, of nodes n0, n1, ... in blocks in clusters, and these on sites. */
static inline pb_link_matrix_t *given_matrix(int n_sites, int n_clusters, int n_nodes,
                                             int64_t startup, int64_t latency, uint64_t bandwidth)
{
    pb_link_matrix_t *m = must_have(pb_link_matrix_new(n_sites, n_clusters, n_nodes));
    given_names(m->site, n_sites, 's');
    given_names(m->cluster, n_clusters, 'c');
    given_names(m->node, n_nodes, 'n');
    for (int c = 0; c < n_clusters; c++) {
        m->cluster_site[c] = c * n_sites / n_clusters;
    }
    for (int i = 0; i < n_nodes; i++) {
        m->node_cluster[i] = i * n_clusters / n_nodes;
        m->startup[i] = startup;
    }
    for (int from = 0; from < n_clusters; from++) {
        for (int to = 0; to < n_clusters; to++) {
            given_way(m, from, to, latency, bandwidth);
        }
    }
    return m;
}

#endif
