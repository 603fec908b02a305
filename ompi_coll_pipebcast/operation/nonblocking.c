/*
 * Nonblocking and persistent broadcasts: large messages are requests of ours,
 * others go to the fallback component.
 *
 * MPI_Ibcast must not wait, not even for the agreement of the ranks. So the first
 * ones of a communicator are ours, whatever their size, until all ranks know that
 * they have agreed (module->may_pass). An initialisation may wait for that.
 */
#include "operation/nonblocking.h"

#include "communicator/agreement.h"
#include "communicator/lost.h"
#include "component/component.h"
#include "operation/request.h"

/** The fallback component's, where the broadcast is a part of the agreement itself. */
static int forward(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                   ompi_request_t **request_p)
{
    return module->fallback.ibcast(data->buffer, (coll_pipebcast_count_t) data->count,
                                   data->datatype, root, module->comm, request_p,
                                   module->fallback.ibcast_module);
}

static int pass(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                const coll_pipebcast_decision_t *decision, ompi_request_t **request_p)
{
    if (decision->reason == COLL_PIPEBCAST_UNFIT) {
        coll_pipebcast_warn_unfit(module, decision->choice.kind);
    }
    coll_pipebcast_count_fallback(decision->reason, data->total);
    return forward(module, data, root, request_p);
}

/** A request that begins as decided; otherwise when the ranks have agreed, at once if they have. */
static int begin(coll_pipebcast_request_t *request, const coll_pipebcast_decision_t *decision)
{
    if (decision != NULL) {
        return coll_pipebcast_request_begin(request, &decision->choice);
    }
    return coll_pipebcast_is_agreeing(request->module)
               ? OMPI_SUCCESS
               : coll_pipebcast_request_begin_agreed(request);
}

