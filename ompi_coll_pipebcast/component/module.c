/*
 * The module of a communicator: made when the communicator is, without
 * communication.
 */
#include <string.h>

#include "communicator/agreement.h"
#include "communicator/lost.h"
#include "component/component.h"
#include "component/log.h"
#include "operation/advised.h"
#include "operation/nonblocking.h"
#include "operation/operation.h"

static int module_enable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm);
static int module_disable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm);

static void module_construct(coll_pipebcast_module_t *module)
{
    module->comm = NULL;
    module->state = COLL_PIPEBCAST_UNDECIDED;
    module->passes_for = COLL_PIPEBCAST_UNABLE;
    module->agreement = NULL;
    module->to_come = NULL;
    module->left = NULL;
    module->agreed = OMPI_SUCCESS;
    module->is_lost = false;
    module->agreement_is_lost = false;
    module->lost_tag = 0;
    module->n_idle_calls = 0;
    module->may_pass = false;
    module->fallback = (coll_pipebcast_functions_t){0};
    OBJ_CONSTRUCT(&module->lock, opal_mutex_t);
    OBJ_CONSTRUCT(&module->outstanding, coll_pipebcast_outstanding_t);
    module->outstanding.module = module;
    module->topology = NULL;
    module->placement = NULL;
    module->levels = NULL;
    pb_arrival_mode_init(&module->arrival_mode);
    module->ns_per_byte = 0;
    module->credit.of = NULL;
    OBJ_CONSTRUCT(&module->lingering, opal_list_t);
    module->model = NULL;
    module->chooser = NULL;
    module->advised = NULL;
    memset(module->told, 0, sizeof(module->told));
    coll_pipebcast_roles_construct(module);
}

static void retain_fallback(coll_pipebcast_module_t *module)
{
    module->fallback = coll_pipebcast_functions_of(module->comm);
    OBJ_RETAIN(module->fallback.bcast_module);
    OBJ_RETAIN(module->fallback.ibcast_module);
    OBJ_RETAIN(module->fallback.bcast_init_module);
}

static void release_fallback(coll_pipebcast_module_t *module)
{
    if (module->fallback.bcast_module != NULL) {
        OBJ_RELEASE(module->fallback.bcast_module);
        OBJ_RELEASE(module->fallback.ibcast_module);
        OBJ_RELEASE(module->fallback.bcast_init_module);
    }
    module->fallback = (coll_pipebcast_functions_t){0};
}

static void module_destruct(coll_pipebcast_module_t *module)
{
    release_fallback(module);
    coll_pipebcast_agreement_free(module->agreement);
    coll_pipebcast_agreement_free(module->to_come);
    coll_pipebcast_agreement_free(module->left);
    OBJ_DESTRUCT(&module->outstanding);
    OBJ_DESTRUCT(&module->lock);
    OPAL_LIST_DESTRUCT(&module->lingering);
    pb_arrival_credit_fini(&module->credit);
    coll_pipebcast_roles_destruct(module);
    pb_chooser_free(module->chooser);
    coll_pipebcast_advised_free(module->advised);
    pb_placement_free(module->placement);
    pb_network_free(module->levels);
    if (module->model != NULL) {
        OBJ_RELEASE(module->model);
    }
    if (module->topology != NULL) {
        OBJ_RELEASE(module->topology);
    }
}

OBJ_CLASS_INSTANCE(coll_pipebcast_module_t, mca_coll_base_module_t, module_construct,
                   module_destruct);

/** A module with all the memory that it needs until its ranks agree; NULL if out of memory. */
static coll_pipebcast_module_t *new_module(void)
{
    coll_pipebcast_module_t *module = OBJ_NEW(coll_pipebcast_module_t);
    if (module == NULL) {
        return NULL;
    }
    module->to_come = coll_pipebcast_agreement_new();
    if (module->to_come == NULL || coll_pipebcast_roles_init(module) != OMPI_SUCCESS) {
        OBJ_RELEASE(module);
    }
    return module;
}

void coll_pipebcast_module_keep_spare(void)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    if (component->spare == NULL) {
        component->spare = new_module();
    }
}

/** A new module; if there is no memory for it, the spare one. NULL: that is used up, too. */
static coll_pipebcast_module_t *get_module(void)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    coll_pipebcast_module_t *module = new_module();
    if (module == NULL && coll_pipebcast_reserve_spend()) {
        module = new_module();
    }
    opal_mutex_lock(&component->lock);
    if (module == NULL) {
        module = component->spare;
        component->spare = NULL;
    } else {
        coll_pipebcast_module_keep_spare();
    }
    opal_mutex_unlock(&component->lock);
    return module;
}

mca_coll_base_module_t *coll_pipebcast_comm_query(struct ompi_communicator_t *comm, int *priority)
{
    *priority = mca_coll_pipebcast_component.params.priority;
    if (*priority < 0 || OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2) {
        return NULL;
    }
    coll_pipebcast_module_t *module = get_module();
    if (module == NULL) {
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

/** Whether there is another component for each kind of broadcast, and one for our own questions. */
static bool has_fallback(const struct ompi_communicator_t *comm)
{
    return comm->c_coll->coll_bcast != NULL && comm->c_coll->coll_bcast_module != NULL &&
           comm->c_coll->coll_ibcast != NULL && comm->c_coll->coll_ibcast_module != NULL &&
           comm->c_coll->coll_bcast_init != NULL && comm->c_coll->coll_bcast_init_module != NULL &&
           comm->c_coll->coll_iallreduce != NULL;
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
    int rc;
    if (!has_fallback(comm)) {
        coll_pipebcast_tell(1,
                            "communicator %s: there is no other broadcast to fall back on, so "
                            "pipebcast stays out, as from communicators that han makes for "
                            "itself; if the parameter coll is a list, add tuned and libnbc",
                            comm->c_name);
        return OMPI_ERR_NOT_AVAILABLE;
    }
    module->comm = comm;
    /* A rank that stayed out would leave the others waiting at their first broadcast. If memory
     * is out, that is found when the ranks agree. */
    module->topology = coll_pipebcast_topology_get(&rc);
    module->model = coll_pipebcast_model_get(&rc);
    retain_fallback(module);
    coll_pipebcast_install(comm, &ours, NULL);
    return OMPI_SUCCESS;
}

/* May be called several times or never. */
static int module_disable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    coll_pipebcast_settle(module);
    opal_mutex_lock(&component->lock);
    coll_pipebcast_module_keep_spare(); /* if the last one was used up, when out of memory */
    opal_mutex_unlock(&component->lock);
    if (module->fallback.bcast_module != NULL) {
        coll_pipebcast_install(comm, &module->fallback, base);
    }
    release_fallback(module);
    return OMPI_SUCCESS;
}
