/*
 * Reads the network that the parameters name, once, and shares it.
 */
#include "coll_pipebcast_topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll_pipebcast.h"
#include "topo/slurm_conf.h"

static void topology_construct(coll_pipebcast_topology_t *topology)
{
    topology->network = NULL;
    topology->source = NULL;
    topology->fault = NULL;
    memset(&topology->file, 0, sizeof(topology->file));
}

static void topology_destruct(coll_pipebcast_topology_t *topology)
{
    pb_network_free(topology->network);
    free(topology->source);
    free(topology->fault);
}

OBJ_CLASS_INSTANCE(coll_pipebcast_topology_t, opal_object_t, topology_construct, topology_destruct);

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/** What is wrong with a description, as one text; NULL if memory is out. */
static char *describe_faults(const pb_diag_t *diag)
{
    char *text = NULL;
    int rc = diag->n_faults > 1 ? asprintf(&text, "%s (and %zu more faults)", pb_diag_first(diag),
                                           diag->n_faults - 1)
                                : asprintf(&text, "%s", pb_diag_first(diag));
    return rc < 0 ? NULL : text;
}

/** Fills the topology from the file or the inline text; faults are kept in it. */
static int topology_read(coll_pipebcast_topology_t *topology, const coll_pipebcast_params_t *params)
{
    pb_diag_t diag;
    int rc, said;
    pb_diag_init(&diag);
    if (is_set(params->topology_file)) {
        rc = pb_slurm_conf_read(params->topology_file, &topology->network, &diag);
        said = asprintf(&topology->source, "%s", params->topology_file);
    } else {
        rc = pb_slurm_conf_parse(params->topology, strlen(params->topology),
                                 "coll_pipebcast_topology", ';', &topology->network, &diag);
        said = asprintf(&topology->source, "the parameter coll_pipebcast_topology");
    }
    if (rc != PB_SUCCESS && rc != PB_ERR_NO_MEMORY) {
        topology->fault = describe_faults(&diag);
        rc = topology->fault != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    if (said < 0) {
        topology->source = NULL;
        rc = PB_ERR_NO_MEMORY;
    }
    pb_diag_clear(&diag);
    return rc == PB_SUCCESS ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

coll_pipebcast_topology_t *coll_pipebcast_topology_get(int *error_p)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    const coll_pipebcast_params_t *params = &component->params;
    coll_pipebcast_topology_t *topology = NULL;
    struct stat file;

    *error_p = OMPI_SUCCESS;
    if (!is_set(params->topology_file) && !is_set(params->topology)) {
        return NULL;
    }
    memset(&file, 0, sizeof(file));
    if (is_set(params->topology_file) && stat(params->topology_file, &file) != 0) {
        memset(&file, 0, sizeof(file)); /* the reader says what is wrong */
    }

    opal_mutex_lock(&component->lock);
    if (component->topology == NULL || !same_file(&component->topology->file, &file)) {
        topology = OBJ_NEW(coll_pipebcast_topology_t);
        *error_p = topology == NULL ? OMPI_ERR_OUT_OF_RESOURCE : topology_read(topology, params);
        if (*error_p == OMPI_SUCCESS) {
            topology->file = file;
            if (component->topology != NULL) {
                OBJ_RELEASE(component->topology);
            }
            component->topology = topology;
        } else if (topology != NULL) {
            OBJ_RELEASE(topology);
        }
    }
    if (*error_p == OMPI_SUCCESS) {
        topology = component->topology;
        OBJ_RETAIN(topology);
    } else {
        topology = NULL;
    }
    opal_mutex_unlock(&component->lock);
    return topology;
}

coll_pipebcast_topology_t *coll_pipebcast_topology_one_switch(const char *const *hosts, int n_hosts)
{
    coll_pipebcast_topology_t *topology = OBJ_NEW(coll_pipebcast_topology_t);
    if (topology == NULL) {
        return NULL;
    }
    topology->network = pb_network_one_switch(hosts, n_hosts);
    topology->source =
        strdup("no topology is named, so all machines are taken to be on one switch");
    if (topology->network == NULL || topology->source == NULL) {
        OBJ_RELEASE(topology);
        return NULL;
    }
    return topology;
}
