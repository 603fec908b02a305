/*
 * Cutting the depth-first order in halves: low trees where trunks are fast.
 */
#ifndef PB_SLOT_BISECT_H
#define PB_SLOT_BISECT_H

#include "topo/network/view.h"

/**
 * If cutting in halves gives a binary tree lower than *height_p that loads no
 * link with more senders than it carries (speed.h), sets the parents, by
 * rank, and *height_p. Otherwise both are left alone. PB_ERR_NO_MEMORY.
 * O((ranks * path + ranks log ranks) * heights tried).
 */
int pb_slot_bisect_lower(const pb_view_t *view, int *parent, int *height_p);

#endif
