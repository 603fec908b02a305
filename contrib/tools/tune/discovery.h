/* pipebcast-tune --discover: finds the topology by contention and writes it. */
#ifndef TUNE_DISCOVERY_H
#define TUNE_DISCOVERY_H

#include <mpi.h>
#include <stdbool.h>

#include "options.h"

/**
 * Finds the topology of the communicator's hosts and writes it to options->discover. Collective.
 * False on all ranks, with messages, if that failed.
 */
bool tune_discover(const struct tune_options *options, MPI_Comm comm);

#endif
