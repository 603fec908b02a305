/*
 * A request: a nonblocking or persistent broadcast as the user holds it. It is a task
 * (communicator/progress.h) around an operation, with references to the communicator and the
 * datatype.
 *
 * The user's handle is one reference to it, being a task another: so the user may free it at any
 * time.
 */
#ifndef COLL_PIPEBCAST_REQUEST_H
#define COLL_PIPEBCAST_REQUEST_H

#include "operation/operation.h"

typedef struct coll_pipebcast_request {
    coll_pipebcast_base_request_t super;
    coll_pipebcast_task_t task;
    struct ompi_communicator_t *comm; /**< retained; the module lives in it */
    coll_pipebcast_module_t *module;
    coll_pipebcast_call_t call; /**< the datatype is retained; the tag is the first of all sets */
    unsigned n_starts;          /**< of a persistent one */
    pb_planned_t planned;       /**< of a persistent one, but for the role, at its initialization */
    coll_pipebcast_operation_t *operation; /**< NULL: not begun, or through */
    int error;                             /**< the result */
} coll_pipebcast_request_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_request_t);

/** Tags of a persistent one, its own until the communicator ends: two sets, for its starts in turn.
 */
#define COLL_PIPEBCAST_PERSISTENT_TAGS (2 * COLL_PIPEBCAST_TAGS)

/**
 * A request for a call with these tags. A persistent one is inactive. To be given back by
 * ompi_request_free(). With the module's lock held. NULL if out of memory; as the others have
 * theirs, this rank is lost then.
 */
coll_pipebcast_request_t *coll_pipebcast_request_new(coll_pipebcast_module_t *module,
                                                     const coll_pipebcast_call_t *call);

/**
 * Begins as planned; or with NULL, a further start of a persistent one, as its initialisation was
 * planned. From then on it is advanced until it is through. With the module's lock held. An error:
 * nothing is under way and this rank is lost.
 */
int coll_pipebcast_request_begin(coll_pipebcast_request_t *request, const pb_planned_t *planned);

#endif
