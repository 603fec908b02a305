/*
 * Reads the network that the parameters name, once, and shares it.
 */
#include "communicator/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/process.h"
#include "topo/network/topology.h"

static void topology_construct(coll_pipebcast_topology_t *topology)
{
    topology->network = NULL;
    topology->is_flat = false;
}

static void topology_destruct(coll_pipebcast_topology_t *topology)
{
    pb_network_free(topology->network);
}

OBJ_CLASS_INSTANCE(coll_pipebcast_topology_t, coll_pipebcast_shared_t, topology_construct,
                   topology_destruct);

/** From the file, or the inline text. */
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

/** For people: where the topology came from; NULL if out of memory. The caller frees it. */
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

/** Once in a job. */
static void report_warnings(const pb_topology_t *opened)
{
    for (size_t i = 0; OPAL_PROC_MY_NAME.vpid == 0 && i < opened->warnings.n_kept; i++) {
        coll_pipebcast_warn("%s", opened->warnings.messages[i]);
    }
}

/** Fills the topology by the parameters; faults are kept in it. */
static int read_topology(coll_pipebcast_shared_t *shared)
{
    coll_pipebcast_topology_t *topology = (coll_pipebcast_topology_t *) shared;
    pb_topology_t opened;
    pb_diag_t diag;
    pb_diag_init(&diag);
    int rc = open_topology(&opened, &diag);
    shared->source = source_of(&opened);
    report_warnings(&opened);
    topology->network = opened.network;
    topology->is_flat = opened.is_flat;
    opened.network = NULL;
    if (rc != PB_SUCCESS && rc != PB_ERR_NO_MEMORY) {
        rc = coll_pipebcast_shared_fault(shared, &diag);
    }
    pb_topology_clear(&opened);
    pb_diag_clear(&diag);
    return rc == OMPI_SUCCESS && shared->source != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

coll_pipebcast_topology_t *coll_pipebcast_topology_get(int *error_p)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    *error_p = OMPI_SUCCESS;
    if (!coll_pipebcast_is_set(params->topology_file) && !coll_pipebcast_is_set(params->topology)) {
        return NULL;
    }
    return (coll_pipebcast_topology_t *) coll_pipebcast_shared_get(
        &coll_pipebcast_process.topology, OBJ_CLASS(coll_pipebcast_topology_t),
        params->topology_file, read_topology, error_p);
}

coll_pipebcast_topology_t *coll_pipebcast_topology_one_switch(const coll_pipebcast_topology_t *flat,
                                                              const char *const *hosts, int n_hosts)
{
    coll_pipebcast_topology_t *topology = OBJ_NEW(coll_pipebcast_topology_t);
    if (topology == NULL) {
        return NULL;
    }
    topology->network = pb_network_one_switch(hosts, n_hosts);
    topology->super.source =
        strdup(flat != NULL ? flat->super.source
                            : "no topology is named, so all hosts are taken to be on one switch");
    if (topology->network == NULL || topology->super.source == NULL) {
        OBJ_RELEASE(topology);
        return NULL;
    }
    return topology;
}
