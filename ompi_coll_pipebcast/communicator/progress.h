/*
 * Tasks: work that goes on without a caller who waits for it. They are nonblocking broadcasts,
 * sweeps, and operations that still have messages to take in. Open MPI's progress engine advances
 * them by a function that is registered only while there are some.
 *
 * Locks: each communicator has its own (base/lock.h), and the list of communicators with tasks has
 * one. The progress function takes the list's and tries the communicators'; everyone else takes a
 * communicator's first and then the list's. It never waits for a lock, so it neither blocks a
 * thread nor itself where a send of ours makes progress inside.
 */
#ifndef COLL_PIPEBCAST_PROGRESS_H
#define COLL_PIPEBCAST_PROGRESS_H

#include <stdbool.h>

#include "base/compat.h"

struct coll_pipebcast_module;

typedef struct coll_pipebcast_task coll_pipebcast_task_t;

/** A part of what is advanced. */
struct coll_pipebcast_task {
    opal_list_item_t super;
    /** Does what can be done without waiting; true when it is through, and leaves the list. Called
     * with the communicator's lock held. */
    bool (*advance)(coll_pipebcast_task_t *task);
    /** Called once after that, without any lock: may free the task, and with it a communicator. */
    void (*end)(coll_pipebcast_task_t *task);
};

/** The tasks of one communicator; an item of the list of communicators while there are some. */
typedef struct coll_pipebcast_tasks {
    opal_list_item_t super;
    struct coll_pipebcast_module *module; /**< that this is a part of */
    opal_list_t list;                     /**< of coll_pipebcast_task_t, in the order of starts */
    bool is_listed; /**< in the list of communicators, which holds a reference to this one then */
} coll_pipebcast_tasks_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_tasks_t);

/** The list of communicators, from when the component opens until it closes. */
void coll_pipebcast_progress_open(void);
void coll_pipebcast_progress_close(void);

/**
 * Has the progress function advance the task from now on, until it is through. With the module's
 * lock held. The communicator lives at least as long. OMPI_ERR_OUT_OF_RESOURCE: it is not.
 */
int coll_pipebcast_progress_add(struct coll_pipebcast_module *module, coll_pipebcast_task_t *task);

/** Takes a communicator off the list, with tasks that are not through: MPI frees it as MPI ends.
 * The caller holds no lock. O(1). */
void coll_pipebcast_progress_forget(coll_pipebcast_tasks_t *tasks);

/**
 * Waits until no communicator has a task, freed ones included, for some seconds at most. To be
 * called when MPI ends. A rank that left earlier would close connections on which there is
 * something for it to read.
 */
void coll_pipebcast_progress_settle(void);

#endif
