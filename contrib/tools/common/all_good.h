/* Failures that all ranks learn of. */
#ifndef TUNE_ALL_GOOD_H
#define TUNE_ALL_GOOD_H

#include <mpi.h>
#include <stdbool.h>

/** Whether all ranks say true. Collective. */
bool tune_all_good(bool good, MPI_Comm comm);

#endif
