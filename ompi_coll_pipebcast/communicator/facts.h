/*
 * What this process is in all that the ranks of a communicator must be alike in, found out as soon
 * as Open MPI knows over what messages will go, and published with its record
 * (communicator/presence.h) before MPI_Init exchanges them.
 */
#ifndef COLL_PIPEBCAST_FACTS_H
#define COLL_PIPEBCAST_FACTS_H

#include "topo/network/facts.h"

/**
 * Finds out the facts of this process (coll_pipebcast_process.facts, and .medium) and publishes
 * them. Reads the topology and the model that the parameters name, and what earlier jobs have
 * learnt, which stay as they are then.
 * What cannot be known without another rank leaves the digest 0: the ranks agree by messages. So it
 * does after an error, which is logged. Called once, by one thread.
 */
void coll_pipebcast_facts_publish(void);

#endif
