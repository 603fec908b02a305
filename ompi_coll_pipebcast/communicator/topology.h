/*
 * The network that communicators are placed on, and where it came from.
 */
#ifndef COLL_PIPEBCAST_TOPOLOGY_H
#define COLL_PIPEBCAST_TOPOLOGY_H

#include "communicator/shared.h"
#include "topo/network/network.h"
#include "topo/network/topology.h"

typedef struct coll_pipebcast_topology {
    coll_pipebcast_shared_t super;
    pb_network_t *network;   /**< NULL if nothing of the description can be used */
    int multicast;           /**< what it allows, a value of the parameter `multicast` */
    uint64_t digest;         /**< of both */
    pb_topology_seen_t seen; /**< the files that it was read from; n is 0: from none */
    uint64_t addresses;      /**< the hash of those that it was made of; 0: not of such */
} coll_pipebcast_topology_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_topology_t);

/**
 * The topology that the parameters name, retained for the caller, as the process has read it first:
 * from the file, or from the inline text. NULL if no topology is named, or out of memory (see
 * *error_p).
 */
coll_pipebcast_topology_t *coll_pipebcast_topology_get(int *error_p);

/**
 * The same for a new communicator: as the files are now, which are read again only if one's
 * device, inode, size or time differs. A file that is invalid or gone leaves what was read before.
 * NULL as above.
 */
coll_pipebcast_topology_t *coll_pipebcast_topology_now(void);

/** The digest of a topology that the parameters name; 0: they name none (NULL). */
uint64_t coll_pipebcast_topology_digest(const coll_pipebcast_topology_t *named);

/**
 * The topology of the ranks, retained for the caller: `named` (NULL: the parameters name none) with
 * the hosts that it does not name, where their addresses or the topology have them
 * (topo/network/addresses.h); one switch where neither tells anything. Rank 0 of the communicator
 * reports what was not understood. `hosts` are the hosts' names by rank. It is made anew only for
 * other addresses or hosts than those of the communicator before. NULL if out of memory. No
 * communication, as every process has what the others have published; O(ranks), and O(ranks log
 * ranks + nodes) where it is made.
 */
coll_pipebcast_topology_t *coll_pipebcast_topology_of_job(struct ompi_communicator_t *comm,
                                                          const coll_pipebcast_topology_t *named,
                                                          const char *const *hosts);

#endif
