/*
 * Waiting without using the CPU. Where many ranks share a core, one that polls while others are
 * measured takes their time.
 */
#ifndef COMMON_QUIET_H
#define COMMON_QUIET_H

#include <mpi.h>

/** Waits as MPI_Barrier, asleep between polls: half a millisecond at first, four after a while. */
void common_quiet_barrier(MPI_Comm comm);

/** Receives as MPI_Recv, asleep between polls. */
void common_quiet_recv(void *memory, int count, MPI_Datatype type, int source, int tag,
                       MPI_Comm comm);

#endif
