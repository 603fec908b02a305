/*
 * Reads the network that the parameters name, once, and shares it.
 */
#include "communicator/topology.h"

#include <string.h>

#include "base/parameters.h"
#include "communicator/process.h"
#include "topo/network/topology.h"

static void topology_construct(coll_pipebcast_topology_t *topology)
{
    topology->network = NULL;
}

static void topology_destruct(coll_pipebcast_topology_t *topology)
{
    pb_network_free(topology->network);
}

OBJ_CLASS_INSTANCE(coll_pipebcast_topology_t, coll_pipebcast_shared_t, topology_construct,
                   topology_destruct);

/** Fills the topology from the file or the inline text; faults are kept in it. */
static int read_topology(coll_pipebcast_shared_t *shared)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    coll_pipebcast_topology_t *topology = (coll_pipebcast_topology_t *) shared;
    pb_diag_t diag;
    int rc;
    pb_diag_init(&diag);
    if (coll_pipebcast_is_set(params->topology_file)) {
        rc = pb_topology_read(params->topology_file, &topology->network, &diag);
        shared->source = strdup(params->topology_file);
    } else {
        rc = pb_topology_parse(&(pb_topology_text_t){params->topology, strlen(params->topology),
                                                     "coll_pipebcast_topology", ';', NULL},
                               &topology->network, &diag);
        shared->source = strdup("the parameter coll_pipebcast_topology");
    }
    if (rc != PB_SUCCESS && rc != PB_ERR_NO_MEMORY) {
        rc = coll_pipebcast_shared_fault(shared, &diag);
    }
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

coll_pipebcast_topology_t *coll_pipebcast_topology_one_switch(const char *const *hosts, int n_hosts)
{
    coll_pipebcast_topology_t *topology = OBJ_NEW(coll_pipebcast_topology_t);
    if (topology == NULL) {
        return NULL;
    }
    topology->network = pb_network_one_switch(hosts, n_hosts);
    topology->super.source =
        strdup("no topology is named, so all hosts are taken to be on one switch");
    if (topology->network == NULL || topology->super.source == NULL) {
        OBJ_RELEASE(topology);
        return NULL;
    }
    return topology;
}
