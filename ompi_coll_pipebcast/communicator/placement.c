/*
 * Which host each rank of a communicator sits on; see communicator/placement.h.
 */
#include "communicator/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parameters.h"
#include "communicator/process.h"
#include "topo/model/alike.h"
#include "topo/network/hostlist.h"

static int append_name(void *context, const char *name)
{
    return opal_argv_append_nosize(context, name);
}

/** The names of the parameter `hosts`, to be freed with opal_argv_free(); NULL if there are none.
 */
static char **names_from_parameter(char *why, size_t why_size)
{
    const char *list = coll_pipebcast_params.hosts;
    char fault[256] = "out of memory";
    char **names = NULL;
    if (pb_hostlist_expand(list, PB_NETWORK_MAX_NODES, append_name, &names, fault, sizeof(fault)) ==
            PB_SUCCESS &&
        names != NULL) {
        return names;
    }
    snprintf(why, why_size,
             "the parameter coll_pipebcast_hosts is faulty: %s; write a list such as n[0-3]",
             fault);
    opal_argv_free(names);
    return NULL;
}

/** The name of a process's host, to be freed; NULL if it is not known. */
static char *name_of(const opal_process_name_t *process, char **given)
{
    if (given != NULL) {
        return strdup(given[process->vpid % (uint32_t) opal_argv_count(given)]);
    }
    char *name = coll_pipebcast_host_of(process);
    if (name != NULL && strcmp(name, "unknown") == 0) {
        free(name);
        name = NULL;
    }
    return name;
}

/** Fills names[], indexed by rank; entries are the caller's also after an error. */
static int find_names(struct ompi_communicator_t *comm, char **names, char *why, size_t why_size)
{
    const char *list = coll_pipebcast_params.hosts;
    char **given = NULL;
    if (list != NULL && list[0] != '\0') {
        given = names_from_parameter(why, why_size);
        if (given == NULL) {
            return OMPI_ERR_BAD_PARAM;
        }
    }
    int rc = OMPI_SUCCESS;
    for (int rank = 0; rank < ompi_comm_size(comm) && rc == OMPI_SUCCESS; rank++) {
        const opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, rank);
        names[rank] = name_of(&name, given);
        if (names[rank] == NULL) {
            snprintf(why, why_size,
                     "the host of rank %d is not known to the job's launcher; start the job by "
                     "mpirun, or by a launcher that tells PMIx the host names",
                     rank);
            rc = OMPI_ERR_NOT_FOUND;
        }
    }
    opal_argv_free(given);
    return rc;
}

/** Finds the host of each rank in the module's network. */
static int find_hosts(coll_pipebcast_module_t *module, pb_placement_t *placement, char **names,
                      char *why, size_t why_size)
{
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        int host = pb_network_find_host(module->topology->network, names[rank]);
        if (host < 0) {
            snprintf(why, why_size,
                     "the host '%s' of rank %d is not in the topology (%s); add it, or name no "
                     "topology",
                     names[rank], rank, module->topology->super.source);
            return OMPI_ERR_NOT_FOUND;
        }
        placement->host[rank] = host;
    }
    return OMPI_SUCCESS;
}

static void explain_no_memory(int rc, char *why, size_t why_size)
{
    if (rc == OMPI_ERR_OUT_OF_RESOURCE) {
        snprintf(why, why_size, "this host is out of memory");
    }
}

/* Communicators like this one. */

static void free_names(char **names, int n_names)
{
    for (int i = 0; i < n_names && names != NULL; i++) {
        free(names[i]);
    }
    free(names);
}

/** The hosts of all ranks of the job in the network; false if they cannot be had. */
static bool look_up_job(coll_pipebcast_topology_t *topology)
{
    struct ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
    const int n_ranks = ompi_comm_size(world);
    char why[256];
    char **names = calloc((size_t) n_ranks, sizeof(*names));
    int *at = malloc((size_t) n_ranks * sizeof(*at));
    if (names == NULL || at == NULL || find_names(world, names, why, sizeof(why)) != OMPI_SUCCESS) {
        free_names(names, n_ranks);
        free(at);
        return false;
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        const int host = pb_network_find_host(topology->network, names[rank]);
        at[rank] = host >= 0 ? host : -1;
    }
    free_names(names, n_ranks);
    topology->at = at;
    topology->n_at = n_ranks;
    return true;
}

/** The same, once for a topology. What is out of memory may be one allocation. */
static void find_job(coll_pipebcast_topology_t *topology)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    opal_mutex_lock(lock);
    if (!topology->is_at_known) {
        (void) (look_up_job(topology) || look_up_job(topology));
        topology->is_at_known = true;
    }
    opal_mutex_unlock(lock);
}

