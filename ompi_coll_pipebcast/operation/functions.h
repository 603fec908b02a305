/*
 * MPI_Bcast, MPI_Ibcast and MPI_Bcast_init (MPIX_Bcast_init in 4.1), as Open MPI has them.
 */
#ifndef COLL_PIPEBCAST_FUNCTIONS_H
#define COLL_PIPEBCAST_FUNCTIONS_H

#include "base/compat.h"

int coll_pipebcast_bcast(void *buffer, coll_pipebcast_count_t count,
                         struct ompi_datatype_t *datatype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *module);

int coll_pipebcast_ibcast(void *buffer, coll_pipebcast_count_t count,
                          struct ompi_datatype_t *datatype, int root,
                          struct ompi_communicator_t *comm, ompi_request_t **request_p,
                          mca_coll_base_module_t *module);

int coll_pipebcast_bcast_init(void *buffer, coll_pipebcast_count_t count,
                              struct ompi_datatype_t *datatype, int root,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **request_p, mca_coll_base_module_t *module);

#endif
