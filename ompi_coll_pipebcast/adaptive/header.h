/*
 * The header of an adaptive broadcast: the tree that the root announces.
 *
 * As bytes: 1 form, 1 number of streams (0: the static plan), 2 hosts, 4 segment size. Then for
 * each stream and each host but the root's, in ascending order: 2 parent, 2 index among the
 * parent's children. All little-endian. Hosts go by their numbers in the set of the communicator's
 * hosts, which every rank knows.
 */
#ifndef PB_ADAPTIVE_HEADER_H
#define PB_ADAPTIVE_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "contrib/adaptive/advice/advice.h"

/** Bytes of the longest header of a communicator of `n_hosts`. */
size_t pb_adaptive_header_room(int n_hosts);

/**
 * Writes the header of a tree, or of the static plan (NULL), into `bytes`, which has the room;
 * returns its length. O(hosts) for each stream.
 */
size_t pb_adaptive_header_write(const pb_advice_tree_t *tree, int n_hosts, uint8_t *bytes);

/**
 * Reads a header for the root's host into *tree, without `least` and `most`; it has no streams if
 * it is the static plan. Clear it with pb_advice_tree_clear(). PB_ERR_INPUT if `length` bytes
 * are no header of a communicator of `n_hosts`, or not of trees over all of them from `root`;
 * PB_ERR_NO_MEMORY. After an error there is nothing to give back.
 */
int pb_adaptive_header_read(pb_advice_tree_t *tree, int n_hosts, int root, const uint8_t *bytes,
                            size_t length);

#endif
