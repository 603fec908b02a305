/* pipebcast-tune --discover: finds the topology by contention and writes it. */
#ifndef TUNE_DISCOVERY_H
#define TUNE_DISCOVERY_H

#include <mpi.h>

#include "options.h"

/**
 * Finds the topology of the communicator's hosts and writes it to options->discover. Collective.
 * The program ends as failed, with messages, if that cannot be.
 */
void tune_discover(const struct tune_options *options, MPI_Comm comm);

#endif
