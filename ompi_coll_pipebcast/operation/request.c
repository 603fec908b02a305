/*
 * A nonblocking or persistent broadcast; see operation/request.h.
 */
#include "operation/request.h"

#include "communicator/lost.h"
#include "operation/decision.h"

static void request_construct(coll_pipebcast_request_t *request)
{
    OBJ_CONSTRUCT(&request->task.super, opal_list_item_t);
    request->comm = NULL;
    request->call.data.datatype = NULL;
    request->operation = NULL;
}
static void request_destruct(coll_pipebcast_request_t *request)
{
    if (request->call.data.datatype != NULL) {
        OBJ_RELEASE(request->call.data.datatype);
    }
    if (request->comm != NULL) {
        OBJ_RELEASE(request->comm);
    }
    OBJ_DESTRUCT(&request->task.super);
}
OBJ_CLASS_INSTANCE(coll_pipebcast_request_t, ompi_coll_base_nbc_request_t, request_construct,
                   request_destruct);

static coll_pipebcast_request_t *request_of(coll_pipebcast_task_t *task)
{
    return (coll_pipebcast_request_t *) (void *) ((char *) task -
                                                  offsetof(coll_pipebcast_request_t, task));
}

static int request_free(ompi_request_t **handle)
{
    coll_pipebcast_request_t *request = (coll_pipebcast_request_t *) *handle;
    OMPI_REQUEST_FINI(*handle);
    *handle = MPI_REQUEST_NULL;
    OBJ_RELEASE(request);
    return OMPI_SUCCESS;
}

/** Collective operations cannot be cancelled. */
static int request_cancel(ompi_request_t *request, int flag)
{
    (void) request;
    (void) flag;
    return MPI_ERR_REQUEST;
}

/** The state in which a request of Open MPI's is active. */
static void activate(ompi_request_t *base)
{
    base->req_complete = REQUEST_PENDING;
    base->req_state = OMPI_REQUEST_ACTIVE;
    base->req_status = ompi_status_empty;
}

/**
 * The user may learn that it is through. False: not yet, unless it must be now. The lock is one for
 * the process, as a thread may wait for requests of several communicators.
 */
static bool complete(coll_pipebcast_request_t *request, bool must)
{
    static coll_pipebcast_lock_t one_at_a_time = {.mutex = OPAL_MUTEX_STATIC_INIT};
    ompi_request_t *base = &request->super.super;
    coll_pipebcast_lock(&one_at_a_time);
    const bool may = must || coll_pipebcast_may_complete(base);
    if (may) {
        base->req_status.MPI_ERROR = MPI_SUCCESS;
        if (request->error != OMPI_SUCCESS) {
            base->req_status.MPI_ERROR = ompi_errcode_get_mpi_code(request->error);
            OBJ_RETAIN(request->comm); /* it is asked for its handler when the request is gone */
        }
        ompi_request_complete(base, true);
    }
    coll_pipebcast_unlock(&one_at_a_time);
    return may;
}

/** Starts a persistent request once more. Not every series of Open MPI tells the user of an error
 * here, so one that fails completes with it. */
static void start_one(coll_pipebcast_request_t *request)
{
    coll_pipebcast_lock_t *lock = &request->module->lock;
    coll_pipebcast_lock(lock);
    request->n_starts++;
    coll_pipebcast_count(&coll_pipebcast_counters.persistent, 1);
    activate(&request->super.super);
    const int rc = coll_pipebcast_request_begin(request, NULL);
    coll_pipebcast_unlock(lock);
    coll_pipebcast_count_failure(rc);
    if (rc != OMPI_SUCCESS) {
        request->error = rc;
        (void) complete(request, true);
    }
}

static int request_start(size_t n, ompi_request_t **requests)
{
    for (size_t i = 0; i < n; i++) {
        start_one((coll_pipebcast_request_t *) requests[i]);
    }
    return OMPI_SUCCESS;
}

/**
 * Returns the call of this start. A rank can be one start ahead of another, but no more, so every
 * other start has the same tags. No rank ends a start before the root has begun it, nor the root
 * before every rank has reported to it.
 */
