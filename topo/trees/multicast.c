/*
 * The tree of a broadcast by multicast: switches copy frames to all hosts, lost frames are repaired
 * down this tree, and acknowledgements go up. The lowest rank of each host receives frames, for any
 * root; on other hosts than the root's it has its parent on another host. The other ranks get the
 * message inside the host. In plans by leaders (leaders.h) this is the tree of the leaders, one or
 * two of a host. What follows on hosts with several ranks holds in other plans.
 *
 * It is the binary tree of Algorithm 2 (algorithm2.c), which follows the switches. Over links of
 * equal speed one rank outside sends to the ranks below a switch: to at most two, or one in a host.
 * So a frame that was lost above a switch is repaired over each link there at most twice. No rank
 * but the root answers more than two others. Few answers wait for each other, as the tree is nearly
 * as low as possible. It fits every view. It differs in two points inside hosts. If it comes back
 * into the root's host, which it does at most once, the root is the parent of that rank, too. The
 * rank by which it enters a host is swapped with the lowest one there. So a frame may go twice
 * between two packages or caches of a host.
 *
 * Ours.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "topo/trees/plan.h"
#include "topo/util/error.h"

/** Ranks on the root's host whose parent is elsewhere become the root's children. */
static void stay_inside(const pb_view_t *view, pb_plan_t *plan)
{
    int *parent = plan->streams[0].parent;
    const int host = pb_view_host(view, plan->root);
    for (int i = 1; i < view->n_ranks; i++) {
        const int rank = view->order[i];
        if (pb_view_host(view, rank) == host && pb_view_host(view, parent[rank]) != host) {
            parent[rank] = plan->root;
        }
    }
}

/** Exchanges ranks in a tree by pairs; all arrays are by rank. O(ranks) */
static void exchange(const pb_view_t *view, const int *other, int *to, int *parent)
{
    for (int i = 1; i < view->n_ranks; i++) {
        const int rank = view->order[i];
        to[other[rank]] = other[parent[rank]];
    }
    for (int i = 1; i < view->n_ranks; i++) {
        parent[view->order[i]] = to[view->order[i]];
    }
}

/** The lowest rank of each host is the one by which the tree enters it, which it does once.
 * `lowest` is by node, the others by rank. */
static void enter_by_lowest(const pb_view_t *view, pb_plan_t *plan, int *lowest, int *other,
                            int *to)
{
    int *parent = plan->streams[0].parent;
    for (int i = 0; i < view->n_ranks; i++) {
        const int rank = view->order[i], host = pb_view_host(view, rank);
        lowest[host] = lowest[host] < 0 || rank < lowest[host] ? rank : lowest[host];
        other[rank] = rank;
    }
    for (int i = 1; i < view->n_ranks; i++) {
        const int rank = view->order[i], host = pb_view_host(view, rank);
        if (host != pb_view_host(view, plan->root) && rank != lowest[host] &&
            pb_view_host(view, parent[rank]) != host) {
            other[rank] = lowest[host];
            other[lowest[host]] = rank;
        }
    }
    exchange(view, other, to, parent);
}

static int change_inside_hosts(const pb_view_t *view, pb_plan_t *plan)
{
    const size_t n = (size_t) pb_network_size(view->placement->network);
    const size_t n_ranks = (size_t) view->placement->n_ranks;
    int *lowest = malloc((n + 2 * n_ranks) * sizeof(*lowest));
    if (lowest == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (size_t node = 0; node < n; node++) {
        lowest[node] = -1;
    }
    stay_inside(view, plan);
    enter_by_lowest(view, plan, lowest, lowest + n, lowest + n + n_ranks);
    free(lowest);
    return pb_plan_link_children(plan, 0, view, NULL);
}

/** Tells whether some host has several ranks of the view. */
static bool shares_hosts(const pb_view_t *view)
{
    for (int v = 0; v < view->n_vertices; v++) {
        if (pb_network_node(view->placement->network, view->vertices[v].node)->kind !=
            PB_NODE_SWITCH) {
            return true;
        }
    }
    return false;
}

int pb_plan_multicast(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    int rc = pb_plan_binary(view, options, plan_p);
    if (rc == PB_SUCCESS && shares_hosts(view)) {
        rc = change_inside_hosts(view, *plan_p);
    }
    if (rc == PB_SUCCESS) {
        (*plan_p)->kind = PB_KIND_MULTICAST;
    }
    return pb_plan_end(*plan_p, rc, plan_p);
}
