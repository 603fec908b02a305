/*
 * A group of multicast on a communicator: this rank's datagrams and its membership
 * (engine/multicast/multicast.h), from its beginning until nothing uses it any more.
 *
 * It is made by a task, while broadcasts go on. The address and port follow from the communicator.
 * Every host's first rank joins the group, the others can send to it. By an allreduce the ranks
 * learn the keys from rank 0, whether all could join, and the least that any of them can take. If
 * all could, rank 0 broadcasts some frames to them, which is the *probe*: only that shows whether
 * the network delivers them.
 *
 * A group outlives what it was replaced by, or its communicator's use of it, as long as a broadcast
 * on it is under way. All functions are called with the module's lock held.
 */
#ifndef COLL_PIPEBCAST_COMMUNICATOR_GROUP_H
#define COLL_PIPEBCAST_COMMUNICATOR_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/multicast/multicast.h"

struct coll_pipebcast_module;

typedef struct coll_pipebcast_group coll_pipebcast_group_t;

/** Tags that one needs. */
#define COLL_PIPEBCAST_GROUP_TAGS 3

/** Numbers that the ranks learn of each other (coll_pipebcast_multicast_t.values). */
#define COLL_PIPEBCAST_GROUP_VALUES 7

/**
 * A new group, which the caller has a reference to; `tag` and the next lower ones are its own.
 * NULL: this rank is lost. It has begun the allreduce even so.
 */
coll_pipebcast_group_t *coll_pipebcast_group_begin(struct coll_pipebcast_module *module, int tag);

/**
 * Waits until it is known what came of it, without the lock; true if it works, alike on all ranks
 * that are not lost.
 */
bool coll_pipebcast_group_wait(coll_pipebcast_group_t *group);

/** Why it does not work, at rank 0. */
const char *coll_pipebcast_group_why_not(const coll_pipebcast_group_t *group);

/** "group 239.192.1.2 port 50000", at all ranks. */
void coll_pipebcast_group_describe(const coll_pipebcast_group_t *group, char *text, size_t size);

/** One more reference; NULL is allowed, and returned. */
coll_pipebcast_group_t *coll_pipebcast_group_retain(coll_pipebcast_group_t *group);

/** Gives a reference back; NULL is allowed. */
void coll_pipebcast_group_leave(coll_pipebcast_group_t *group);

/** This rank's membership, on which broadcasts begin in the same order on all ranks. */
pb_multicast_t *coll_pipebcast_group_membership(coll_pipebcast_group_t *group);

#endif