static coll_pipebcast_call_t call_of(coll_pipebcast_request_t *request)
{
    coll_pipebcast_call_t call = request->call;
    call.tag -= (int) (request->n_starts % 2) * COLL_PIPEBCAST_TAGS;
    return call;
}

/**
 * As a task: true when it is through, with the result in request->error, and nothing keeps the user
 * from learning that.
 */
static bool advance(coll_pipebcast_task_t *task)
{
    coll_pipebcast_request_t *request = request_of(task);
    if (request->operation != NULL) {
        if (!coll_pipebcast_operation_advance(request->operation)) {
            return false;
        }
        request->error = coll_pipebcast_operation_finish(request->operation);
        request->operation = NULL;
        coll_pipebcast_count_failure(request->error);
    }
    return coll_pipebcast_may_complete(&request->super.super);
}

/** Completes the request, or makes it a task again. */
static void end(coll_pipebcast_task_t *task)
{
    coll_pipebcast_request_t *request = request_of(task);
    coll_pipebcast_lock_t *lock = &request->module->lock;
    if (!complete(request, false)) {
        coll_pipebcast_lock(lock);
        const int rc = coll_pipebcast_progress_add(request->module, task);
        coll_pipebcast_unlock(lock);
        if (rc == OMPI_SUCCESS) {
            return;
        }
        (void) complete(request, true);
    }
    OBJ_RELEASE(request);
}

coll_pipebcast_request_t *coll_pipebcast_request_new(coll_pipebcast_module_t *module,
                                                     const coll_pipebcast_call_t *call)
{
    const bool is_persistent = call->way == COLL_PIPEBCAST_PERSISTENT;
    coll_pipebcast_request_t *request = OBJ_NEW(coll_pipebcast_request_t);
    if (request == NULL) {
        request = OBJ_NEW(coll_pipebcast_request_t); /* see operation/operation.h */
    }
    if (request == NULL) {
        coll_pipebcast_lose(module, OMPI_ERR_OUT_OF_RESOURCE);
        return NULL;
    }
    ompi_request_t *base = &request->super.super;
    OMPI_REQUEST_INIT(base, is_persistent);
    base->req_type = OMPI_REQUEST_COLL;
    base->req_mpi_object.comm = module->comm;
    base->req_start = request_start;
    base->req_free = request_free;
    base->req_cancel = request_cancel;
    base->req_status = ompi_status_empty;
    if (!is_persistent) {
        activate(base);
        coll_pipebcast_count(&coll_pipebcast_counters.nonblocking, 1);
    }
    request->task.advance = advance;
    request->task.end = end;
    request->comm = module->comm;
    OBJ_RETAIN(request->comm);
    request->call = *call;
    OBJ_RETAIN(request->call.data.datatype);
    request->module = module;
    request->n_starts = 0;
    request->planned = (pb_planned_t){.is_known = false};
    request->error = OMPI_SUCCESS;
    return request;
}

/** Nothing will advance it: leaves what was begun, which others go on with. */
static void abandon(coll_pipebcast_request_t *request, int error)
{
    coll_pipebcast_lose(request->module, error);
    request->operation->method->cancel(request->operation);
    (void) coll_pipebcast_operation_finish(request->operation);
    request->operation = NULL;
    OBJ_RELEASE(request);
}

int coll_pipebcast_request_begin(coll_pipebcast_request_t *request, const pb_planned_t *planned)
{
    coll_pipebcast_module_t *module = request->module;
    const coll_pipebcast_call_t call = call_of(request);
    pb_planned_t again;
    int rc = OMPI_SUCCESS;
    if (planned == NULL) {
        rc = coll_pipebcast_decide_again(module, call.root, &request->planned, &again);
        planned = &again;
    }
    if (rc == OMPI_SUCCESS) {
        rc = coll_pipebcast_operation_start(module, &call, planned, &request->operation);
    }
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    /* If that is all, the next call finds the same again. */
    (void) coll_pipebcast_operation_advance(request->operation);
    OBJ_RETAIN(request);
    rc = coll_pipebcast_progress_add(module, &request->task);
    if (rc != OMPI_SUCCESS) {
        abandon(request, rc);
        return rc;
    }
    return OMPI_SUCCESS;
}
