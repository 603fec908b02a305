/*
 * A request: a nonblocking or persistent broadcast as the user holds it. It is an
 * operation, and what the operation needs to live on while its caller is
 * elsewhere: references to the communicator and the datatype.
 *
 * The user's handle is one reference to it, being outstanding another: so it may
 * be freed at any time, and ends nevertheless.
 */
#ifndef COLL_PIPEBCAST_REQUEST_H
#define COLL_PIPEBCAST_REQUEST_H

#include "component/component.h"
#include "operation/operation.h"

struct coll_pipebcast_request {
    coll_pipebcast_base_request_t super;
    struct ompi_communicator_t *comm; /**< retained; the module lives in it */
    coll_pipebcast_module_t *module;
    coll_pipebcast_data_t data; /**< the datatype is retained */
    int root;
    int tag;                        /**< the first of those reserved for it */
    coll_pipebcast_choice_t choice; /**< of a persistent one */
    unsigned n_starts;              /**< likewise */
    bool is_begun;                  /**< the operation is; not while the ranks still agree */
    int error;                      /**< the result */
    coll_pipebcast_operation_t operation;
};
OBJ_CLASS_DECLARATION(coll_pipebcast_request_t);

/**
 * Tags of a request, reserved alike on all ranks and in the same order: two sets for a persistent
 * one, see coll_pipebcast_request_begin(). The first of them.
 */
int coll_pipebcast_request_tags(const coll_pipebcast_module_t *module, bool persistent);

/**
 * A request for a broadcast with these tags. A persistent one is inactive. To be given back by
 * ompi_request_free(). With the module's lock held. NULL if out of memory; as the others have
 * theirs, this rank is lost then.
 */
coll_pipebcast_request_t *coll_pipebcast_request_new(coll_pipebcast_module_t *module,
                                                     const coll_pipebcast_data_t *data, int root,
                                                     int tag, bool persistent);

/** Begins the operation as chosen; errors as coll_pipebcast_operation_start(). Likewise. */
int coll_pipebcast_request_begin(coll_pipebcast_request_t *request,
                                 const coll_pipebcast_choice_t *choice);

/**
 * Begins, once the ranks have agreed, as all of them decide for its size; where that would be the
 * fallback component, by what stands in. OMPI_SUCCESS, the agreement's error or
 * OMPI_ERR_OUT_OF_RESOURCE. Likewise.
 */
int coll_pipebcast_request_begin_agreed(coll_pipebcast_request_t *request);

/**
 * Does what can be done without waiting; true when it is through, to be told by
 * coll_pipebcast_request_complete(). One that is not begun begins here. Likewise.
 */
bool coll_pipebcast_request_advance(coll_pipebcast_request_t *request);

/** Tells the user that it is through. Without the module's lock. */
void coll_pipebcast_request_complete(coll_pipebcast_request_t *request);

#endif
