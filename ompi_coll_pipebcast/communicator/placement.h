/*
 * Placement: the host of each rank of a communicator, and the locality inside it. It follows from
 * the processes' records (communicator/record.h), so all ranks find the same without messages.
 */
#ifndef COLL_PIPEBCAST_PLACEMENT_H
#define COLL_PIPEBCAST_PLACEMENT_H

#include <stdbool.h>

#include "communicator/topology.h"
#include "topo/network/placement.h"

/** The ranks of a communicator in their network. */
typedef struct coll_pipebcast_placed {
    coll_pipebcast_topology_t *topology; /**< retained */
    pb_placement_t *placement;           /**< with levels inside hosts, where there are some */
    pb_network_t *levels;                /**< the placement's network then; else NULL */
    int n_hosts;                         /**< with a rank */
    int n_alike; /**< communicators like this one (topo/model/alike.h) that the job has room for */
} coll_pipebcast_placed_t;

/**
 * Places the ranks of a communicator, which are alike, and not on one host. Rank 0 reports what it
 * has found. NULL if out of memory.
 */
coll_pipebcast_placed_t *coll_pipebcast_place(struct ompi_communicator_t *comm);

/** NULL is allowed. */
void coll_pipebcast_placed_free(coll_pipebcast_placed_t *placed);

/** Returns whether a communicator has at most half of the job's ranks: then there may be others
 * like it. Alike on all its ranks. */
bool coll_pipebcast_is_small_part_of_job(struct ompi_communicator_t *comm);

#endif
