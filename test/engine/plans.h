/*
 * Plans for tests of the engine that need no network.
 */
#ifndef PB_TEST_PLANS_H
#define PB_TEST_PLANS_H

#include "test/topo/check/random_network.h"
#include "topo/trees/plan.h"

/**
 * A plan of `n_streams` random trees over all ranks, each with the given root;
 * some streams may share their tree. Aborts if out of memory. Free with
 * plans_free().
 */
pb_plan_t *plans_random(pb_random_t *random, int n_ranks, int root, int n_streams);

/** One stream in which the root sends to everyone. As above. */
pb_plan_t *plans_flat(int n_ranks, int root);

/** One stream: a chain in rank order from the root, from the last rank on to the first. As above.
 */
pb_plan_t *plans_chain(int n_ranks, int root);

/**
 * Two streams from rank 0: the first goes through the ranks upwards, the second
 * downwards, so that the root's children differ. As above.
 */
pb_plan_t *plans_two_chains(int n_ranks);

void plans_free(pb_plan_t *plan);

#endif
