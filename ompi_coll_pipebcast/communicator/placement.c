/*
 * Placement of a communicator's ranks on hosts; see communicator/placement.h.
 */
#include "communicator/placement.h"

#include <stdlib.h>

#include "base/log.h"
#include "communicator/process.h"
#include "communicator/record.h"
#include "topo/model/alike.h"
#include "topo/util/error.h"

/* Communicators like this one. */

bool coll_pipebcast_is_small_part_of_job(struct ompi_communicator_t *comm)
{
    return ompi_comm_size(comm) <= coll_pipebcast_job_size() / 2;
}

/** Counts the communicators like this one for which the job has room; below 1: out of memory. A
 * process without a record ends it: launchers may take seconds to say that there is none. */
static int look_for_alike(const coll_pipebcast_topology_t *topology,
                          const pb_placement_t *placement)
{
    const int n_ranks = coll_pipebcast_job_size();
    int *at = malloc((size_t) n_ranks * sizeof(*at)); /* the host of each rank of the job */
    int rc = at != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    for (int rank = 0; rank < n_ranks && rc == OMPI_SUCCESS; rank++) {
        opal_process_name_t process = OPAL_PROC_MY_NAME;
        process.vpid = (uint32_t) rank;
        const coll_pipebcast_record_t *record = coll_pipebcast_record_of(&process, &rc);
        at[rank] =
            record != NULL ? pb_network_find_host(topology->network, record->address.host) : -1;
    }
    const int n_alike = rc == OMPI_SUCCESS               ? pb_alike(placement, at, n_ranks)
                        : rc == OMPI_ERR_OUT_OF_RESOURCE ? 0
                                                         : 1;
    free(at);
    return n_alike;
}

/** Sets placed->n_alike, alike on all ranks. A topology of addresses has no host of others. */
static int count_alike(struct ompi_communicator_t *comm, coll_pipebcast_placed_t *placed)
{
    const coll_pipebcast_topology_t *topology = placed->topology;
    placed->n_alike = 1;
    if (topology->addresses == 0 && pb_network_n_switches(topology->network) > 1 &&
        coll_pipebcast_is_small_part_of_job(comm)) {
        placed->n_alike = look_for_alike(topology, placed->placement);
    }
    return placed->n_alike > 0 ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

/* Placing. */

/** Addresses and localities by rank; their texts belong to the records. */
typedef struct sites {
    pb_address_t *addresses; /**< with the hosts */
    pb_locality_t *places;
} sites_t;

/** The arrays are to be freed, also after an error. */
static int find_sites(struct ompi_communicator_t *comm, sites_t *sites)
{
    const size_t n_ranks = (size_t) ompi_comm_size(comm);
    sites->addresses = malloc(n_ranks * sizeof(*sites->addresses));
    sites->places = malloc(n_ranks * sizeof(*sites->places));
    for (size_t rank = 0; rank < n_ranks; rank++) {
        int rc;
        const coll_pipebcast_record_t *record =
            coll_pipebcast_record_of_rank(comm, (int) rank, &rc);
        if (sites->addresses == NULL || sites->places == NULL || record == NULL) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        sites->addresses[rank] = record->address;
        sites->places[rank] = record->facts.place;
    }
    return OMPI_SUCCESS;
}

/** Returns whether the topology has the hosts of all ranks. */
static bool has_all(const coll_pipebcast_topology_t *topology, const pb_address_t *addresses,
                    int n_ranks)
{
    for (int rank = 0; rank < n_ranks; rank++) {
        if (pb_network_find_host(topology->network, addresses[rank].host) < 0) {
            return false;
        }
    }
    return true;
}

/** The ranks' hosts in the network; NULL if out of memory. */
static pb_placement_t *new_placement(const pb_network_t *network, const pb_address_t *addresses,
                                     int n_ranks)
{
    pb_placement_t *placement = pb_placement_new(network, n_ranks);
    for (int rank = 0; rank < n_ranks && placement != NULL; rank++) {
        placement->host[rank] = pb_network_find_host(network, addresses[rank].host);
    }
    return placement;
}

/** Sets the topology, the named one if it has all hosts, and the placement in it. */
static int place(struct ompi_communicator_t *comm, const pb_address_t *addresses,
                 coll_pipebcast_placed_t *placed)
{
    coll_pipebcast_topology_t *named = coll_pipebcast_process.topology;
    if (named != NULL && has_all(named, addresses, ompi_comm_size(comm))) {
        placed->topology = named;
        OBJ_RETAIN(named);
    } else {
        placed->topology = coll_pipebcast_topology_of_job(comm, addresses);
    }
    if (placed->topology != NULL) {
        placed->placement =
            new_placement(placed->topology->network, addresses, ompi_comm_size(comm));
    }
    if (placed->placement == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    int most;
    return pb_placement_count(placed->placement, &placed->n_hosts, &most)
               ? count_alike(comm, placed)
               : OMPI_ERR_OUT_OF_RESOURCE;
}

/* Inside hosts. */

/** Rank 0 reports the levels that were found; rc is pb_locality_expand()'s. */
static void report_levels(struct ompi_communicator_t *comm, const coll_pipebcast_placed_t *placed,
                          int rc)
{
    if (rc == PB_ERR_INPUT && ompi_comm_rank(comm) == 0) {
        coll_pipebcast_help(PB_HELP_LEVELS, comm->c_name);
    } else if (ompi_comm_rank(comm) == 0 && placed->levels != NULL) {
        const int n_places = pb_network_n_places(placed->levels);
        coll_pipebcast_log(1, "communicator %s: %d %s packages, NUMA nodes or caches", comm->c_name,
                           n_places,
                           n_places == 1 ? "group of ranks shares" : "groups of ranks share");
    }
}

/** Makes the placement one with levels, if ranks have neighbors to be near to. */
static int locate(struct ompi_communicator_t *comm, const pb_locality_t *places,
                  coll_pipebcast_placed_t *placed)
{
    pb_placement_t *located = NULL;
    if (placed->n_hosts < 2 || placed->n_hosts == ompi_comm_size(comm)) {
        return OMPI_SUCCESS;
    }
    const int rc = pb_locality_expand(placed->placement, places, &placed->levels, &located);
    if (located != NULL) {
        pb_placement_free(placed->placement);
        placed->placement = located;
    }
    if (rc == PB_ERR_NO_MEMORY) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    report_levels(comm, placed, rc);
    return OMPI_SUCCESS;
}

coll_pipebcast_placed_t *coll_pipebcast_place(struct ompi_communicator_t *comm)
{
    sites_t sites;
    coll_pipebcast_placed_t *placed = calloc(1, sizeof(*placed));
    if (find_sites(comm, &sites) != OMPI_SUCCESS || placed == NULL ||
        place(comm, sites.addresses, placed) != OMPI_SUCCESS ||
        locate(comm, sites.places, placed) != OMPI_SUCCESS) {
        coll_pipebcast_placed_free(placed);
        placed = NULL;
    }
    free(sites.addresses);
    free(sites.places);
    return placed;
}

void coll_pipebcast_placed_free(coll_pipebcast_placed_t *placed)
{
    if (placed == NULL) {
        return;
    }
    pb_placement_free(placed->placement);
    pb_network_free(placed->levels);
    coll_pipebcast_release(placed->topology);
    free(placed);
}
