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

#include "communicator/progress.h"
#include "engine/multicast/part.h"
#include "pml/transport.h"

struct coll_pipebcast_module;

/** Tags that one needs. */
#define COLL_PIPEBCAST_GROUP_TAGS 3

/** Numbers that the ranks learn of each other (coll_pipebcast_multicast_t.values). */
#define COLL_PIPEBCAST_GROUP_VALUES 7

typedef struct coll_pipebcast_group {
    coll_pipebcast_task_t task; /**< what makes it; first, so that the one is the other */
    struct coll_pipebcast_module *module;
    int n_users;         /**< references; the task has one */
    bool is_concluded;   /**< whether it works is known */
    const char *why_not; /**< at rank 0 why it does not work; NULL: it does */
    /* Joining. */
    uint32_t address; /**< of the group; IPv4, as a number */
    uint16_t port;
    int64_t since;   /**< nanoseconds, when the allreduce began */
    bool has_joined; /**< `multicast` is there */
    /* Probing. */
    int round;
    bool has_begun; /**< this round's part */
    int64_t not_before;
    pb_multicast_part_t part;
    char *data;
    int tag;              /**< of the first round; the next one has the next lower one */
    pb_control_t control; /**< of this round */
    /* What is left. */
    pb_datagrams_t *datagrams; /**< NULL: it has none */
    bool is_deaf;              /**< another rank of this host has joined */
    pb_multicast_t multicast;
    pb_multicast_counters_t counted; /**< what the process's counters have of it */
} coll_pipebcast_group_t;

/**
 * A new group, which the caller has a reference to; `tag` and the next lower ones are its own.
 * NULL: this rank is lost. It has begun the allreduce even so.
 */
coll_pipebcast_group_t *coll_pipebcast_group_begin(struct coll_pipebcast_module *module, int tag);

/** One more reference; NULL is allowed, and returned. */
coll_pipebcast_group_t *coll_pipebcast_group_retain(coll_pipebcast_group_t *group);

/** Gives a reference back; NULL is allowed. */
void coll_pipebcast_group_leave(coll_pipebcast_group_t *group);

#endif
