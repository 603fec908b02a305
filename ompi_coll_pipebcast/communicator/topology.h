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
    uint64_t addresses;    /**< the hash of those that it was made of; 0: not of such */
    int *at;  /**< by rank of MPI_COMM_WORLD: its host in the network; -1: it has none. NULL: not
                   known, or not looked for yet */
    int n_at; /**< ranks; 0: likewise */
    bool is_at_known; /**< they were looked for */
} coll_pipebcast_topology_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_topology_t);

/**
 * The topology that the parameters name, retained for the caller: from the
 * file, which is read once, or from the inline text. NULL if no
 * topology is named, or out of memory (see *error_p).
 */
coll_pipebcast_topology_t *coll_pipebcast_topology_get(int *error_p);

/**
 * The topology where the parameters name none, retained for the caller: that of the addresses which
 * Slurm gave the ranks, or, where it gave none or they make no tree, which the communicator's rank
 * 0 reports, one switch. `hosts` are the hosts' names by rank. It is made anew only for other
 * addresses or hosts than those of the communicator before. NULL if out of memory. No
 * communication, as every process has what the others have published; O(ranks), and O(ranks log
 * ranks) where it is made.
 */
coll_pipebcast_topology_t *coll_pipebcast_topology_of_job(struct ompi_communicator_t *comm,
                                                          const char *const *hosts);

/** A topology of `n_hosts` hosts on one switch, as `flat` has it, or NULL if out of memory. */
coll_pipebcast_topology_t *coll_pipebcast_topology_one_switch(const coll_pipebcast_topology_t *flat,
                                                              const char *const *hosts,
                                                              int n_hosts);

#endif
