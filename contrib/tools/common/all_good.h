/* Failures that all ranks learn of. */
#ifndef COMMON_ALL_GOOD_H
#define COMMON_ALL_GOOD_H

#include <mpi.h>
#include <stdbool.h>

/** MPI_Init(). From here on common_end() ends the whole job. */
void common_init(int *argc_p, char ***argv_p);

/** Tells whether `good` is true on all ranks. Collective. */
bool common_all_good(bool good, MPI_Comm comm);

/** Ends the program as failed on all ranks unless `good` is true on all of them; those where it is
 * not have reported why. Collective. */
void common_require(bool good, MPI_Comm comm);

#endif
