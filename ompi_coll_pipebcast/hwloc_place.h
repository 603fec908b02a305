/*
 * Where a process sits inside its machine, by hwloc. The only file pair that knows
 * hwloc; it knows no MPI.
 */
#ifndef PB_HWLOC_PLACE_H
#define PB_HWLOC_PLACE_H

#include <hwloc.h>
#include <stddef.h>

#include "topo/locality.h"

/**
 * The place of a process that may run on the processors of `cpuset`: the package, NUMA
 * node and caches of the topology that hold all of these, the largest first, but not what
 * holds the same processors as another before it, or no more than one core. So
 * PB_LOCALITY_ANYWHERE where `cpuset` is empty or in no part of the machine.
 * O(objects of these kinds).
 */
pb_locality_t pb_hwloc_place(hwloc_topology_t topology, hwloc_const_cpuset_t cpuset);

/**
 * Loads the topology of this machine: packages, NUMA nodes, caches, cores and processors,
 * also of what this process may not use. As hwloc does, another machine's recorded one if the environment's
 * HWLOC_XMLFILE names it. NULL with the reason in `why`. To be freed by
 * hwloc_topology_destroy().
 */
hwloc_topology_t pb_hwloc_load(char *why, size_t why_size);

/**
 * The place of this process by what it is bound to now; a process that is bound
 * to nothing smaller than its machine is PB_LOCALITY_ANYWHERE.
 */
pb_locality_t pb_hwloc_own_place(hwloc_topology_t topology);

#endif
