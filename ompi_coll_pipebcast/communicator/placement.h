/*
 * Which host each rank of a communicator sits on. Host names come from the
 * job's own PMIx data, which every process has, so nothing is communicated.
 */
#ifndef COLL_PIPEBCAST_PLACEMENT_H
#define COLL_PIPEBCAST_PLACEMENT_H

#include <stdbool.h>

#include "communicator/module.h"

/**
 * Finds the host of every rank of the module's communicator, without
 * communication, and sets module->placement (and, where no topology was given,
 * module->topology), and module->n_alike. On failure `why` explains what is wrong, for people.
 */
int coll_pipebcast_place(coll_pipebcast_module_t *module, char *why, size_t why_size);

/**
 * Whether all ranks of the communicator are of this process's job, which has twice as many or more:
 * there may be other communicators like it. Alike on all its ranks. O(ranks).
 */
bool coll_pipebcast_is_small_part_of_job(struct ompi_communicator_t *comm);

/**
 * The name of this process's host, as coll_pipebcast_place() has it, to be freed; NULL if it is not
 * known, or out of memory.
 */
char *coll_pipebcast_own_host(void);

#endif
