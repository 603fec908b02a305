/*
 * The connections of a communicator's ranks: to how many others each of them may talk directly.
 *
 * Every neighbor that a rank has in any plan costs a connection, over TCP a descriptor at both
 * ends, and it stays open. With few descriptors, a job that opened one connection after the other
 * would hang. So each communicator has a budget, the least that any of its ranks has, and its
 * planner (topo/model/planner.h) keeps within it. A communicator in which no rank has more others
 * than that is not bounded at all.
 */
#ifndef COLL_PIPEBCAST_CONNECTIONS_H
#define COLL_PIPEBCAST_CONNECTIONS_H

#include "communicator/module.h"

/**
 * This process's budget for each communicator, at least 2; UINT64_MAX: no bound. The parameter
 * `connections`, or the smaller of 25 % of its limit of descriptors and 50 % of those that are not
 * open.
 */
uint64_t coll_pipebcast_connections_own(void);

/**
 * Returns whether a rank may connect to every other rank of its communicator; alike on all ranks.
 * Valid only once they have agreed.
 */
static inline bool coll_pipebcast_may_reach_all(const coll_pipebcast_module_t *module)
{
    return module->connections == 0 || ompi_comm_size(module->comm) - 1 <= module->connections;
}

/** After a broadcast was planned: rank 0 reports that it begins to use trees whose neighbors
 * repeat.
 */
void coll_pipebcast_connections_note(const coll_pipebcast_module_t *module,
                                     const pb_planned_t *planned);

/**
 * Opens the connection to a rank by an empty message, unless its process was sent one before by any
 * communicator. Only for a rank that is then sent a segment of the same broadcast. The empty
 * message comes before that segment, so nothing is still to come when the rank's broadcast ends
 * (the rule of engine/transfer.h). An error is ignored. With the module's lock held.
 */
void coll_pipebcast_connections_open(coll_pipebcast_module_t *module, int rank);

#endif
