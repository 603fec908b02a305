/*
 * The network that communicators are placed on, and where it came from.
 */
#ifndef COLL_PIPEBCAST_TOPOLOGY_H
#define COLL_PIPEBCAST_TOPOLOGY_H

#include "communicator/shared.h"
#include "topo/network/network.h"

typedef struct coll_pipebcast_topology {
    coll_pipebcast_shared_t super;
    pb_network_t *network; /**< NULL if the description is faulty or flat */
    bool is_flat;          /**< all hosts are on one switch, but it names none */
} coll_pipebcast_topology_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_topology_t);

/**
 * The topology that the parameters name, retained for the caller: from the
 * file, read again only if it has changed, or from the inline text. NULL if no
 * topology is named, or out of memory (see *error_p).
 */
coll_pipebcast_topology_t *coll_pipebcast_topology_get(int *error_p);

/**
 * A topology of `n_hosts` hosts on one switch, or NULL if out of memory. `flat` is what has it so;
 * NULL: no topology is named.
 */
coll_pipebcast_topology_t *coll_pipebcast_topology_one_switch(const coll_pipebcast_topology_t *flat,
                                                              const char *const *hosts,
                                                              int n_hosts);

#endif
