/* Hosts whose processors had other work. */
#ifndef TUNE_BUSY_H
#define TUNE_BUSY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * Names the hosts whose load, averaged over a minute, exceeds their processors, the busiest first,
 * at rank 0: "n3 (load 9.2 on 4 processors)". Empty: none. Collective.
 */
void tune_busy_find(MPI_Comm comm, char *text, size_t size);

#endif
