/*
 * Measured links: what sending between each two nodes costs.
 *
 * Paper 4, section 2.5: matrices of latencies and bandwidths between clusters, with measurements
 * inside a cluster on the diagonal. Section 2.2 adds each node's initiation cost. Here every
 * ordered pair of nodes has its own entry, and pairs that nobody measured have those of their
 * clusters. Sites hold clusters, clusters hold nodes: the levels of MPICH-G2's tree.
 *
 * All values are integers: nanoseconds, and bytes per second.
 */
#ifndef PB_LINK_MATRIX_H
#define PB_LINK_MATRIX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contrib/adaptive/advice/host_set.h"
#include "topo/network/network.h"
#include "topo/util/diag.h"
#include "topo/util/error.h"

/** Nodes of one matrix, and at most as many clusters and sites: advice is about as many hosts. */
#define PB_LINK_MATRIX_MAX_NODES PB_HOST_SET_MAX

/** Bytes of a name. */
#define PB_LINK_MATRIX_MAX_NAME PB_HOST_SET_MAX_NAME

/** A latency or a start-up cost that a matrix may have: an hour. */
#define PB_LINK_MATRIX_MAX_NS INT64_C(3600000000000)

/** A bandwidth that a matrix may have; the least is 1. */
#define PB_LINK_MATRIX_MAX_BANDWIDTH UINT64_C(1000000000000)

/** Bytes per second that a matrix may have, of what took `ns`. */
static inline uint64_t pb_link_rate(double bytes, int64_t ns)
{
    const double rate = bytes * 1e9 / (double) (ns > 0 ? ns : 1);
    return rate < 1                                       ? 1
           : rate < (double) PB_LINK_MATRIX_MAX_BANDWIDTH ? (uint64_t) rate
                                                          : PB_LINK_MATRIX_MAX_BANDWIDTH;
}

typedef struct pb_link_matrix {
    int n_sites, n_clusters, n_nodes;
    char **site;         /**< by site: its name */
    char **cluster;      /**< by cluster: its name */
    char **node;         /**< by node: its name, which is a host's */
    int *cluster_site;   /**< by cluster */
    int *node_cluster;   /**< by node */
    int64_t *startup;    /**< by node: ns in which it starts one send and can start no other */
    int64_t *latency;    /**< ns, at [from * n_nodes + to]; the diagonal is inside the cluster */
    uint64_t *bandwidth; /**< bytes per second, with the same indices */
} pb_link_matrix_t;

/**
 * Makes a matrix with these numbers, each at least 1: all values 0 and names NULL, for the caller
 * to fill, names by memory of malloc(). NULL if out of memory or a number is too large. Free with
 * pb_link_matrix_free(), which takes NULL too.
 */
pb_link_matrix_t *pb_link_matrix_new(int n_sites, int n_clusters, int n_nodes);
void pb_link_matrix_free(pb_link_matrix_t *matrix);

/**
 * The matrix of some nodes of another one: node i is the host names[i] by pb_network_find_host(),
 * and is called so. Clusters and sites stay. The caller frees it. PB_ERR_NO_MEMORY, PB_ERR_UNKNOWN
 * (no node is names[*unknown_p]), PB_ERR_INPUT (no name, or too many). O(n^2 + nodes).
 */
int pb_link_matrix_select(const pb_link_matrix_t *matrix, char *const *names, int n,
                          pb_link_matrix_t **selected_p, int *unknown_p);

/**
 * The matrix of these hosts of a network, all values 0: node i is hosts[i]. The switch of a host is
 * its cluster, and a switch below the top one makes a site; so do the top switch's hosts. Clusters
 * and sites are in the order in which hosts name them. The caller frees it. PB_ERR_UNKNOWN (the
 * network has no host for a host), PB_ERR_INPUT (none, too many, or two hosts on one host),
 * PB_ERR_NO_MEMORY. O(nodes + n * depth).
 */
int pb_link_matrix_of_network(const pb_network_t *network, const char *const *hosts, int n,
                              pb_link_matrix_t **matrix_p);

static inline int64_t pb_link_latency(const pb_link_matrix_t *matrix, int from, int to)
{
    return matrix->latency[(size_t) from * (size_t) matrix->n_nodes + (size_t) to];
}
static inline uint64_t pb_link_bandwidth(const pb_link_matrix_t *matrix, int from, int to)
{
    return matrix->bandwidth[(size_t) from * (size_t) matrix->n_nodes + (size_t) to];
}

/** No time that is computed is longer, so that sums over a tree do not overflow: 3 days. */
#define PB_LINK_LONGEST (INT64_C(1) << 48)

/** Nanoseconds, rounded down, that `bytes` take at `bandwidth` > 0; PB_LINK_LONGEST at most. */
int64_t pb_link_time(uint64_t bytes, uint64_t bandwidth);

/*
 * The file, version 1: text, one item a line, '#' starts a comment. A name is
 * defined before it is used.
 *
 *   pipebcast-links 1
 *   site sdsc
 *   cluster c1 site sdsc latency 50000 bandwidth 12500000    # between its nodes
 *   cluster c2 site sdsc latency 50000 bandwidth 12500000
 *   node n0 cluster c1 startup 20000
 *   node n1 cluster c2 startup 20000
 *   link c1 c2 latency 3000000 bandwidth 1250000             # from c1's nodes to c2's
 *   link c2 c1 latency 3000000 bandwidth 1250000
 *   pair n0 n1 latency 3100000 bandwidth 1100000             # these two nodes, before the above
 *   end 8
 *
 * Each ordered pair of clusters needs its link. `end` counts the items between the first line and
 * itself. So a file that was not written to its end, or has lost lines, is found out.
 */
#define PB_LINK_MATRIX_VERSION 1

/**
 * Reads a file of links into a matrix, which the caller frees. PB_ERR_IO or PB_ERR_INPUT with every
 * error in `diag`, each with file and line; PB_ERR_NO_MEMORY. *matrix_p is then NULL. O(file +
 * nodes^2).
 */
int pb_link_matrix_read(const char *path, pb_link_matrix_t **matrix_p, pb_diag_t *diag);

/** The same from memory; `name` stands for the file in messages. */
int pb_link_matrix_parse(const char *text, size_t length, const char *name,
                         pb_link_matrix_t **matrix_p, pb_diag_t *diag);

/**
 * Writes a matrix as pb_link_matrix_read() reads it, with a `pair` line for each
 * pair that differs from the first pair of its clusters. Inside a
 * cluster, the diagonals of all nodes must be alike. A cluster without nodes, which
 * says nothing, is not written. PB_ERR_IO if the stream fails, PB_ERR_NO_MEMORY. O(nodes^2).
 */
int pb_link_matrix_write(const pb_link_matrix_t *matrix, FILE *stream);

#endif
