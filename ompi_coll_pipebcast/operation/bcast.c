/*
 * MPI_Bcast: large messages are operations of ours, others go to the fallback component.
 *
 * The communicator's lock is taken once for all that comes before the waiting, and once for each
 * time that there was nothing to do but to wait.
 */
#include "operation/bcast.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/tags.h"
#include "communicator/agreement.h"
#include "operation/decision.h"
#include "operation/operation.h"

/** What became of a broadcast before the waiting. */
typedef struct begun {
    coll_pipebcast_operation_t *operation; /**< NULL: it is not ours */
    coll_pipebcast_watched_t *watched; /**< it is the fallback component's, and how long it takes is
                                          measured; NULL: it is not */
    int64_t start;                     /**< by the clock, when the ranks had agreed */
    coll_pipebcast_decision_t decision;
} begun_t;

/** The fallback component gets a broadcast, as it is faster, or tried: as ours it counts. */
static void watch_passed(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                         begun_t *begun)
{
    const pb_planned_t *planned = &begun->decision.planned;
    if (begun->decision.reason == COLL_PIPEBCAST_PREDICTED) {
        begun->watched = coll_pipebcast_arrivals_watch(module, call->data.total, false);
    }
    if (module->is_lost) {
        begun->watched = NULL;
    }
    if (begun->watched != NULL) {
        (void) coll_pipebcast_arrivals_begin(begun->watched, planned, call->root, call->data.total,
                                             call->tag - 1);
    }
}

/** How long it took; how long this rank waited for its first bytes is not known. */
static void end_watched(const coll_pipebcast_call_t *call, const begun_t *begun)
{
    const pb_fold_times_t times = {.transfer = coll_pipebcast_now() - call->arrived};
    if (begun->watched != NULL) {
        coll_pipebcast_arrivals_end(begun->watched, call->arrived, &times);
    }
    coll_pipebcast_arrivals_leave();
}

/** Rank 0 logs from which size on broadcasts are planned, where that has changed. */
static void log_threshold(const coll_pipebcast_module_t *module, uint64_t before)
{
    const uint64_t now = pb_planner_threshold(module->planner);
    if (now != before && ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_log(10,
                           "communicator %s: messages of less than %llu bytes go to the fallback "
                           "component from now on",
                           module->comm->c_name, (unsigned long long) now);
    }
}

/** Agrees, decides and starts. Tags are reserved as many and as early on all ranks, lost or not. */
static int begin(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call, begun_t *begun)
{
    const size_t total = call->data.total;
    coll_pipebcast_plan_by_t by = COLL_PIPEBCAST_NOT_PLANNED;
    bool may_be_watched = false;
    *begun = (begun_t){.operation = NULL};
    coll_pipebcast_agree(module);
    if (module->state != COLL_PIPEBCAST_PASSING) { /* else nobody asks, and a clock takes time */
        begun->start = coll_pipebcast_now();
    }
    const uint64_t threshold = pb_planner_threshold(module->planner);
    const bool may_be_ours = coll_pipebcast_next_may_be_ours(module, total);
    if (may_be_ours) {
        call->tag = coll_pipebcast_reserve_tags(module->comm, COLL_PIPEBCAST_TAGS);
        call->arrived = begun->start;
        coll_pipebcast_arrivals_settle(module);
        coll_pipebcast_multicast_settle(module);
        call->settings = module->settings;
        call->late = pb_arrival_orders_take(&module->orders, call->root);
        may_be_watched = coll_pipebcast_operation_may_be_watched(module, call);
        by = may_be_watched && coll_pipebcast_arrivals_is_next(module, total)
                 ? COLL_PIPEBCAST_TO_LEARN
                 : COLL_PIPEBCAST_BY_LEARNING;
    }
    int rc = coll_pipebcast_decide(module, call->root, total, by, &begun->decision);
    log_threshold(module, threshold);
    if (rc == OMPI_SUCCESS && begun->decision.ours) {
        rc = coll_pipebcast_operation_start(module, call, &begun->decision.planned,
                                            &begun->operation);
    } else if (rc == OMPI_SUCCESS && may_be_watched && pb_planner_learns(module->planner)) {
        watch_passed(module, call, begun);
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
    coll_pipebcast_warn_unfit(module, &begun->decision);
    coll_pipebcast_count_fallback(begun->decision.reason, data->total);
    const int rc =
        module->fallback.bcast(data->buffer, (coll_pipebcast_count_t) data->count, data->datatype,
                               call->root, module->comm, module->fallback.bcast_module);
    if (begun->decision.is_logged || begun->watched != NULL) {
        coll_pipebcast_lock(&module->lock);
        end_watched(call, begun);
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
        coll_pipebcast_arrivals_leave();
        log_time(module, &call, &begun);
    }
    coll_pipebcast_unlock(&module->lock);
    if (rc == OMPI_SUCCESS && begun.operation == NULL) {
        return pass(module, &call, &begun);
    }
    coll_pipebcast_count_failure(rc);
    return rc;
}
