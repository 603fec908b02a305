/*
 * The constructions behind pb_plan_compute(), one per kind of plan. Each makes
 * a whole plan of a view, which the caller frees. All of them return
 * PB_ERR_NO_MEMORY if out of memory, and are deterministic.
 */
#ifndef PB_TREES_H
#define PB_TREES_H

#include "topo/trees/plan.h"

/** Algorithm 2 as printed (papers 1 and 2, section 4): binary_paper.c. */
int pb_plan_binary_paper(const pb_view_t *view, pb_plan_t **plan_p);

/**
 * Algorithm 2 extended to options->fanout children (paper 2, section 4.1.2):
 * kary.c. PB_ERR_UNFIT if the fanout is less than 1.
 */
int pb_plan_kary(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p);

/** The slot method (ours), never higher than Algorithm 2's tree: topo/trees/slot/slot.c. */
int pb_plan_slot(const pb_view_t *view, pb_plan_t **plan_p);

/**
 * Two contention-free trees at half rate each, full bandwidth at logarithmic
 * depth: topo/trees/twotree/twotree.c. After the two-tree of Sanders, Speck and Traeff (2009), made
 * for switch trees (ours). No rank sends more than two edges, and no directed
 * link carries more than two of both trees together, or 2c if it is c times as
 * fast as the fastest host's cable. Serves every view. Fast links never make
 * the trees higher; they are used where that makes the trees lower or sooner.
 */
int pb_plan_twotree(const pb_view_t *view, pb_plan_t **plan_p);

/**
 * Traeff's circulant schedule (arXiv 2407.18004) as ceil(log2 P) trees:
 * circulant.c. PB_ERR_UNFIT if the view has more than one vertex.
 * O(P log^2 P) and more in the search, see there.
 */
int pb_plan_circulant(const pb_view_t *view, pb_plan_t **plan_p);

/** The root sends to all others: flat.c. */
int pb_plan_flat(const pb_view_t *view, pb_plan_t **plan_p);

/** A binomial tree whose phases are contention-free: binomial.c. */
int pb_plan_binomial(const pb_view_t *view, pb_plan_t **plan_p);

/** By rank, without regard to the network: rank_order.c. */
int pb_plan_rank_chain(const pb_view_t *view, pb_plan_t **plan_p);
int pb_plan_rank_binary(const pb_view_t *view, pb_plan_t **plan_p);

#endif
