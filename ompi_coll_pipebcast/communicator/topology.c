/*
 * Reads the network that the parameters name, or makes it of the addresses that Slurm gave the
 * job's processes.
 */
#include "communicator/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/process.h"
#include "topo/network/addresses.h"
#include "topo/network/topology.h"
#include "topo/util/hash.h"

static void topology_construct(coll_pipebcast_topology_t *topology)
{
    memset(&topology->super + 1, 0, sizeof(*topology) - sizeof(topology->super));
}

static void topology_destruct(coll_pipebcast_topology_t *topology)
{
    pb_network_free(topology->network);
    free(topology->source);
    free(topology->why);
}

OBJ_CLASS_INSTANCE(coll_pipebcast_topology_t, opal_object_t, topology_construct, topology_destruct);

/** Reads the file, or the inline text. */
static int open_topology(pb_topology_t *opened, pb_diag_t *diag)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const pb_topology_request_t request = {.name = params->topology_name,
                                           .partition = getenv("SLURM_JOB_PARTITION")};
    if (coll_pipebcast_is_set(params->topology_file)) {
        return pb_topology_open(params->topology_file, &request, opened, diag);
    }
    return pb_topology_open_text(&(pb_topology_text_t){.text = params->topology,
                                                       .length = strlen(params->topology),
                                                       .name = "coll_pipebcast_topology",
                                                       .separator = ';'},
                                 &request, opened, diag);
}

/** Returns the topology's origin, for people; NULL if out of memory. The caller frees it. */
static char *source_of(const pb_topology_t *opened)
{
    const char *file = coll_pipebcast_params.topology_file;
    char *source = NULL;
    const int rc =
        asprintf(&source, "%s%s%s",
                 coll_pipebcast_is_set(file) ? file : "the parameter coll_pipebcast_topology",
                 opened->picked != NULL ? ": " : "", opened->picked != NULL ? opened->picked : "");
    return rc < 0 ? NULL : source;
}

/** Reports warnings once in a job. */
static void report_warnings(const pb_topology_t *opened)
{
    char list[3072] = "";
    size_t length = 0;
    for (size_t i = 0; i < opened->warnings.n_kept && length < sizeof(list); i++) {
        length += (size_t) snprintf(list + length, sizeof(list) - length, "%s\n",
                                    opened->warnings.messages[i]);
    }
    if (length > 0 && OPAL_PROC_MY_NAME.vpid == 0) {
        coll_pipebcast_help(PB_HELP_TOPOLOGY_WARNINGS, list);
    }
}

