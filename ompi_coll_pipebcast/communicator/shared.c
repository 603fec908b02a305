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
    memset(&shared->file, 0, sizeof(shared->file));
}

static void shared_destruct(coll_pipebcast_shared_t *shared)
{
    free(shared->source);
    free(shared->fault);
}

OBJ_CLASS_INSTANCE(coll_pipebcast_shared_t, opal_object_t, shared_construct, shared_destruct);

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

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

/** A new object replaces the one in *slot. */
static int replace(coll_pipebcast_shared_t **slot, opal_class_t *class_of, const struct stat *file,
                   coll_pipebcast_shared_read_fn_t *read)
{
    coll_pipebcast_shared_t *shared = (coll_pipebcast_shared_t *) opal_obj_new(class_of);
    if (shared == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    int rc = read(shared);
    if (rc != OMPI_SUCCESS) {
        OBJ_RELEASE(shared);
        return rc;
    }
    shared->file = *file;
    if (*slot != NULL) {
        OBJ_RELEASE(*slot);
    }
    *slot = shared;
    return OMPI_SUCCESS;
}

coll_pipebcast_shared_t *coll_pipebcast_shared_get(coll_pipebcast_shared_t **slot,
                                                   opal_class_t *class_of, const char *path,
                                                   coll_pipebcast_shared_read_fn_t *read,
                                                   int *error_p)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    coll_pipebcast_shared_t *shared = NULL;
    struct stat file;
    memset(&file, 0, sizeof(file));
    if (coll_pipebcast_is_set(path) && stat(path, &file) != 0) {
        memset(&file, 0, sizeof(file)); /* the reader reports what is wrong */
    }
    *error_p = OMPI_SUCCESS;
    opal_mutex_lock(lock);
    if (*slot == NULL || !same_file(&(*slot)->file, &file)) {
        *error_p = replace(slot, class_of, &file, read);
    }
    if (*error_p == OMPI_SUCCESS) {
        shared = *slot;
        OBJ_RETAIN(shared);
    }
    opal_mutex_unlock(lock);
    return shared;
}
