/*
 * Error codes: those of topo/ and the engine (topo/util/error.h) become Open MPI's where they leave
 * the plugin.
 */
#ifndef COLL_PIPEBCAST_ERROR_H
#define COLL_PIPEBCAST_ERROR_H

#include "base/compat.h"
#include "topo/util/error.h"

/** The code of Open MPI for one of ours; codes of Open MPI and MPI stay what they are. */
static inline int coll_pipebcast_error(int error)
{
    if (error >= PB_ERR_BASE) {
        return error;
    }
    /* With PB_ERR_EMPTY, too: a rank nearer to the root has failed, and reported why. */
    return error == PB_ERR_NO_MEMORY ? OMPI_ERR_OUT_OF_RESOURCE : MPI_ERR_OTHER;
}

#endif
