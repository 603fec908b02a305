/*
 * The component: what Open MPI finds when it opens mca_coll_pipebcast.so.
 */
#include "component/component.h"

#include <unistd.h>

#include "component/log.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);
static int component_init_query(bool enable_progress_threads, bool enable_mpi_threads);

/* Open MPI looks the symbol up by this name. Its state: the parameters, set at
 * registration; the topology and the models shared by communicators and the
 * messages already said, all under the lock; the modules with something outstanding, under a lock
 * of their own; the counters. */
coll_pipebcast_component_t mca_coll_pipebcast_component = {
    .super =
        {
            .collm_version =
                {
                    COLL_PIPEBCAST_MCA_VERSION,
                    .mca_component_name = "pipebcast",
                    MCA_BASE_MAKE_VERSION(component, COLL_PIPEBCAST_MAJOR, COLL_PIPEBCAST_MINOR,
                                          COLL_PIPEBCAST_RELEASE),
                    .mca_open_component = component_open,
                    .mca_close_component = component_close,
                    .mca_register_component_params = component_register,
                },
            .collm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .collm_init_query = component_init_query,
            .collm_comm_query = coll_pipebcast_comm_query,
        },
    .output = -1,
};
MCA_BASE_COMPONENT_INIT(ompi, coll, pipebcast)

static int component_register(void)
{
    const int rc = coll_pipebcast_params_register();
    return rc == OMPI_SUCCESS ? coll_pipebcast_counters_register() : rc;
}

static int component_open(void)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    OBJ_CONSTRUCT(&component->lock, opal_mutex_t);
    OBJ_CONSTRUCT(&component->said, opal_list_t);
    OBJ_CONSTRUCT(&component->present, opal_hash_table_t);
    coll_pipebcast_busy_init(&component->busy);
    coll_pipebcast_reserve_init(&component->reserve);
    component->topology = NULL;
    component->model = NULL;
    component->assumed = NULL;
    component->spare = NULL;
    component->place_known = false;
    component->place = PB_LOCALITY_ANYWHERE;
    component->output = opal_output_open(NULL);
    if (!coll_pipebcast_fits()) {
        coll_pipebcast_warn("this pipebcast was built for another Open MPI than the one that runs. "
                            "It is left out. Build it again with this one's headers.");
        component_close();
        return OMPI_ERR_NOT_AVAILABLE;
    }
    coll_pipebcast_module_keep_spare();
    if (opal_hash_table_init(&component->present, 64) != OPAL_SUCCESS || component->spare == NULL) {
        coll_pipebcast_warn(
            "out of memory on this host, and pipebcast is left out. Use fewer ranks "
            "on it.");
        component_close();
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = coll_pipebcast_presence_tell();
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_warn(
            "the job's launcher does not take what the other ranks look for, by which "
            "they know of this one's pipebcast (error %d). It is left out.",
            rc);
        component_close();
        return rc;
    }
    coll_pipebcast_params_check();
    (void) coll_pipebcast_reserve_keep(0, 0); /* communicators that need it will say so */
    return coll_pipebcast_autoload();
}

static int component_close(void)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    if (component->topology != NULL) {
        OBJ_RELEASE(component->topology);
        component->topology = NULL;
    }
    if (component->model != NULL) {
        OBJ_RELEASE(component->model);
        component->model = NULL;
    }
    if (component->assumed != NULL) {
        OBJ_RELEASE(component->assumed);
        component->assumed = NULL;
    }
    if (component->spare != NULL) {
        OBJ_RELEASE(component->spare);
        component->spare = NULL;
    }
    coll_pipebcast_reserve_fini(&component->reserve);
    OPAL_LIST_DESTRUCT(&component->said);
    OBJ_DESTRUCT(&component->present);
    coll_pipebcast_busy_fini(&component->busy);
    OBJ_DESTRUCT(&component->lock);
    opal_output_close(component->output);
    component->output = -1;
    return OMPI_SUCCESS;
}

static int component_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    return OMPI_SUCCESS;
}
