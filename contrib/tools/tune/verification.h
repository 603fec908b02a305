/* pipebcast-tune --verify: measures whether a topology file is true. */
#ifndef TUNE_VERIFICATION_H
#define TUNE_VERIFICATION_H

#include <mpi.h>

#include "options.h"

/**
 * Verifies options->topology between the communicator's hosts, and prints each contradiction.
 * Collective. The program ends as failed if there are any, or, with messages, if it cannot.
 */
void tune_verify(const struct tune_options *options, MPI_Comm comm);

#endif
