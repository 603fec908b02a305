/*
 * Which host each rank of a communicator sits on, and where in it, by what their processes publish
 * (communicator/record.h), so that all ranks come to the same without communication.
 */
#ifndef COLL_PIPEBCAST_PLACEMENT_H
#define COLL_PIPEBCAST_PLACEMENT_H

#include <stdbool.h>

#include "communicator/ranks.h"

/**
 * Sets the topology, placement, levels and numbers of `ranks`, which are those of the communicator,
 * alike, and not on one host. Rank 0 reports what it has found. `named`: the topology that the
 * parameters name, or NULL. OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_place(struct ompi_communicator_t *comm, coll_pipebcast_topology_t *named,
                         coll_pipebcast_ranks_t *ranks);

/**
 * Whether all ranks of the communicator are of this process's job, which has twice as many or more:
 * there may be other communicators like it. Alike on all its ranks. O(ranks).
 */
bool coll_pipebcast_is_small_part_of_job(struct ompi_communicator_t *comm);

#endif