/** Fills the topology by the parameters; it keeps errors. */
static int fill(coll_pipebcast_topology_t *topology)
{
    pb_topology_t opened;
    pb_diag_t diag;
    pb_diag_init(&diag);
    int rc = open_topology(&opened, &diag);
    topology->source = source_of(&opened);
    report_warnings(&opened);
    topology->network = opened.network;
    topology->multicast = opened.multicast;
    opened.network = NULL;
    if (topology->network != NULL) {
        topology->digest =
            pb_hash_number(pb_network_hash(topology->network), (uint64_t) topology->multicast);
    } else if (rc != PB_ERR_NO_MEMORY) {
        topology->why = coll_pipebcast_error_text(&diag);
        rc = topology->why != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    pb_topology_clear(&opened);
    pb_diag_clear(&diag);
    return rc != PB_ERR_NO_MEMORY && topology->source != NULL ? OMPI_SUCCESS
                                                              : OMPI_ERR_OUT_OF_RESOURCE;
}

int coll_pipebcast_topology_read(void)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    if (!coll_pipebcast_is_set(params->topology_file) && !coll_pipebcast_is_set(params->topology)) {
        return OMPI_SUCCESS;
    }
    coll_pipebcast_topology_t *topology = OBJ_NEW(coll_pipebcast_topology_t);
    if (topology == NULL || fill(topology) != OMPI_SUCCESS) {
        coll_pipebcast_release(topology);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    coll_pipebcast_process.topology = topology;
    return OMPI_SUCCESS;
}

/** A topology that owns the network, also after an error; NULL if out of memory, as for the
 * network.
 */
static coll_pipebcast_topology_t *new_topology(pb_network_t *network, const char *source)
{
    coll_pipebcast_topology_t *topology = OBJ_NEW(coll_pipebcast_topology_t);
    if (topology == NULL) {
        pb_network_free(network);
        return NULL;
    }
    topology->network = network;
    topology->source = strdup(source);
    if (network == NULL || topology->source == NULL) {
        OBJ_RELEASE(topology);
        return NULL;
    }
    return topology;
}

/** A number for the addresses, never 0. */
static uint64_t hash_of(const pb_address_t *addresses, int n_ranks)
{
    uint64_t state = PB_HASH_START;
    for (int rank = 0; rank < n_ranks; rank++) {
        state = pb_hash_string(state, addresses[rank].host);
        state = pb_hash_string(state, addresses[rank].node);
        state = pb_hash_string(state, addresses[rank].address);
        state = pb_hash_string(state, addresses[rank].pattern);
    }
    return pb_hash_end(state) | 1;
}

/** All hosts on one switch; NULL if out of memory. */
static pb_network_t *one_switch(const pb_address_t *addresses, int n_ranks)
{
    const char **hosts = malloc((size_t) n_ranks * sizeof(*hosts));
    for (int rank = 0; rank < n_ranks && hosts != NULL; rank++) {
        hosts[rank] = addresses[rank].host;
    }
    pb_network_t *network = hosts != NULL ? pb_network_one_switch(hosts, n_ranks) : NULL;
    free(hosts);
    return network;
}

/** Reports unknown hosts, by rank 0 of the communicator. With the process's lock held. */
static void report_unknown(struct ompi_communicator_t *comm, const pb_diag_t *warnings)
{
    if (warnings->n_errors > 0 && ompi_comm_rank(comm) == 0) {
        coll_pipebcast_help(PB_HELP_HOST_UNKNOWN, comm->c_name, pb_diag_first(warnings),
                            warnings->n_errors > 1 ? " (and more)" : "");
    }
}

/** Makes the named topology with the hosts of the ranks, or a topology of their addresses, or one
 * switch. With the process's lock held. */
static coll_pipebcast_topology_t *make_of_job(struct ompi_communicator_t *comm,
                                              const pb_address_t *addresses)
{
    const coll_pipebcast_topology_t *named = coll_pipebcast_process.topology;
    const int n_ranks = ompi_comm_size(comm);
    const char *source = named != NULL ? named->source : "the addresses of the hosts";
    pb_network_t *network;
    pb_diag_t warnings;
    pb_diag_init(&warnings);
    const int rc = pb_addresses_join(named != NULL ? named->network : NULL, addresses, n_ranks,
                                     &network, &warnings);
    report_unknown(comm, &warnings);
    if (rc == PB_ERR_UNKNOWN) {
        source = warnings.n_errors > 0 ? "the hosts' names or addresses are not understood, so all "
                                         "hosts are taken to be on one switch"
                                       : "no topology is named, so all hosts are taken to be on "
                                         "one switch";
        network = one_switch(addresses, n_ranks);
    }
    pb_diag_clear(&warnings);
    coll_pipebcast_topology_t *topology = new_topology(network, source);
    if (topology != NULL && named != NULL) {
        topology->multicast = named->multicast;
    }
    return topology;
}

coll_pipebcast_topology_t *coll_pipebcast_topology_of_job(struct ompi_communicator_t *comm,
                                                          const pb_address_t *addresses)
{
    coll_pipebcast_topology_t **last_p = &coll_pipebcast_process.of_job;
    const uint64_t hash = hash_of(addresses, ompi_comm_size(comm));
    opal_mutex_lock(&coll_pipebcast_process.lock);
    coll_pipebcast_topology_t *topology = *last_p;
    if (topology == NULL || topology->addresses != hash) {
        topology = make_of_job(comm, addresses);
        if (topology != NULL) {
            topology->addresses = hash;
            coll_pipebcast_release(*last_p);
            *last_p = topology;
        }
    }
    if (topology != NULL) {
        OBJ_RETAIN(topology);
    }
    opal_mutex_unlock(&coll_pipebcast_process.lock);
    return topology;
}
