/*
 * Directed links on the path between each two nodes, which sends share.
 *
 * Paper 4 explains the contention of trees by Mateescu's method: its model ignores that two edges
 * of a tree may use the same link. Here (ours) every ordered pair of nodes has a list of directed
 * links, each with a capacity, and edges over one link share it.
 */
#ifndef PB_LINK_SHARE_H
#define PB_LINK_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/adaptive/search/link_matrix.h"
#include "topo/network/placement.h"

/** Percentage that an unloaded path has at least of the bandwidth by its links' speeds. */
#define PB_LINK_SHARE_FREE_PERCENT 75

typedef struct pb_link_share {
    int n_nodes;
    int n_links;
    int max_path;       /**< links of the longest list */
    uint64_t *capacity; /**< bytes per second, by link; 0: no pair uses it */
    int *first;         /**< by from * n_nodes + to: where the pair's list begins; one more entry */
    int *link;          /**< all lists */
} pb_link_share_t;

/**
 * The links of a known network: rank i of the placement is node i of the matrix, and links are
 * numbered as in topo/network/network.h. The capacity of a link is the highest bandwidth measured
 * over it, in proportion to its speed over the slowest link of that way. So 1 Gbit/s between two
 * hosts shows that a trunk of 10 Gbit/s carries ten such flows. No unit of the network's speeds is
 * needed for that. A pair has a way that others load if it has less than PB_LINK_SHARE_FREE_PERCENT
 * of the best pair's bandwidth. Both are in proportion to the speeds of their slowest links. As it
 * may be any of its links that is loaded, it shows of each no more than it has itself. The caller
 * frees the share. PB_ERR_INPUT if the placement has not as many ranks as the matrix has nodes;
 * PB_ERR_NO_MEMORY. O(nodes^2 * path).
 */
int pb_link_share_network(const pb_link_matrix_t *matrix, const pb_placement_t *placement,
                          pb_link_share_t **share_p);

/**
 * Makes the shares that are assumed without a known network: links out of and into each node, and
 * between each two clusters and sites. Capacities are the highest bandwidths measured over each.
 * The caller frees it. PB_ERR_NO_MEMORY. O(nodes^2 + clusters^2).
 */
int pb_link_share_clusters(const pb_link_matrix_t *matrix, pb_link_share_t **share_p);

void pb_link_share_free(pb_link_share_t *share);

/** The list of a pair: its links, and their number. */
static inline const int *pb_link_share_path(const pb_link_share_t *share, int from, int to,
                                            int *n_p)
{
    const size_t pair = (size_t) from * (size_t) share->n_nodes + (size_t) to;
    *n_p = share->first[pair + 1] - share->first[pair];
    return share->link + share->first[pair];
}

#endif
