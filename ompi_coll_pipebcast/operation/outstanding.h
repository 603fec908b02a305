/*
 * What goes on without a caller who waits for it: nonblocking and persistent
 * broadcasts, the agreement of a communicator's ranks, and what roots of
 * arrival-aware broadcasts are still to hear. Open MPI's progress engine advances
 * it by a function that is registered only as long as there is something.
 *
 * Locks: the list of modules has one, each module has one. The progress function
 * takes the list's and tries the modules'; everyone else takes a module's first
 * and then the list's. It never waits for a lock, so it neither blocks a thread
 * nor itself where a send of ours makes progress inside.
 */
#ifndef COLL_PIPEBCAST_OUTSTANDING_H
#define COLL_PIPEBCAST_OUTSTANDING_H

#include <stdbool.h>

#include "component/compat.h"

struct coll_pipebcast_module;
typedef struct coll_pipebcast_request coll_pipebcast_request_t;
typedef struct coll_pipebcast_agreement coll_pipebcast_agreement_t;

/** A module's part; an item of the list of modules while there is something. */
typedef struct coll_pipebcast_outstanding {
    opal_list_item_t super;
    struct coll_pipebcast_module *module; /**< the one that this is a part of */
    opal_list_t requests; /**< started and not ended, in the order of their starts */
    bool is_listed; /**< in the list of modules, which holds a reference to the communicator then */
} coll_pipebcast_outstanding_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_outstanding_t);

/** The list of modules. */
typedef struct coll_pipebcast_busy {
    opal_mutex_t lock;
    opal_list_t modules; /**< of coll_pipebcast_outstanding_t */
} coll_pipebcast_busy_t;

void coll_pipebcast_busy_init(coll_pipebcast_busy_t *busy);
void coll_pipebcast_busy_fini(coll_pipebcast_busy_t *busy);

/**
 * Has the progress function advance the module from now on, until nothing is
 * outstanding. With the module's lock held. The communicator lives at least as long.
 */
void coll_pipebcast_outstanding_list(struct coll_pipebcast_module *module);

/** The same for a request that was started, which is retained until it ends. Likewise. */
void coll_pipebcast_outstanding_add(struct coll_pipebcast_module *module,
                                    coll_pipebcast_request_t *request);

#endif
