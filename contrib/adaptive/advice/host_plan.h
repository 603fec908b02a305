/*
 * The plan of a tree over hosts. One rank of each host, its *leader*, takes part in the tree, and
 * the host's other ranks hang below it.
 */
#ifndef PB_HOST_PLAN_H
#define PB_HOST_PLAN_H

#include "contrib/adaptive/advice/tree.h"
#include "topo/trees/plan.h"

/**
 * Makes the plan over all ranks of the view from n_streams trees over n_hosts hosts; `host[rank]`
 * is a rank's host. Its `kind` is PB_KIND_COUNT, as no construction made it. The root leads its
 * host, and the lowest rank each other one. Ranks of one host are a complete binary tree below
 * their leader, in rank order. No link is between them, so only the time of the last one counts
 * (ours). A leader serves other hosts first.
 *
 * The caller frees it. PB_ERR_NO_MEMORY. PB_ERR_INPUT if the view lacks a rank, a host has no rank
 * or an invalid number, or a stream is no tree over all hosts. O(ranks log ranks) for each stream.
 */
int pb_host_plan(const pb_view_t *view, const int *host, int n_hosts,
                 const pb_tree_t *const *streams, int n_streams, pb_plan_t **plan_p);

#endif
