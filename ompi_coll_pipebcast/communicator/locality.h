/*
 * The levels inside hosts: packages, NUMA nodes and caches that ranks of a host share.
 */
#ifndef COLL_PIPEBCAST_LOCALITY_H
#define COLL_PIPEBCAST_LOCALITY_H

#include "topo/network/locality.h"

/** Where this process sits in its host, as it is bound now. */
pb_locality_t coll_pipebcast_locality_find(void);

#endif
