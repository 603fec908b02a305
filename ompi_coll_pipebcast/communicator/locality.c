#include "communicator/locality.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/hwloc_place.h"
#include "communicator/process.h"

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
        coll_pipebcast_warn("the parameter coll_pipebcast_processors is '%s', which must be "
                            "numbers separated by commas. It is not used.",
                            list);
    }
    opal_argv_free(numbers);
    return good ? (int) value : -1;
}

static pb_locality_t place_in(hwloc_topology_t topology)
{
    const int processor = pretended_processor();
    hwloc_bitmap_t cpuset = processor >= 0 ? hwloc_bitmap_alloc() : NULL;
    if (cpuset == NULL) {
        return pb_hwloc_own_place(topology);
    }
    hwloc_bitmap_only(cpuset, (unsigned) processor);
    const pb_locality_t place = pb_hwloc_place(topology, cpuset);
    hwloc_bitmap_free(cpuset);
    return place;
}

static pb_locality_t find_place(void)
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

pb_locality_t coll_pipebcast_locality_own(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    opal_mutex_lock(&process->lock);
    const bool known = process->locality_known;
    pb_locality_t place = process->locality;
    opal_mutex_unlock(&process->lock);
    if (!known) {
        place = find_place();
        opal_mutex_lock(&process->lock);
        process->locality = place;
        process->locality_known = true;
        opal_mutex_unlock(&process->lock);
    }
    return place;
}

/** Whether no other rank is on this rank's host. */
static bool is_alone(const coll_pipebcast_module_t *module)
{
    const pb_placement_t *placement = module->placement;
    const int own = placement->host[ompi_comm_rank(module->comm)];
    int n_here = 0;
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        n_here += placement->host[rank] == own;
    }
    return n_here == 1;
}

static bool init_gather(coll_pipebcast_locality_t *locality, pb_locality_t own)
{
    struct ompi_communicator_t *comm = locality->module->comm;
    return pb_gather_init(&locality->gather, &locality->transport, ompi_comm_rank(comm),
                          ompi_comm_size(comm), own);
}

bool coll_pipebcast_locality_matters(int n_hosts, int n_ranks)
{
    return coll_pipebcast_params.locality != COLL_PIPEBCAST_LOCALITY_HOST && n_hosts > 1 &&
           n_hosts < n_ranks;
}

int coll_pipebcast_locality_init(coll_pipebcast_locality_t *locality,
                                 coll_pipebcast_module_t *module, int n_hosts, int tag)
{
    struct ompi_communicator_t *comm = module->comm;
    *locality = (coll_pipebcast_locality_t){
        .module = module, .transport = {.comm = comm, .tag = tag}, .all_are_placed = true};
    if (!coll_pipebcast_locality_matters(n_hosts, module->placement->n_ranks)) {
        return OMPI_SUCCESS;
    }
    const pb_locality_t own =
        is_alone(module) ? PB_LOCALITY_ANYWHERE : coll_pipebcast_locality_own();
    locality->gathers = init_gather(locality, own);
    return locality->gathers ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

void coll_pipebcast_locality_fini(coll_pipebcast_locality_t *locality)
{
    pb_gather_fini(&locality->gather);
    locality->gathers = false;
}

/** Makes the module's placement one with levels. A PB_ code. */
static int locate(coll_pipebcast_module_t *module, const pb_gather_t *gather)
{
    const int n_ranks = module->placement->n_ranks;
    pb_network_t *levels;
    pb_placement_t *located;
    pb_locality_t *places = malloc((size_t) n_ranks * sizeof(*places));
    if (places == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        places[rank] = pb_gather_number(gather, rank);
    }
    const int rc = pb_locality_expand(module->placement, places, &levels, &located);
    free(places);
    if (located != NULL) {
        pb_placement_free(module->placement);
        module->placement = located;
        module->levels = levels;
    }
    return rc;
}

void coll_pipebcast_locality_report(const coll_pipebcast_module_t *module, int rc)
{
    if (rc == PB_ERR_NO_MEMORY) {
        coll_pipebcast_warn("communicator %s: out of memory on this host. The fallback component "
                            "serves this communicator's broadcasts.",
                            module->comm->c_name);
    } else if (rc == PB_ERR_INPUT && ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_warn("communicator %s: the levels inside hosts are left out, as the "
                            "network would have too many nodes, or a host has the name n0/1 "
                            "while another is n0. Rename it in the topology, or set "
                            "coll_pipebcast_locality to host.",
                            module->comm->c_name);
    } else if (ompi_comm_rank(module->comm) == 0) {
        const int n_places = module->levels != NULL ? pb_network_n_places(module->levels) : 0;
        coll_pipebcast_log(1, "communicator %s: %d %s packages, NUMA nodes or caches",
                           module->comm->c_name, n_places,
                           n_places == 1 ? "group of ranks shares" : "groups of ranks share");
    }
}

/** The places are there: this rank uses them, and reports to the others whether it could. */
static void use_places(coll_pipebcast_locality_t *locality)
{
    const int rc = locate(locality->module, &locality->gather);
    coll_pipebcast_locality_report(locality->module, rc);
    locality->answers = true;
    pb_gather_again(&locality->gather, rc != PB_ERR_NO_MEMORY);
}

static bool all_are_placed(const pb_gather_t *gather)
{
    for (int rank = 0; rank < gather->n_ranks; rank++) {
        if (pb_gather_number(gather, rank) == 0) {
            return false;
        }
    }
    return true;
}

bool coll_pipebcast_locality_advance(coll_pipebcast_locality_t *locality, int *error_p)
{
    *error_p = OMPI_SUCCESS;
    if (!locality->gathers) {
        return true;
    }
    if (!pb_gather_advance(&locality->gather, error_p)) {
        return false;
    }
    if (*error_p == OMPI_SUCCESS && !locality->answers) {
        use_places(locality);
        return coll_pipebcast_locality_advance(locality, error_p);
    }
    locality->all_are_placed = *error_p == OMPI_SUCCESS && all_are_placed(&locality->gather);
    coll_pipebcast_locality_fini(locality);
    return true;
}
