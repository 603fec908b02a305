/*
 * Which host each rank of a communicator sits on; see communicator/placement.h.
 */
#include "communicator/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parameters.h"
#include "communicator/process.h"
#include "communicator/record.h"
#include "topo/model/alike.h"
#include "topo/network/hostlist.h"

/* The own host. */

static int append_name(void *context, const char *name)
{
    return opal_argv_append_nosize(context, name);
}

/** The name of the parameter `hosts` for this process. */
static char *name_from_parameter(char *why, size_t why_size)
{
    const char *list = coll_pipebcast_params.hosts;
    char fault[256] = "out of memory";
    char **names = NULL, *name = NULL;
    if (pb_hostlist_expand(list, PB_NETWORK_MAX_NODES, append_name, &names, fault, sizeof(fault)) ==
            PB_SUCCESS &&
        names != NULL) {
        name = strdup(names[OPAL_PROC_MY_NAME.vpid % (uint32_t) opal_argv_count(names)]);
    } else {
        snprintf(why, why_size,
                 "the parameter coll_pipebcast_hosts is invalid: %s; write a list such as n[0-3]",
                 fault);
    }
    opal_argv_free(names);
    return name;
}

char *coll_pipebcast_own_host(char *why, size_t why_size)
{
    if (coll_pipebcast_is_set(coll_pipebcast_params.hosts)) {
        return name_from_parameter(why, why_size);
    }
    char *name = coll_pipebcast_host_of(&OPAL_PROC_MY_NAME);
    if (name == NULL || strcmp(name, "unknown") == 0) {
        free(name);
        name = opal_process_info.nodename != NULL ? strdup(opal_process_info.nodename) : NULL;
    }
    if (name == NULL) {
        snprintf(why, why_size, "the name of rank %lu's host is not known",
                 (unsigned long) OPAL_PROC_MY_NAME.vpid);
    }
    return name;
}

/* Communicators like this one. */

/** Fills at[] with the hosts of all ranks of the job in the network; -1: it has none. */
static int find_job(const coll_pipebcast_topology_t *topology, int *at, int n_ranks)
{
    opal_process_name_t process = OPAL_PROC_MY_NAME;
    for (int rank = 0; rank < n_ranks; rank++) {
        int rc;
        process.vpid = (uint32_t) rank;
        const coll_pipebcast_record_t *record = coll_pipebcast_record_of(&process, &rc);
        if (rc == OMPI_ERR_OUT_OF_RESOURCE) {
            return rc;
        }
        at[rank] =
            record != NULL ? pb_network_find_host(topology->network, record->address.host) : -1;
        at[rank] = at[rank] >= 0 ? at[rank] : -1;
    }
    return OMPI_SUCCESS;
}

bool coll_pipebcast_is_small_part_of_job(struct ompi_communicator_t *comm)
{
    const int n_ranks = ompi_comm_size(comm);
    bool is_part = n_ranks <= coll_pipebcast_job_size() / 2;
    for (int rank = 0; rank < n_ranks && is_part; rank++) {
        is_part =
            ompi_group_get_proc_name(comm->c_local_group, rank).jobid == OPAL_PROC_MY_NAME.jobid;
    }
    return is_part;
}

/** How many communicators like this one the job has room for; 0: out of memory. */
static int look_for_alike(const coll_pipebcast_topology_t *topology,
                          const pb_placement_t *placement)
{
    const int n_ranks = coll_pipebcast_job_size();
    int *at = malloc((size_t) n_ranks * sizeof(*at));
    int n_alike = 0;
    if (at != NULL && find_job(topology, at, n_ranks) == OMPI_SUCCESS) {
        n_alike = pb_alike(placement, at, n_ranks);
    }
    free(at);
    return n_alike;
}

/**
 * Sets module->n_alike, alike on all ranks. A topology of the ranks' addresses has no host of
 * others.
 */
static int count_alike(coll_pipebcast_module_t *module, const pb_placement_t *placement)
{
    const coll_pipebcast_topology_t *topology = module->topology;
    module->n_alike = 1;
    if (topology->addresses == 0 && pb_network_n_switches(topology->network) > 1 &&
        coll_pipebcast_is_small_part_of_job(module->comm)) {
        module->n_alike = look_for_alike(topology, placement);
    }
    return module->n_alike > 0 ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

/* Placing. */

/** Fills names[], by rank, which are borrowed from records. */
static int find_names(struct ompi_communicator_t *comm, const char **names)
{
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        int rc;
        const coll_pipebcast_record_t *record = coll_pipebcast_record_of_rank(comm, rank, &rc);
        if (record == NULL) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        names[rank] = record->address.host;
    }
    return OMPI_SUCCESS;
}

/** Whether the topology has the hosts of all ranks. */
static bool has_all(const coll_pipebcast_topology_t *topology, const char *const *names,
                    int n_ranks)
{
    for (int rank = 0; rank < n_ranks; rank++) {
        if (pb_network_find_host(topology->network, names[rank]) < 0) {
            return false;
        }
    }
    return true;
}

/** The topology in which the ranks of these hosts are; NULL if out of memory. */
static coll_pipebcast_topology_t *get_topology(const coll_pipebcast_module_t *module,
                                               const char *const *names)
{
    coll_pipebcast_topology_t *named = module->named;
    if (named != NULL && has_all(named, names, ompi_comm_size(module->comm))) {
        OBJ_RETAIN(named);
        return named;
    }
    return coll_pipebcast_topology_of_job(module->comm, named, names);
}

/** The ranks' hosts in the network; NULL if out of memory. */
static pb_placement_t *new_placement(const pb_network_t *network, const char *const *names,
                                     int n_ranks)
{
    pb_placement_t *placement = pb_placement_new(network, n_ranks);
    for (int rank = 0; rank < n_ranks && placement != NULL; rank++) {
        placement->host[rank] = pb_network_find_host(network, names[rank]);
    }
    return placement;
}

static int place(coll_pipebcast_module_t *module, const char **names)
{
    if (find_names(module->comm, names) != OMPI_SUCCESS) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    module->topology = get_topology(module, names);
    if (module->topology == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pb_placement_t *placement =
        new_placement(module->topology->network, names, ompi_comm_size(module->comm));
    if (placement != NULL && count_alike(module, placement) == OMPI_SUCCESS) {
        module->placement = placement;
        return OMPI_SUCCESS;
    }
    pb_placement_free(placement);
    OBJ_RELEASE(module->topology);
    module->topology = NULL;
    return OMPI_ERR_OUT_OF_RESOURCE;
}

int coll_pipebcast_place(coll_pipebcast_module_t *module)
{
    const char **names = calloc((size_t) ompi_comm_size(module->comm), sizeof(*names));
    const int rc = names != NULL ? place(module, names) : OMPI_ERR_OUT_OF_RESOURCE;
    free(names);
    return rc;
}
