/*
 * The parts of the component.
 */
#ifndef COLL_PIPEBCAST_COMPONENT_H
#define COLL_PIPEBCAST_COMPONENT_H

#include "base/compat.h"

/**
 * Returns whether this plugin fits the Open MPI that loads it: shared structures have the sizes of
 * the build's headers. The interface's version says less: a module of 5.0.10 has one member more
 * than one of 5.0.9. If not, one process of each host reports it.
 */
bool coll_pipebcast_fits(void);

/**
 * Loads the basic components that a list such as "pipebcast,tuned" leaves out, so that every
 * operation of a communicator is served. Called from our open. Who fails to load reports it itself.
 */
void coll_pipebcast_autoload(void);

/** Returns a new module for a communicator, which Open MPI owns, and sets *priority to the
 * parameter of that name. NULL: the communicator is not to be ours, or out of memory, which ends
 * the job. */
mca_coll_base_module_t *coll_pipebcast_comm_query(struct ompi_communicator_t *comm, int *priority);

#endif
