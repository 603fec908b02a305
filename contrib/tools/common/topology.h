/* The topology file that an option names. */
#ifndef COMMON_TOPOLOGY_H
#define COMMON_TOPOLOGY_H

#include <stdbool.h>

#include "options.h"
#include "topo/network/topology.h"

/** The row of --topology-name, with a member of a type of option that holds a text. */
#define COMMON_TOPOLOGY_NAME_ROW(type, member)                                                     \
    {                                                                                              \
        "topology-name", type, member,                                                             \
            .least = 1, .argument = "NAME",                                                        \
            .missing = "the one of the job's Slurm partition, or the cluster's default",           \
            .help = "which topology of a topology.yaml, as coll_pipebcast_topology_name"           \
    }

/** The row of --topology, which is `without` where it is not given. */
#define COMMON_TOPOLOGY_ROW(file, without)                                                         \
    {                                                                                              \
        "topology", COMMON_TEXT, file, .least = 1, .argument = "FILE", .missing = without,         \
                                       .help = "the switches, as coll_pipebcast_topology_file"     \
    }

/** Selects a topology of a file by `name`. NULL or "": the topology of the Slurm job's partition,
 * or else the file's default one. */
pb_topology_request_t common_topology_request(const char *name);

/**
 * The network of the file of --topology, which the caller frees; *is_flat_p: it names no hosts.
 * NULL if nothing of the file can be used, or out of memory. `reports` prints its errors and
 * warnings.
 */
pb_network_t *common_topology_read(const char *path, const char *name, bool reports,
                                   bool *is_flat_p);

/** A network with the hosts that this one lacks, below its switch of all others, or the top. The
 * caller frees it. NULL if it lacks none, or not all can be added. */
pb_network_t *common_topology_joined(const pb_network_t *network, char *const *hosts, int n,
                                     pb_diag_t *warnings);

/** The same in place of the network, which is freed; perhaps the network itself. */
pb_network_t *common_topology_join(pb_network_t *network, char *const *hosts, int n,
                                   pb_diag_t *warnings);

/** The names of a hostlist, n[0-3], one at least, and how many. NULL with a reason if it is
 * invalid. common_hosts_free() frees them. */
char **common_hostlist(const char *list, int *n_p, char *why, size_t why_size);
void common_hosts_free(char **hosts, int n);

#endif
