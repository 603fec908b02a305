/* The component of Open MPI that serves MPI_Bcast on a communicator. */
#ifndef COMMON_COMPONENT_H
#define COMMON_COMPONENT_H

#include <mpi.h>
#include <stddef.h>

/**
 * Fills in its name, "tuned". "Open MPI" where the components are parts of its library, so that
 * nothing shows which one it is; empty with another implementation of MPI.
 */
void common_component_of_bcast(MPI_Comm comm, char *name, size_t size);

#endif
