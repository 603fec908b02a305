/*
 * The network that communicators are placed on, and where it came from.
 */
#ifndef COLL_PIPEBCAST_TOPOLOGY_H
#define COLL_PIPEBCAST_TOPOLOGY_H

#include "base/compat.h"
#include "topo/network/addresses.h"
#include "topo/network/network.h"
#include "topo/network/topology.h"

typedef struct coll_pipebcast_topology {
    opal_object_t super;
    char *source;          /**< for people: where it came from */
    char *why;             /**< for people: why there is no network; NULL: there is one */
    pb_network_t *network; /**< NULL if nothing of the description can be used */
    pb_multicast_allowed_t multicast; /**< what it allows */
    uint64_t digest;                  /**< of both */
    uint64_t addresses;               /**< the hash of those that it was made of; 0: not of such */
} coll_pipebcast_topology_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_topology_t);

/**
 * Reads the topology that the parameters name, from the file or from the inline text, into
 * coll_pipebcast_process.topology, which stays NULL if they name none. Called once.
 * OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_topology_read(void);

/**
 * Returns the topology of the ranks, retained for the caller: the one that the parameters name, if
 * they do, and the hosts that it lacks. Their addresses or the topology tell where these are
 * (topo/network/addresses.h); else they are on one switch. Rank 0 of the communicator reports what
 * was not understood. It is made anew only for other `addresses`, by rank, than those of the
 * communicator before. NULL if out of memory. No communication; O(ranks), and O(ranks log ranks +
 * nodes) where it is made.
 */
coll_pipebcast_topology_t *coll_pipebcast_topology_of_job(struct ompi_communicator_t *comm,
                                                          const pb_address_t *addresses);

#endif
