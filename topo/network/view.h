/*
 * A view: the physical tree as one root sees it.
 *
 * All tree constructions work on views. A view holds the part of the network between the ranks of a
 * placement, rooted where the root rank is attached. It is numbered in depth-first preorder, so
 * that every subtree is a range of vertices and a range of ranks.
 *
 * At a vertex ranks or other vertices come together. It is a switch, or a host or place (a package,
 * NUMA node or cache of it) with two ranks or more below it. A host or place with one rank is no
 * vertex: its rank is attached to the vertex above, from a host by the host's uplink. So trees
 * treat a host of many ranks, and each place of a host, as a switch of many hosts. The rule "each
 * stream crosses each link once each way" holds for all of them.
 *
 * The order of ranks is Algorithm 1's (papers 1 and 2, section 4.1). It is the root, the other
 * ranks attached to its vertex, then each child vertex's subtree. Any subsequence of it is a
 * contention-free chain (Lemma 2).
 */
#ifndef PB_VIEW_H
#define PB_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/placement.h"

typedef struct pb_vertex {
    int node;       /**< the switch, host or place in the network */
    int parent;     /**< vertex nearer to the root, -1 for vertex 0 */
    int end;        /**< the subtree of v is the vertices [v, end) */
    int first_rank; /**< positions [first_rank, end_rank) are the ranks of the subtree, */
    int end_local;  /**< [first_rank, end_local) are attached to v itself */
    int end_rank;
    uint32_t speed; /**< of the slowest link between it and the parent */
} pb_vertex_t;

typedef struct pb_view {
    const pb_placement_t *placement; /**< borrowed */
    int n_ranks;
    int n_vertices;
    pb_vertex_t *vertices; /**< preorder; vertex 0 is where the root is attached */
    int *order;            /**< by position: the rank; order[0] is the root */
    int *position;         /**< by rank: the position; -1 for a rank outside the subset */
    int *attached;         /**< by position: the vertex */
    uint32_t *speed;       /**< by position: of the rank's own uplink; UINT32_MAX inside a host */
} pb_view_t;

/**
 * The view of `root` over the ranks of `placement`, or over the `n_subset` ranks of `subset` if
 * that is not NULL. The subset holds the root once and no rank twice. O(nodes + ranks).
 * PB_ERR_NO_MEMORY, PB_ERR_INPUT (root or subset wrong).
 */
int pb_view_new(const pb_placement_t *placement, int root, const int *subset, int n_subset,
                pb_view_t **view_p);
void pb_view_free(pb_view_t *view);

/**
 * Tells whether the edge between vertex v > 0 and the vertex above it goes down a link to a host or
 * place. Where a host has several ranks, one edge of a tree does that (ours). A second one would
 * send the message over the host's uplink again, although it is already inside. O(depth of the
 * network).
 */
bool pb_view_enters_host(const pb_view_t *view, int v);
/** Memory for a view of `n_ranks`, without vertices; no rank has a position. NULL if there is none.
 */
pb_view_t *pb_view_alloc(const pb_placement_t *placement, int n_ranks);

/** The host of a rank. O(depth). */
static inline int pb_view_host(const pb_view_t *view, int rank)
{
    return pb_placement_host(view->placement, rank);
}

/** The first child vertex of v, or end if there is none; the next is vertices[c].end. */
static inline int pb_view_first_child(const pb_view_t *view, int v)
{
    return v + 1 < view->vertices[v].end ? v + 1 : view->vertices[v].end;
}

#endif