bool coll_pipebcast_is_small_part_of_job(struct ompi_communicator_t *comm)
{
    const int n_ranks = ompi_comm_size(comm);
    bool is_part = n_ranks <= ompi_comm_size(&ompi_mpi_comm_world.comm) / 2;
    for (int rank = 0; rank < n_ranks && is_part; rank++) {
        is_part =
            ompi_group_get_proc_name(comm->c_local_group, rank).jobid == OPAL_PROC_MY_NAME.jobid;
    }
    return is_part;
}

/**
 * Sets module->n_alike, alike on all ranks. A topology of the ranks' addresses has no host of
 * others.
 */
static int count_alike(coll_pipebcast_module_t *module, const pb_placement_t *placement)
{
    coll_pipebcast_topology_t *topology = module->topology;
    module->n_alike = 1;
    if (topology->addresses != 0 || pb_network_n_switches(topology->network) == 1 ||
        !coll_pipebcast_is_small_part_of_job(module->comm)) {
        return OMPI_SUCCESS;
    }
    find_job(topology);
    for (int i = 0; i < 2; i++) {
        module->n_alike = pb_alike(placement, topology->at, topology->n_at);
        if (module->n_alike > 0) {
            return OMPI_SUCCESS;
        }
    }
    return OMPI_ERR_OUT_OF_RESOURCE;
}

/** Whether the topology has the hosts of all ranks. */
static bool has_all(const coll_pipebcast_topology_t *topology, char **names, int n_ranks)
{
    for (int rank = 0; rank < n_ranks; rank++) {
        if (pb_network_find_host(topology->network, names[rank]) < 0) {
            return false;
        }
    }
    return true;
}

static int place(coll_pipebcast_module_t *module, char **names, char *why, size_t why_size)
{
    const int n_ranks = ompi_comm_size(module->comm);
    coll_pipebcast_topology_t *named = module->topology;
    if (named == NULL || !has_all(named, names, n_ranks)) {
        module->topology =
            coll_pipebcast_topology_of_job(module->comm, named, (const char *const *) names);
        if (named != NULL) {
            OBJ_RELEASE(named);
        }
    }
    pb_placement_t *placement = NULL;
    if (module->topology != NULL) {
        placement = pb_placement_new(module->topology->network, n_ranks);
    }
    if (placement == NULL) {
        explain_no_memory(OMPI_ERR_OUT_OF_RESOURCE, why, why_size);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    int rc = find_hosts(module, placement, names, why, why_size);
    if (rc == OMPI_SUCCESS) {
        rc = count_alike(module, placement);
        explain_no_memory(rc, why, why_size);
    }
    if (rc != OMPI_SUCCESS) {
        pb_placement_free(placement);
        return rc;
    }
    module->placement = placement;
    return OMPI_SUCCESS;
}

/** If memory was short when the communicator was made, the topology is still to be had. */
static int get_topology(coll_pipebcast_module_t *module)
{
    int rc = OMPI_SUCCESS;
    if (module->topology == NULL) {
        module->topology = coll_pipebcast_topology_get(&rc);
    }
    return rc;
}

int coll_pipebcast_place(coll_pipebcast_module_t *module, char *why, size_t why_size)
{
    int rc = get_topology(module);
    if (rc != OMPI_SUCCESS) {
        explain_no_memory(rc, why, why_size);
        return rc;
    }
    if (module->topology != NULL && module->topology->network == NULL) {
        snprintf(why, why_size,
                 "the topology is faulty: %s; fix it (pipebcast-topo check names every fault)",
                 module->topology->super.fault);
        return OMPI_ERR_BAD_PARAM;
    }
    const int n_ranks = ompi_comm_size(module->comm);
    char **names = calloc((size_t) n_ranks, sizeof(*names));
    if (names == NULL) {
        explain_no_memory(OMPI_ERR_OUT_OF_RESOURCE, why, why_size);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = find_names(module->comm, names, why, why_size);
    if (rc == OMPI_SUCCESS) {
        rc = place(module, names, why, why_size);
    }
    free_names(names, n_ranks);
    return rc;
}

char *coll_pipebcast_own_host(void)
{
    char why[256];
    char **given = NULL;
    if (coll_pipebcast_is_set(coll_pipebcast_params.hosts)) {
        given = names_from_parameter(why, sizeof(why));
        if (given == NULL) {
            return NULL;
        }
    }
    char *name = name_of(&OPAL_PROC_MY_NAME, given);
    opal_argv_free(given);
    return name;
}