/** Starts a broadcast of ours; `decision` as above. Errors as coll_pipebcast_operation_start(). */
static int start(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                 int tag, const coll_pipebcast_decision_t *decision, ompi_request_t **request_p)
{
    coll_pipebcast_request_t *request = coll_pipebcast_request_new(module, data, root, tag, false);
    if (request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ompi_request_t *handle = &request->super.super;
    const int rc = begin(request, decision);
    if (rc != OMPI_SUCCESS) {
        ompi_request_free(&handle);
        return rc;
    }
    coll_pipebcast_outstanding_add(module, request);
    *request_p = handle;
    return OMPI_SUCCESS;
}

/** What can be done of MPI_Ibcast with the lock held; if decision->ours is false, nothing was. */
static int broadcast(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                     coll_pipebcast_decision_t *decision, ompi_request_t **request_p)
{
    *decision = (coll_pipebcast_decision_t){.ours = true};
    int rc = OMPI_SUCCESS, tag = 0;
    if (module->state == COLL_PIPEBCAST_UNDECIDED) {
        rc = coll_pipebcast_agreement_start(module);
    }
    if (!module->may_pass || coll_pipebcast_may_be_ours(module, data->total)) {
        tag = coll_pipebcast_request_tags(module, false);
    }
    if (rc != OMPI_SUCCESS || !module->may_pass) {
        return rc != OMPI_SUCCESS ? rc : start(module, data, root, tag, NULL, request_p);
    }
    rc = coll_pipebcast_decide(module, root, data->total, decision);
    if (rc != OMPI_SUCCESS || !decision->ours) {
        return rc;
    }
    rc = start(module, data, root, tag, decision, request_p);
    if (rc == OMPI_ERR_NOT_SUPPORTED) {
        decision->ours = false;
        decision->reason = COLL_PIPEBCAST_UNFIT;
        rc = OMPI_SUCCESS;
    }
    return rc;
}

int coll_pipebcast_ibcast(void *buffer, coll_pipebcast_count_t count,
                          struct ompi_datatype_t *datatype, int root,
                          struct ompi_communicator_t *comm, ompi_request_t **request_p,
                          mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    const coll_pipebcast_data_t data = coll_pipebcast_data_of(buffer, (size_t) count, datatype);
    coll_pipebcast_decision_t decision = {0};
    (void) comm;
    if (data.total == 0) { /* as in coll_pipebcast_bcast() */
        *request_p = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    if (module->state == COLL_PIPEBCAST_ASKING) {
        return forward(module, &data, root, request_p);
    }
    opal_mutex_lock(&module->lock);
    const int rc = broadcast(module, &data, root, &decision, request_p);
    opal_mutex_unlock(&module->lock);
    coll_pipebcast_note_failure(rc);
    return rc == OMPI_SUCCESS && !decision.ours ? pass(module, &data, root, &decision, request_p)
                                                : rc;
}

static int forward_init(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data,
                        int root, struct ompi_info_t *info, ompi_request_t **request_p)
{
    return module->fallback.bcast_init(data->buffer, (coll_pipebcast_count_t) data->count,
                                       data->datatype, root, module->comm, info, request_p,
                                       module->fallback.bcast_init_module);
}

static int pass_init(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                     const coll_pipebcast_decision_t *decision, struct ompi_info_t *info,
                     ompi_request_t **request_p)
{
    if (decision->reason == COLL_PIPEBCAST_UNFIT) {
        coll_pipebcast_warn_unfit(module, decision->choice.kind);
    }
    coll_pipebcast_count_fallback(decision->reason, data->total);
    return forward_init(module, data, root, info, request_p);
}

/** Decides for all starts, now that this can still be the fallback component. With the lock held.
 */
static int decide_for_starts(coll_pipebcast_module_t *module, int root, size_t total,
                             coll_pipebcast_decision_t *decision)
{
    int error;
    const int rc = coll_pipebcast_decide(module, root, total, decision);
    if (rc != OMPI_SUCCESS || !decision->ours || coll_pipebcast_minds_arrivals() ||
        coll_pipebcast_role(module, decision->choice.kind, root, &error) != NULL) {
        return rc;
    }
    if (error != OMPI_ERR_NOT_SUPPORTED) {
        coll_pipebcast_lose(module, error); /* the others have a request */
        return error;
    }
    decision->ours = false;
    decision->reason = COLL_PIPEBCAST_UNFIT;
    return OMPI_SUCCESS;
}

/** What can be done of MPI_Bcast_init with the lock held, as broadcast(). */
static int initialise(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                      coll_pipebcast_decision_t *decision, ompi_request_t **request_p)
{
    int tag = 0;
    if (coll_pipebcast_may_be_ours(module, data->total)) {
        tag = coll_pipebcast_request_tags(module, true);
    }
    const int rc = decide_for_starts(module, root, data->total, decision);
    if (rc != OMPI_SUCCESS || !decision->ours) {
        return rc;
    }
    coll_pipebcast_request_t *request = coll_pipebcast_request_new(module, data, root, tag, true);
    if (request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    request->choice = decision->choice;
    *request_p = &request->super.super;
    return OMPI_SUCCESS;
}

int coll_pipebcast_bcast_init(void *buffer, coll_pipebcast_count_t count,
                              struct ompi_datatype_t *datatype, int root,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    const coll_pipebcast_data_t data = coll_pipebcast_data_of(buffer, (size_t) count, datatype);
    coll_pipebcast_decision_t decision = {0};
    (void) comm;
    if (data.total == 0) {
        return ompi_request_persistent_noop_create(request_p);
    }
    int rc = coll_pipebcast_agree(module);
    if (rc == OMPI_SUCCESS && module->state == COLL_PIPEBCAST_ASKING) {
        return forward_init(module, &data, root, info, request_p);
    }
    if (rc == OMPI_SUCCESS) {
        opal_mutex_lock(&module->lock);
        rc = initialise(module, &data, root, &decision, request_p);
        opal_mutex_unlock(&module->lock);
    }
    coll_pipebcast_note_failure(rc);
    return rc == OMPI_SUCCESS && !decision.ours
               ? pass_init(module, &data, root, &decision, info, request_p)
               : rc;
}
