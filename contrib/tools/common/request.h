/* The command line of an MPI program: rank 0 reads it for all ranks. */
#ifndef COMMON_REQUEST_H
#define COMMON_REQUEST_H

#include <mpi.h>
#include <stddef.h>

#include "options.h"

/**
 * Rank 0 prints the answer that its verdict asks for, and hands the verdict and the options, `size`
 * bytes without pointers, to all ranks, so that every rank goes on, or leaves, in the same way.
 * `verdict` and `message` count on rank 0 alone. Collective. Returns rank 0's verdict.
 */
common_verdict_t common_request_share(const common_command_t *command, common_verdict_t verdict,
                                      const char *message, void *options, size_t size,
                                      MPI_Comm comm);

#endif
