/*
 * MPI_Bcast: large messages are operations of ours, others go to the fallback component.
 *
 * The communicator's lock is taken once for all that comes before the waiting, and once for each
 * time that there was nothing to do but to wait.
 */
#include "operation/functions.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/tags.h"
#include "communicator/agreement.h"
#include "operation/decision.h"
#include "operation/operation.h"

/** What became of a broadcast before the waiting. */
typedef struct begun {
    coll_pipebcast_operation_t *operation; /**< NULL: it is not ours */
    int64_t start;                         /**< by the clock, when the ranks had agreed */
    coll_pipebcast_decision_t decision;
} begun_t;

/** A swept broadcast that the fallback component served ends: how long this rank waited for its
 * first bytes is not known. */
static void end_swept(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call)
{
    const pb_sweep_times_t times = {.transfer = coll_pipebcast_now() - call->arrived};
    coll_pipebcast_sweep_end(module, call->arrived, &times);
    coll_pipebcast_leave();
}

/** Agrees, decides and starts. Tags are reserved as many and as early on all ranks, lost or not. */
static int begin(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call, begun_t *begun)
{
    const size_t total = call->data.total;
    coll_pipebcast_plan_by_t by = COLL_PIPEBCAST_NOT_PLANNED;
    *begun = (begun_t){.operation = NULL};
    coll_pipebcast_agree(module, true);
    if (module->state != COLL_PIPEBCAST_PASSING) { /* else nobody asks, and a clock takes time */
        begun->start = coll_pipebcast_now();
    }
    if (coll_pipebcast_may_be_ours(module, total)) {
        call->tag = coll_pipebcast_reserve_tags(module->comm, COLL_PIPEBCAST_TAGS);
        call->arrived = begun->start;
        coll_pipebcast_sweep_settle(module);
        coll_pipebcast_multicast_settle(module);
        call->settings = module->settings;
        by = coll_pipebcast_operation_may_be_swept(module, call) ? COLL_PIPEBCAST_BY_SWEPT
                                                                 : COLL_PIPEBCAST_BY_ANY;
    }
    int rc = coll_pipebcast_decide(module, call->root, total, by, &begun->decision);
    const pb_planned_t *planned = &begun->decision.planned;
    if (rc == OMPI_SUCCESS && begun->decision.ours) {
        rc = coll_pipebcast_operation_start(module, call, planned, &begun->operation);
    } else if (rc == OMPI_SUCCESS && planned->is_swept && !module->is_lost) {
        (void) coll_pipebcast_sweep_begin(module, planned, call->root, total, call->tag - 1);
    }
    return rc;
}

/** Advances an operation to its end, making progress of everything else meanwhile. */
static int wait_for(coll_pipebcast_operation_t *operation, coll_pipebcast_lock_t *lock)
{
    while (!coll_pipebcast_operation_advance(operation)) {
        coll_pipebcast_unlock(lock);
        opal_progress();
        coll_pipebcast_lock(lock);
    }
    return coll_pipebcast_operation_finish(operation);
}

static void log_time(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                     const begun_t *begun)
{
    coll_pipebcast_log_time(module, call->root, call->data.total, &begun->decision,
                            coll_pipebcast_seconds_since(begun->start));
}

/** Gives a broadcast to the fallback component. Without the lock. */
static int pass(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                const begun_t *begun)
{
    const coll_pipebcast_data_t *data = &call->data;
    coll_pipebcast_report_unfit(module, &begun->decision);
    coll_pipebcast_count_fallback(begun->decision.reason, data->total);
    const int rc =
        module->fallback.bcast(data->buffer, (coll_pipebcast_count_t) data->count, data->datatype,
                               call->root, module->comm, module->fallback.bcast_module);
    if (begun->decision.is_logged || begun->decision.planned.is_swept) {
        coll_pipebcast_lock(&module->lock);
        if (begun->decision.planned.is_swept) {
            end_swept(module, call);
        }
        log_time(module, call, begun);
        coll_pipebcast_unlock(&module->lock);
    }
    return rc;
}

int coll_pipebcast_bcast(void *buffer, coll_pipebcast_count_t count,
                         struct ompi_datatype_t *datatype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    coll_pipebcast_call_t call = {.data = coll_pipebcast_data_of(buffer, (size_t) count, datatype),
                                  .root = root};
    begun_t begun;
    /* Ranks whose count is 0 do not come here at all, while others may describe
     * the same empty message by a type without bytes: nothing may be sent. */
    if (call.data.total == 0) {
        return OMPI_SUCCESS;
    }
    if (coll_pipebcast_may_overtake(comm)) {
        return module->fallback.bcast(buffer, count, datatype, root, comm,
                                      module->fallback.bcast_module);
    }
    coll_pipebcast_lock(&module->lock);
    int rc = begin(module, &call, &begun);
    if (rc == OMPI_SUCCESS && begun.operation != NULL) {
        rc = wait_for(begun.operation, &module->lock);
        coll_pipebcast_leave();
        log_time(module, &call, &begun);
    }
    coll_pipebcast_unlock(&module->lock);
    if (rc == OMPI_SUCCESS && begun.operation == NULL) {
        return pass(module, &call, &begun);
    }
    coll_pipebcast_count_failure(rc);
    return rc;
}
