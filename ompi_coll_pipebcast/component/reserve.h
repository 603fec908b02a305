/*
 * Memory that is kept for the moment when there is none.
 *
 * A rank that drops out of a broadcast leaves others waiting that count on it, and
 * without memory it cannot even find out who they are, to tell them. So the process
 * keeps one block that nothing uses. When an allocation has failed the block is given
 * back, and what has failed is done once more, with that much memory. Untouched, it
 * costs address space only. Ours; the habit is old.
 */
#ifndef COLL_PIPEBCAST_RESERVE_H
#define COLL_PIPEBCAST_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

#include "component/compat.h"

/**
 * Threads of different communicators keep and spend it at the same time. Block and size belong
 * together, so that they have a lock and are not atomic each by itself: a thread that wants little
 * would put a small block in the place of a large one that another has just kept.
 */
typedef struct coll_pipebcast_reserve {
    opal_mutex_t lock;
    void *block;  /**< NULL: spent, or nothing was wanted yet */
    size_t bytes; /**< the most that was wanted */
} coll_pipebcast_reserve_t;

/** Nothing is kept yet. */
void coll_pipebcast_reserve_init(coll_pipebcast_reserve_t *reserve);

/** Gives the memory and the lock back. */
void coll_pipebcast_reserve_fini(coll_pipebcast_reserve_t *reserve);

/**
 * Has the process keep enough for one broadcast over `n_ranks` ranks of a network of
 * `n_nodes`, and no less than was wanted before; what was spent is kept again.
 * OMPI_ERR_OUT_OF_RESOURCE. O(1).
 */
int coll_pipebcast_reserve_keep(int n_ranks, int n_nodes);

/** Gives the block back; false if there is none. What has failed can be done once more if true. */
bool coll_pipebcast_reserve_spend(void);

/** Whether the error is that memory was out, and what has failed can be done once more. */
bool coll_pipebcast_reserve_helps(int error);

#endif
