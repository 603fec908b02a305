/*
 * Where a process sits inside its host, by hwloc. The only file pair that knows
 * hwloc; it knows no MPI.
 */
#ifndef PB_HWLOC_PLACE_H
#define PB_HWLOC_PLACE_H

#include <hwloc.h>
#include <stddef.h>

#include "topo/network/locality.h"

/**
 * Returns the locality of a process on the processors of `cpuset`: the packages, NUMA nodes and
 * caches that hold them all, the largest first. An object is skipped if it holds the whole host,
 * the same processors as one before it, or at most one core. The index of an object is its lowest
 * processor's number, which no other of its size has. PB_LOCALITY_ANYWHERE where there are none, or
 * `cpuset` is empty. O(objects of these kinds).
 */
pb_locality_t pb_hwloc_place(hwloc_topology_t topology, hwloc_const_cpuset_t cpuset);

/**
 * Loads this host's topology, or the recorded one that HWLOC_XMLFILE names in the environment. It
 * includes processors that this process may not use, so all processes of the host see the same.
 * NULL with the reason in `why`. hwloc_topology_destroy() frees it.
 */
hwloc_topology_t pb_hwloc_load(char *why, size_t why_size);

#endif
