/* Communicators like one another: a program that broadcasts in all rows or columns of its ranks at
 * the same time has several (ours). */
#ifndef PB_ALIKE_H
#define PB_ALIKE_H

#include "topo/network/placement.h"

/**
 * Number of communicators like the placement's that the ranks of its job can form behind the
 * switches of its hosts. They are as large, over the same links between switches. It counts itself,
 * and those of the remaining ranks. `at` has the hosts of all ranks of the job, as nodes of the
 * placement's network; -1: not in it. 1 where all hosts of the placement are behind one switch. -1
 * if out of memory. O(nodes + ranks of either).
 */
int pb_alike(const pb_placement_t *placement, const int *at, int n_at);

#endif
