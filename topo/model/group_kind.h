/*
 * The kind of tree for a group of some ranks. Unlike the tree of all ranks, it is
 * used once, and every member has to compute it before it can pass the header on,
 * so that the time for this counts.
 */
#ifndef PB_GROUP_KIND_H
#define PB_GROUP_KIND_H

#include <stdint.h>

#include "topo/trees/plan.h"

/**
 * Of chain, binary tree and two-tree the one with the least predicted time for
 * `n_members` and `n_segments`, where the whole message takes `message_ns`
 * nanoseconds from one rank to another: papers 1 and 2, formulas (1) and (2), and
 * for the two-tree its height likewise; and what was measured of computing them.
 */
pb_kind_t pb_group_kind(int n_members, uint64_t n_segments, double message_ns);

#endif
