#include "communicator/shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parameters.h"
#include "communicator/process.h"

static void shared_construct(coll_pipebcast_shared_t *shared)
{
    shared->source = NULL;
    shared->fault = NULL;
}

static void shared_destruct(coll_pipebcast_shared_t *shared)
{
    free(shared->source);
    free(shared->fault);
}

OBJ_CLASS_INSTANCE(coll_pipebcast_shared_t, opal_object_t, shared_construct, shared_destruct);

int coll_pipebcast_shared_fault(coll_pipebcast_shared_t *shared, const pb_diag_t *diag)
{
    int rc = diag->n_faults > 1 ? asprintf(&shared->fault, "%s (and %zu more)", pb_diag_first(diag),
                                           diag->n_faults - 1)
                                : asprintf(&shared->fault, "%s", pb_diag_first(diag));
    if (rc < 0) {
        shared->fault = NULL;
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

/** Makes the object of an empty slot. */
static int fill(coll_pipebcast_shared_t **slot, opal_class_t *class_of,
                coll_pipebcast_shared_read_fn_t *read)
{
    coll_pipebcast_shared_t *shared = (coll_pipebcast_shared_t *) opal_obj_new(class_of);
    if (shared == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = read(shared);
    if (rc != OMPI_SUCCESS) {
        OBJ_RELEASE(shared);
        return rc;
    }
    *slot = shared;
    return OMPI_SUCCESS;
}

coll_pipebcast_shared_t *coll_pipebcast_shared_get(coll_pipebcast_shared_t **slot,
                                                   opal_class_t *class_of,
                                                   coll_pipebcast_shared_read_fn_t *read,
                                                   int *error_p)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    coll_pipebcast_shared_t *shared = NULL;
    opal_mutex_lock(lock);
    *error_p = *slot == NULL ? fill(slot, class_of, read) : OMPI_SUCCESS;
    if (*error_p == OMPI_SUCCESS) {
        shared = *slot;
        OBJ_RETAIN(shared);
    }
    opal_mutex_unlock(lock);
    return shared;
}
