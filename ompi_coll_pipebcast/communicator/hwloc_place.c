#include "communicator/hwloc_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/** The kinds of objects that are levels. Those of one size may be of any of them. */
static const hwloc_obj_type_t kinds[] = {
    HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L5CACHE,
    HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,  HWLOC_OBJ_L2CACHE,
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/** The object of a kind that holds the whole cpuset, or NULL. */
static hwloc_obj_t holder(hwloc_topology_t topology, hwloc_const_cpuset_t cpuset,
                          hwloc_obj_type_t kind)
{
    hwloc_obj_t object = NULL;
    while ((object = hwloc_get_next_obj_by_type(topology, kind, object)) != NULL) {
        if (object->cpuset != NULL && hwloc_bitmap_isincluded(cpuset, object->cpuset)) {
            return object;
        }
    }
    return NULL;
}

/** Returns whether an object divides the host, and has cores that ranks can share. */
static bool is_level(hwloc_topology_t topology, hwloc_obj_t object)
{
    hwloc_obj_t host = hwloc_get_root_obj(topology);
    return !hwloc_bitmap_isequal(object->cpuset, host->cpuset) &&
           hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_CORE) > 1;
}

/** Inserts the set into those found, of falling size; all hold one cpuset, so they are nested. */
static int insert(hwloc_const_cpuset_t *levels, int n, hwloc_const_cpuset_t set)
{
    int at = n;
    while (at > 0 && hwloc_bitmap_isincluded(levels[at - 1], set)) {
        at--;
        if (hwloc_bitmap_isequal(levels[at], set)) {
            return n;
        }
    }
    memmove(&levels[at + 1], &levels[at], (size_t) (n - at) * sizeof(*levels));
    levels[at] = set;
    return n + 1;
}

pb_locality_t pb_hwloc_place(hwloc_topology_t topology, hwloc_const_cpuset_t cpuset)
{
    hwloc_const_cpuset_t levels[N_KINDS];
    int n = 0;
    for (int kind = 0; kind < N_KINDS && !hwloc_bitmap_iszero(cpuset); kind++) {
        hwloc_obj_t object = holder(topology, cpuset, kinds[kind]);
        if (object != NULL && is_level(topology, object)) {
            n = insert(levels, n, object->cpuset);
        }
    }
    pb_locality_t place = PB_LOCALITY_ANYWHERE;
    for (int i = 0; i < n; i++) {
        place = pb_locality_enter(place, (unsigned) hwloc_bitmap_first(levels[i]));
    }
    return place;
}

/**
 * Leaves out what places do not need, as devices take long to find. Without groups hwloc
 * would not tell which processors a NUMA node has that is neither a package nor a cache.
 */
static int choose_kinds(hwloc_topology_t topology)
{
    int rc = hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (int kind = 0; kind < N_KINDS && rc == 0; kind++) {
        /* NUMA nodes are always kept, and refuse to be asked for. */
        if (kinds[kind] != HWLOC_OBJ_NUMANODE) {
            rc = hwloc_topology_set_type_filter(topology, kinds[kind], HWLOC_TYPE_FILTER_KEEP_ALL);
        }
    }
    if (rc == 0) {
        rc = hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    }
    return rc != 0 ? rc
                   : hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP,
                                                    HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
}

hwloc_topology_t pb_hwloc_load(char *why, size_t why_size)
{
    hwloc_topology_t topology = NULL;
    errno = 0;
    if (hwloc_topology_init(&topology) == 0 && choose_kinds(topology) == 0 &&
        hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
        hwloc_topology_load(topology) == 0) {
        return topology;
    }
    snprintf(why, why_size, "%s", errno != 0 ? strerror(errno) : "hwloc does not say why");
    if (topology != NULL) {
        hwloc_topology_destroy(topology);
    }
    return NULL;
}
