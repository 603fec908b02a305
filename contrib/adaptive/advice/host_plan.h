/*
 * The plan of a tree over hosts: from each host one rank, its *leader*, takes part in
 * the tree, and the other ranks of the host hang below it.
 */
#ifndef PB_HOST_PLAN_H
#define PB_HOST_PLAN_H

#include "contrib/adaptive/advice/tree.h"
#include "topo/trees/plan.h"

/**
 * Makes the plan over all ranks of the view from n_streams trees over n_hosts hosts; `host[rank]`
 * is a rank's host. Its `kind` is PB_KIND_COUNT, as no construction made it. The root leads its
 * host, and the lowest rank each other one. Ranks of one host are a complete binary tree below
 * their leader, in rank order: no link is between them, so only the time of the last one counts
 * (ours). A leader serves other hosts first.
 *
 * The caller frees it. PB_ERR_INPUT if the view does not have all ranks, a host has no rank or an
 * invalid number, or a stream is not a tree over all hosts from the root's; PB_ERR_NO_MEMORY.
 * O(ranks log ranks) for each stream.
 */
int pb_host_plan(const pb_view_t *view, const int *host, int n_hosts,
                 const pb_tree_t *const *streams, int n_streams, pb_plan_t **plan_p);

#endif
