/*
 * The connections of a communicator's ranks: to how many others each of them may talk directly.
 *
 * Every neighbour that a rank has in any plan costs a connection, over TCP a descriptor at both
 * ends, and it stays open. What the plans of ever new roots may add is bounded.
 */
#ifndef COLL_PIPEBCAST_CONNECTIONS_H
#define COLL_PIPEBCAST_CONNECTIONS_H

#include "communicator/module.h"

/**
 * Whether a rank may talk directly to every other one of its communicator, alike on all ranks once
 * they have agreed; not to be asked before.
 */
static inline bool coll_pipebcast_may_reach_all(const coll_pipebcast_module_t *module)
{
    return module->connections == 0 || ompi_comm_size(module->comm) - 1 <= module->connections;
}

#endif
