/* The medium of the messages that are measured. */
#ifndef TUNE_MEDIUM_H
#define TUNE_MEDIUM_H

#include <mpi.h>
#include <stdbool.h>

#include "topo/model/medium.h"

/**
 * The transport of two ranks to other hosts (coll_pipebcast_route_elsewhere()), as the first has
 * it; its rate and MTU are the lower ones of both ranks. Equal on all ranks. Collective.
 */
void tune_medium_find(bool on_one_host, MPI_Comm comm, const int pair[2], pb_medium_t *medium_p);

#endif
