/*
 * The levels inside hosts: packages, NUMA nodes and caches that ranks of a host share.
 */
#ifndef COLL_PIPEBCAST_LOCALITY_H
#define COLL_PIPEBCAST_LOCALITY_H

#include "communicator/module.h"
#include "topo/network/locality.h"

/** Where this process sits in its host, as it is bound now. */
pb_locality_t coll_pipebcast_locality_find(void);

/** Whether ranks have neighbors on their hosts to whom the parameter lets them be near. */
bool coll_pipebcast_locality_matters(int n_hosts, int n_ranks);

/** Rank 0 reports the levels that were found; rc is pb_locality_expand()'s. */
void coll_pipebcast_locality_report(const coll_pipebcast_module_t *module, int rc);

#endif
