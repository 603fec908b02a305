/* The topology file that an option names. */
#ifndef COMMON_TOPOLOGY_H
#define COMMON_TOPOLOGY_H

#include <stdbool.h>

#include "topo/network/topology.h"

/** For the help of --topology-name. */
#define COMMON_TOPOLOGY_MISSING "of the job's Slurm partition, or the cluster's default"

/**
 * Which topology of a file is meant: the one called `name`; NULL or "": that of the partition of
 * the Slurm job that this is run in, or else the file's default one.
 */
pb_topology_request_t common_topology_request(const char *name);

/**
 * The network of the file of --topology, which the caller frees; *is_flat_p: it names no hosts.
 * NULL with messages if nothing of the file can be used, or out of memory. Warnings are reported.
 */
pb_network_t *common_topology_read(const char *path, const char *name, bool *is_flat_p);

#endif
