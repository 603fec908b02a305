/*
 * Locality: the levels inside hosts, as levels of the network.
 *
 * A host's ranks sit in packages, these have NUMA nodes and caches, and a message costs less the
 * nearer two ranks are. So the ranks of a host are grouped as switches group hosts, and the groups
 * become nodes of the network below the host. A view then has a vertex for each. A plan enters and
 * leaves a package as it does a host. All streams together carry the whole message at most once
 * each way (ours; the papers have one rank on a host).
 *
 * A place is given by numbers alone, the outermost level first. Each is the index of the package,
 * NUMA node or cache among those of its kind on the host. The levels need not be known here, nor be
 * the same on all hosts.
 */
#ifndef PB_LOCALITY_H
#define PB_LOCALITY_H

#include <stdint.h>

#include "topo/network/placement.h"

/** Levels inside a host that a place can have. */
#define PB_LOCALITY_LEVELS 4

/** The largest index that a place can have. */
#define PB_LOCALITY_MAX_INDEX 65534

/**
 * Where a rank sits in its host: 16 bits for each level, the outermost highest,
 * holding the index and one; 0 ends the levels. So 0 is a rank that may be anywhere
 * on its host. Ranks send it to each other as it is.
 */
typedef uint64_t pb_locality_t;

#define PB_LOCALITY_ANYWHERE UINT64_C(0)

/**
 * The place with one more level inside it. A place that is full, and one below an
 * index that is too large, is returned unchanged: the levels that it has still hold.
 */
pb_locality_t pb_locality_enter(pb_locality_t place, unsigned index);

/** The index at a level, from 0; -1 if the place does not have that level. */
int pb_locality_index(pb_locality_t place, int level);

/**
 * The same placement with its hosts' levels. `places`, by rank, has its place in its host.
 * *network_p is a copy of those nodes of the placement's network that ranks are on, or below.
 * Clusters have thousands of others. A group of ranks
 * of a host that have an index in common gets a node below the host, or below another such node. It
 * has at least two ranks, and not all. All other ranks stay at the node above. The uplink of a
 * place has the speed of its host's, so that to plans one message fits each way.
 *
 * *network_p and *located_p are the caller's, the former to be freed last. Both are NULL where no
 * ranks are in such groups, and after an error. PB_ERR_NO_MEMORY. PB_ERR_INPUT if there would be
 * too many nodes, or if a host has the name of a place ("n0/1": the second group of host n0).
 * O(nodes + ranks * log ranks).
 */
int pb_locality_expand(const pb_placement_t *placement, const pb_locality_t *places,
                       pb_network_t **network_p, pb_placement_t **located_p);

#endif
