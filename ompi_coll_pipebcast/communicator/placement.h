/*
 * Which host each rank of a communicator sits on, by the names that their processes publish
 * (communicator/record.h), so that all ranks come to the same without communication.
 */
#ifndef COLL_PIPEBCAST_PLACEMENT_H
#define COLL_PIPEBCAST_PLACEMENT_H

#include <stdbool.h>

#include "communicator/module.h"

/**
 * Finds the host of every rank of the module's communicator, whose ranks are alike, and sets
 * module->placement (and, where no topology was given, module->topology), and module->n_alike.
 * OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_place(coll_pipebcast_module_t *module);

/**
 * Whether all ranks of the communicator are of this process's job, which has twice as many or more:
 * there may be other communicators like it. Alike on all its ranks. O(ranks).
 */
bool coll_pipebcast_is_small_part_of_job(struct ompi_communicator_t *comm);

/**
 * The name of this process's host, to be freed: that of the parameter `hosts`, or the launcher's.
 * NULL with `why` for people if it is not known.
 */
char *coll_pipebcast_own_host(char *why, size_t why_size);

#endif
