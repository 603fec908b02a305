/*
 * MPI_Bcast, as Open MPI has it.
 */
#ifndef COLL_PIPEBCAST_BCAST_H
#define COLL_PIPEBCAST_BCAST_H

#include "base/compat.h"

int coll_pipebcast_bcast(void *buffer, coll_pipebcast_count_t count,
                         struct ompi_datatype_t *datatype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *module);

#endif
