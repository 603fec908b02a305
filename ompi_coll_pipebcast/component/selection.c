/*
 * Selection of pipebcast for a communicator: query, enable, disable. Nothing is communicated.
 */
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/lost.h"
#include "communicator/module.h"
#include "component/component.h"
#include "operation/functions.h"

static void retain_fallback(coll_pipebcast_module_t *module)
{
    module->fallback = coll_pipebcast_functions_of(module->comm);
    coll_pipebcast_pass_over_han(module->comm, &module->fallback);
    OBJ_RETAIN(module->fallback.bcast_module);
    OBJ_RETAIN(module->fallback.ibcast_module);
    OBJ_RETAIN(module->fallback.bcast_init_module);
}

/** Returns whether there is another component for each kind of broadcast. */
static bool has_fallback(const struct ompi_communicator_t *comm)
{
    return comm->c_coll->coll_bcast != NULL && comm->c_coll->coll_bcast_module != NULL &&
           comm->c_coll->coll_ibcast != NULL && comm->c_coll->coll_ibcast_module != NULL &&
           comm->c_coll->coll_bcast_init != NULL && comm->c_coll->coll_bcast_init_module != NULL;
}

static int module_enable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    const coll_pipebcast_functions_t ours = {
        .bcast = coll_pipebcast_bcast,
        .bcast_module = base,
        .ibcast = coll_pipebcast_ibcast,
        .ibcast_module = base,
        .bcast_init = coll_pipebcast_bcast_init,
        .bcast_init_module = base,
    };
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    if (!has_fallback(comm)) {
        coll_pipebcast_log(1,
                           "communicator %s: there is no other broadcast to fall back on, so "
                           "pipebcast stays out, as from communicators that han makes for "
                           "itself; if the parameter coll is a list, add tuned and libnbc",
                           comm->c_name);
        return OMPI_ERR_NOT_AVAILABLE;
    }
    coll_pipebcast_define_assertions(comm);
    module->comm = comm;
    retain_fallback(module);
    coll_pipebcast_install(comm, &ours, NULL);
    return OMPI_SUCCESS;
}

/** Returns whether the communicator ends with MPI. MPI_COMM_SELF counts, too: a world of one rank,
 * which may have spawned others, has no module. */
static bool is_permanent(const struct ompi_communicator_t *comm)
{
    return comm == &ompi_mpi_comm_world.comm || comm == &ompi_mpi_comm_self.comm;
}

/* May be called several times or never. */
static int module_disable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    if (is_permanent(comm) || module->tasks.is_listed) {
        coll_pipebcast_progress_settle();
    }
    if (module->fallback.bcast_module != NULL) {
        coll_pipebcast_install(comm, &module->fallback, base);
    }
    coll_pipebcast_module_release_fallback(module);
    return OMPI_SUCCESS;
}

/** Open MPI asks for a module for an intercommunicator before it broadcasts in the local group in
 * the background. What it broadcasts there earlier has one order on all ranks. */
static void note_local_group(const struct ompi_communicator_t *local)
{
    coll_pipebcast_selected_t *item;
    if (local->c_coll == NULL) { /* MPI_COMM_NULL: it could not be made */
        return;
    }
    OPAL_LIST_FOREACH(item, local->c_coll->module_list, coll_pipebcast_selected_t)
    {
        if (item->module->super.obj_class == OBJ_CLASS(coll_pipebcast_module_t)) {
            ((coll_pipebcast_module_t *) item->module)->is_local_group = true;
        }
    }
}

mca_coll_base_module_t *coll_pipebcast_comm_query(struct ompi_communicator_t *comm, int *priority)
{
    *priority = coll_pipebcast_params.priority;
    if (OMPI_COMM_IS_INTER(comm)) {
        note_local_group(comm->c_local_comm);
        return NULL;
    }
    if (*priority < 0 || (ompi_comm_size(comm) < 2 && comm != &ompi_mpi_comm_self.comm)) {
        return NULL;
    }
    coll_pipebcast_module_t *module = OBJ_NEW(coll_pipebcast_module_t);
    if (module == NULL) {
        module = OBJ_NEW(coll_pipebcast_module_t); /* see operation/operation.h */
    }
    if (module == NULL) { /* the others would wait without end for the agreement */
        coll_pipebcast_end_job(comm, "take part in broadcasts", OMPI_ERR_OUT_OF_RESOURCE);
        return NULL;
    }
    module->super.coll_module_enable = module_enable;
    module->super.coll_module_disable = module_disable;
    module->super.coll_bcast = coll_pipebcast_bcast;
    module->super.coll_ibcast = coll_pipebcast_ibcast;
    module->super.coll_bcast_init = coll_pipebcast_bcast_init;
    return &module->super;
}
