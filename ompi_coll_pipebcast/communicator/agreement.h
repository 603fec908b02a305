/*
 * Agreement of a communicator's ranks, at its first broadcast of any kind and size, whether
 * pipebcast serves it. Each rank finds the answer alone, from the records of all processes
 * (communicator/record.h), so all conclude the same, and no message is sent. Where records are
 * missing or differ, and where ranks are of several jobs, the fallback component serves.
 */
#ifndef COLL_PIPEBCAST_AGREEMENT_H
#define COLL_PIPEBCAST_AGREEMENT_H

#include "communicator/module.h"

/**
 * Sets module->state, which is UNDECIDED, to SERVING or PASSING, alike on all ranks; rank 0
 * reports why the fallback component serves. To be called again for a communicator that is served
 * and has become a local group: it is PASSING then. With the module's lock held. A rank that is out
 * of memory serves with an error in module->agreed: it is lost (communicator/lost.h), and the
 * others go on. O(ranks) at the first call.
 */
void coll_pipebcast_agree(coll_pipebcast_module_t *module);

#endif
