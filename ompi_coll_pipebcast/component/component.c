/*
 * The component: what Open MPI finds when it opens mca_coll_pipebcast.so.
 *
 * A communicator's way: component/selection.c gives it a module (communicator/module.h) that
 * remembers the fallback component's broadcasts. At the first broadcast communicator/agreement.c
 * finds out whether all ranks see the same network and parameters. From then on operations
 * (operation/operation.h) serve large messages, and the fallback component the rest.
 */
#include "component/component.h"
#include "adaptive/register.h"
#include "base/compat.h"
#include "base/counters.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/process.h"
#include "communicator/progress.h"
#include "communicator/record.h"
#include "pml/selected.h"
#include "pml/transport.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);
static int component_init_query(bool enable_progress_threads, bool enable_mpi_threads);

/** The one component of the process; Open MPI finds it by this name. */
OMPI_DECLSPEC extern mca_coll_base_component_t mca_coll_pipebcast_component;
mca_coll_base_component_t mca_coll_pipebcast_component = {
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
};
MCA_BASE_COMPONENT_INIT(ompi, coll, pipebcast)

static int component_register(void)
{
    const mca_base_component_t *component = &mca_coll_pipebcast_component.collm_version;
    coll_pipebcast_params_register(component);
#ifndef COLL_PIPEBCAST_NO_ADAPTIVE
    coll_pipebcast_adaptive_register(component);
#endif
    return coll_pipebcast_counters_register(component);
}

/** Open MPI closes a component also where its opening has failed. */
static bool is_open;

static int component_open(void)
{
    if (!coll_pipebcast_fits()) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    is_open = true;
    coll_pipebcast_log_open();
    coll_pipebcast_progress_open();
    coll_pipebcast_params_check(); /* modules begin with the settings of the start */
    coll_pipebcast_process_open();
    const int rc = coll_pipebcast_when_pml_is_selected(coll_pipebcast_record_publish);
    if (rc != OMPI_SUCCESS) { /* the component is disabled */
        coll_pipebcast_help_each(PB_HELP_OUT_OF_MEMORY, opal_process_info.nodename);
        component_close();
        return rc;
    }
    coll_pipebcast_autoload();
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    if (!is_open) {
        return OMPI_SUCCESS;
    }
    is_open = false;
    coll_pipebcast_forget_pml_selection();
    coll_pipebcast_process_close();
    coll_pipebcast_progress_close();
    coll_pipebcast_forget_given_up();
    coll_pipebcast_log_close();
    return OMPI_SUCCESS;
}

static int component_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    return OMPI_SUCCESS;
}
