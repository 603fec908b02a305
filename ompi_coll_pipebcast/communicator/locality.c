#include "communicator/locality.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/hwloc_place.h"

/** The processor that the parameter `processors` gives to this process; -1: none. */
static int pretended_processor(void)
{
    const char *list = coll_pipebcast_params.processors;
    if (list == NULL || list[0] == '\0') {
        return -1;
    }
    char **numbers = opal_argv_split(list, ',');
    const int n = opal_argv_count(numbers);
    const char *number = n > 0 ? numbers[OPAL_PROC_MY_NAME.vpid % (uint32_t) n] : "";
    char *end;
    const long value = strtol(number, &end, 10);
    const bool good = end != number && *end == '\0' && value >= 0 && value <= INT_MAX;
    if (!good) {
        coll_pipebcast_help_each(PB_HELP_PROCESSORS, list);
    }
    opal_argv_free(numbers);
    return good ? (int) value : -1;
}

/** Where the processor of the parameter sits, or this process by what it is bound to now. */
static pb_locality_t place_in(hwloc_topology_t topology)
{
    const int processor = pretended_processor();
    pb_locality_t place = PB_LOCALITY_ANYWHERE;
    hwloc_bitmap_t cpuset = hwloc_bitmap_alloc();
    if (cpuset != NULL && processor >= 0) {
        hwloc_bitmap_only(cpuset, (unsigned) processor);
    }
    if (cpuset != NULL &&
        (processor >= 0 || hwloc_get_cpubind(topology, cpuset, HWLOC_CPUBIND_PROCESS) == 0)) {
        place = pb_hwloc_place(topology, cpuset);
    }
    hwloc_bitmap_free(cpuset);
    return place;
}

pb_locality_t coll_pipebcast_locality_find(void)
{
    char why[256];
    hwloc_topology_t topology = pb_hwloc_load(why, sizeof(why));
    if (topology == NULL) {
        coll_pipebcast_log(1,
                           "hwloc does not report the packages, NUMA nodes and caches of this host "
                           "(%s); its ranks are taken to be equally near to each other",
                           why);
        return PB_LOCALITY_ANYWHERE;
    }
    const pb_locality_t place = place_in(topology);
    hwloc_topology_destroy(topology);
    return place;
}
