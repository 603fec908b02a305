/*
 * Plans by leaders (ours): one rank of each host, its leader, takes part in the tree between hosts.
 * Below it the host's other ranks have a tree of their own, which is the same in all streams.
 *
 * So between hosts every plan is one of hosts with one rank each, and keeps its promises. Inside a
 * host every rank gets all streams from one other, which may pass them on in pieces.
 *
 * The leader is the root on its own host, on others the view's first rank; where switches copy
 * frames, the lowest, which takes them in. On the root's host that one gets frames, too, and so has
 * a place of its own in the tree between hosts, and leads nobody. Inside a host, each place (a
 * package, NUMA node or cache, topo/network/locality.h) is entered once, at its first rank. Ranks
 * that enter at one place, and those that sit right there, are a binary tree in the order of the
 * view.
 */
#ifndef PB_LEADERS_H
#define PB_LEADERS_H

#include "topo/trees/plan.h"

/** Tells whether a plan of this kind on this view may be by leaders. The kind promises freedom of
 * contention, there are two hosts or more, and one has several ranks. O(ranks). */
bool pb_leaders_apply(const pb_view_t *view, pb_kind_t kind);

/** Height of the tree of `n_ranks` on one host, where they share no places; 0 of one. O(log ranks).
 */
int pb_leaders_height(int n_ranks);

/**
 * The plan of a kind on a view to which leaders apply; plan->leader is set. Errors as
 * pb_plan_compute(). As that, on the leaders alone, and O(nodes + ranks * depth of places).
 */
int pb_plan_by_leaders(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                       pb_plan_t **plan_p);

#endif
