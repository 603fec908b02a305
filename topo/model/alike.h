/*
 * Communicators like one another: those of a program that broadcasts in rows or columns of its
 * ranks, all at once (ours).
 */
#ifndef PB_ALIKE_H
#define PB_ALIKE_H

#include "topo/network/placement.h"

/**
 * How many communicators such as that of the placement, as large and over the same links between
 * switches, the ranks of its job make that are behind the switches of its hosts: it, and those that
 * would be left over. `at` has the hosts of all ranks of the job, nodes of the placement's network;
 * -1: it is not there. 1 where all of the placement's hosts are behind one switch. -1 if out of
 * memory. O(nodes + ranks of either).
 */
int pb_alike(const pb_placement_t *placement, const int *at, int n_at);

#endif
