/*
 * How Open MPI takes pipebcast for a communicator.
 */
#ifndef COLL_PIPEBCAST_SELECTION_H
#define COLL_PIPEBCAST_SELECTION_H

#include "base/compat.h"

/** OMPI_ERR_OUT_OF_RESOURCE; to be closed in any case. */
int coll_pipebcast_selection_open(void);
void coll_pipebcast_selection_close(void);

/** The module for a communicator, as Open MPI asks for it; NULL: it is not to be ours. */
mca_coll_base_module_t *coll_pipebcast_comm_query(struct ompi_communicator_t *comm, int *priority);

#endif
