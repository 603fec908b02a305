/*
 * The closed walk: one circle of ranks that is the same for all roots.
 *
 * A depth-first walk over the physical tree that ends where it began uses each directed link once
 * (papers 1 and 2, Lemma 2). It may begin anywhere. From the root on, the ranks that it meets are a
 * depth-first order for this root, but not the view's. The view begins with the ranks nearest to
 * the root, so its circle depends on the root. A rank that sends by fixed distances on the closed
 * walk has the same few neighbors for all roots (ours).
 *
 * This has a price. Where the root's host, or a place in it (locality.h), has several ranks, those
 * before the root on the walk come last. The message then comes back into the host. No link carries
 * it twice for that.
 */
#ifndef PB_WALK_H
#define PB_WALK_H

#include "topo/network/view.h"

/**
 * The ranks of the view in the order of the walk from its root on, n_ranks of them, to be freed.
 * The walk begins as the lowest rank sees the network, and depends on the placement and on which
 * ranks take part alone. O(nodes + ranks). PB_ERR_NO_MEMORY.
 */
int pb_walk_new(const pb_view_t *view, int **order_p);

#endif
