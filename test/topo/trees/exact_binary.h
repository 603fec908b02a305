/*
 * Exact search for the lowest contention-free binary tree: exponential, for
 * about a dozen ranks.
 */
#ifndef PB_EXACT_BINARY_H
#define PB_EXACT_BINARY_H

#include "topo/network/view.h"

/**
 * Whether a contention-free binary tree of at most this height exists: 1 or 0,
 * or -1 if `max_steps` steps of the search did not tell.
 */
int exact_binary_exists(const pb_view_t *view, int height, long max_steps);

#endif
