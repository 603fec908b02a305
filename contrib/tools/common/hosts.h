/* The hosts of a job, and the network between them. */
#ifndef COMMON_HOSTS_H
#define COMMON_HOSTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "topo/network/placement.h"
#include "topology.h"

/**
 * The name of each rank's host, at rank 0, which frees them (common_hosts_free()); NULL elsewhere.
 * `list`, as n[0-3], stands for the hosts of ranks 0, 1, ... and again from the first; empty: the
 * true ones. Collective. False on all ranks, with a message, if the list is invalid.
 */
bool common_hosts_find(MPI_Comm comm, const char *list, char ***hosts_p);

/** Replaces the names of n ranks' hosts by those of a list, in turn. False, with a reason, if the
 * list is invalid. */
bool common_hosts_replace(char **hosts, int n, const char *list, char *why, size_t why_size);

/** The first rank of each host, ascending, which the caller frees, and their number. O(n log n). */
int *common_hosts_leaders(char *const *hosts, int n, int *n_leaders_p);

/** Places n ranks in a network by their hosts. The caller frees it. NULL, with a message, if the
 * network of the file `topology` lacks one. */
pb_placement_t *common_hosts_place(const pb_network_t *network, char *const *hosts, int n,
                                   const char *topology);

/**
 * The network of a topology file, or all hosts on one switch if `topology` is empty or the file
 * flat. `name` selects one of its topologies (NULL or "": as common_topology_read() does). The
 * caller frees it. NULL if the file is invalid. `reports` prints messages on the file.
 */
pb_network_t *common_hosts_network(char *const *hosts, int n, const char *topology,
                                   const char *name, bool reports);

#endif
