/* Ranks that share a host. */
#ifndef BENCH_HOSTS_H
#define BENCH_HOSTS_H

#include <mpi.h>

/**
 * Counts the hosts of a communicator: ranks on one host share memory, as MPI knows. Finds the
 * lowest rank that is not on rank 0's host (rank 1 if there is none). Collective, equal on all
 * ranks.
 */
void bench_hosts_find(MPI_Comm comm, int *n_hosts_p, int *first_elsewhere_p);

#endif
