/* Failures that all ranks learn of. */
#ifndef COMMON_ALL_GOOD_H
#define COMMON_ALL_GOOD_H

#include <mpi.h>
#include <stdbool.h>

/** Tells whether `good` is true on all ranks. Collective. */
bool common_all_good(bool good, MPI_Comm comm);

#endif
