/*
 * What parameters name and communicators share: read from a file once, so that
 * communicators cannot differ in it.
 */
#ifndef COLL_PIPEBCAST_SHARED_H
#define COLL_PIPEBCAST_SHARED_H

#include "base/compat.h"
#include "topo/util/diag.h"

/** The base of what is shared. */
typedef struct coll_pipebcast_shared {
    opal_object_t super;
    char *source; /**< for people: where it came from */
    char *fault;  /**< for people: what is wrong with it; NULL: nothing */
} coll_pipebcast_shared_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_shared_t);

/**
 * Fills a new object from the parameters. A fault of the input is kept in it
 * (coll_pipebcast_shared_fault()) and is no error of the call.
 */
typedef int coll_pipebcast_shared_read_fn_t(coll_pipebcast_shared_t *shared);

/**
 * The object in *slot, retained for the caller, made by `read` if there is none. The
 * process's lock protects the slot. NULL with *error_p if out of memory.
 */
coll_pipebcast_shared_t *coll_pipebcast_shared_get(coll_pipebcast_shared_t **slot,
                                                   opal_class_t *class_of,
                                                   coll_pipebcast_shared_read_fn_t *read,
                                                   int *error_p);

/** Keeps what is wrong, as one text. OMPI_ERR_OUT_OF_RESOURCE. */
int coll_pipebcast_shared_fault(coll_pipebcast_shared_t *shared, const pb_diag_t *diag);

#endif
