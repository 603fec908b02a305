/*
 * MPI_Bcast: large messages are operations of ours, others go to the fallback
 * component.
 */
#include "communicator/agreement.h"
#include "component/clock.h"
#include "component/component.h"
#include "component/log.h"
#include "operation/operation.h"

static int forward(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root)
{
    return module->fallback.bcast(data->buffer, (coll_pipebcast_count_t) data->count,
                                  data->datatype, root, module->comm,
                                  module->fallback.bcast_module);
}

static int pass(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                coll_pipebcast_reason_t reason)
{
    coll_pipebcast_count_fallback(reason, data->total);
    return forward(module, data, root);
}

/** The algorithm cannot serve this root (alike on all ranks); rank 0 says so. */
static int pass_unfit(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                      pb_kind_t kind)
{
    coll_pipebcast_warn_unfit(module, kind);
    return pass(module, data, root, COLL_PIPEBCAST_UNFIT);
}

/** Advances an operation; its result is in *rc_p when it is through. */
static bool advance(coll_pipebcast_operation_t *operation, int *rc_p)
{
    opal_mutex_t *lock = &operation->module->lock;
    opal_mutex_lock(lock);
    const bool is_through = coll_pipebcast_operation_advance(operation);
    if (is_through) {
        *rc_p = coll_pipebcast_operation_finish(operation);
    }
    opal_mutex_unlock(lock);
    return is_through;
}

/** Starts an operation and advances it to its end, making progress of everything else meanwhile. */
static int operate(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                   const coll_pipebcast_choice_t *choice, int tag)
{
    const coll_pipebcast_apart_t apart = {.tag = tag};
    coll_pipebcast_operation_t operation;
    opal_mutex_lock(&module->lock);
    int rc = coll_pipebcast_operation_start(&operation, module, data, root, choice, &apart);
    opal_mutex_unlock(&module->lock);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    while (!advance(&operation, &rc)) {
        opal_progress();
    }
    return rc;
}

/** Tells how long it took, where the choice was told. */
static void tell_time(coll_pipebcast_module_t *module, int root, size_t total,
                      const coll_pipebcast_choice_t *choice, int64_t start)
{
    const double seconds = coll_pipebcast_seconds_since(start);
    opal_mutex_lock(&module->lock);
    coll_pipebcast_choice_took(module, root, total, choice, seconds);
    opal_mutex_unlock(&module->lock);
}

void coll_pipebcast_note_failure(int error)
{
    if (error != OMPI_SUCCESS) {
        coll_pipebcast_count(&mca_coll_pipebcast_component.counters.failed, 1);
    }
}

/** One of ours, for which the choice may still turn out not to fit. */
static int broadcast(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                     const coll_pipebcast_choice_t *choice, int tag, int64_t start)
{
    const int rc = operate(module, data, root, choice, tag);
    if (rc == OMPI_ERR_NOT_SUPPORTED) {
        return pass_unfit(module, data, root, choice->kind);
    }
    tell_time(module, root, data->total, choice, start);
    coll_pipebcast_note_failure(rc);
    return rc;
}

/** Decides, and for one of ours reserves tags: as many and as early on all ranks, lost or not. */
static int decide(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data, int root,
                  coll_pipebcast_decision_t *decision, int *tag_p)
{
    opal_mutex_lock(&module->lock);
    if (coll_pipebcast_may_be_ours(module, data->total)) {
        *tag_p = coll_pipebcast_reserve_tags(module->comm, COLL_PIPEBCAST_TAGS);
    }
    const int rc = coll_pipebcast_decide(module, root, data->total, decision);
    opal_mutex_unlock(&module->lock);
    return rc;
}

static int decide_and_broadcast(coll_pipebcast_module_t *module, const coll_pipebcast_data_t *data,
                                int root)
{
    const int64_t start = coll_pipebcast_now();
    coll_pipebcast_decision_t decision;
    int tag = 0;
    int rc = decide(module, data, root, &decision, &tag);
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_note_failure(rc);
        return rc;
    }
    if (decision.ours) {
        return broadcast(module, data, root, &decision.choice, tag, start);
    }
    if (decision.reason == COLL_PIPEBCAST_UNFIT) {
        return pass_unfit(module, data, root, decision.choice.kind);
    }
    rc = pass(module, data, root, decision.reason);
    tell_time(module, root, data->total, &decision.choice, start);
    return rc;
}

int coll_pipebcast_bcast(void *buffer, coll_pipebcast_count_t count,
                         struct ompi_datatype_t *datatype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    const coll_pipebcast_data_t data = coll_pipebcast_data_of(buffer, (size_t) count, datatype);
    (void) comm;
    /* Ranks whose count is 0 do not come here at all, while others may describe
     * the same empty message by a type without bytes: nothing may be sent. */
    if (data.total == 0) {
        return OMPI_SUCCESS;
    }
    const int rc = coll_pipebcast_agree(module);
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_note_failure(rc);
        return rc;
    }
    if (module->state == COLL_PIPEBCAST_ASKING) {
        return forward(module, &data, root);
    }
    return decide_and_broadcast(module, &data, root);
}
