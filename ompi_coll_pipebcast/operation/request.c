/*
 * A nonblocking or persistent broadcast; see operation/request.h.
 */
#include "operation/request.h"

#include "communicator/lost.h"

static void request_construct(coll_pipebcast_request_t *request)
{
    request->comm = NULL;
    request->data.datatype = NULL;
}
static void request_destruct(coll_pipebcast_request_t *request)
{
    if (request->data.datatype != NULL) {
        OBJ_RELEASE(request->data.datatype);
    }
    if (request->comm != NULL) {
        OBJ_RELEASE(request->comm);
    }
}
OBJ_CLASS_INSTANCE(coll_pipebcast_request_t, ompi_coll_base_nbc_request_t, request_construct,
                   request_destruct);

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

/** Starts a persistent request once more. */
static int start_one(coll_pipebcast_request_t *request)
{
    opal_mutex_t *lock = &request->module->lock;
    opal_mutex_lock(lock);
    request->n_starts++;
    coll_pipebcast_count(&mca_coll_pipebcast_component.counters.persistent, 1);
    activate(&request->super.super);
    const int rc = coll_pipebcast_request_begin(request, &request->choice);
    if (rc == OMPI_SUCCESS) {
        coll_pipebcast_outstanding_add(request->module, request);
    } else {
        request->super.super.req_complete = REQUEST_COMPLETED;
        request->super.super.req_state = OMPI_REQUEST_INACTIVE;
    }
    opal_mutex_unlock(lock);
    coll_pipebcast_note_failure(rc);
    return rc;
}

static int request_start(size_t n, ompi_request_t **requests)
{
    int rc = OMPI_SUCCESS;
    for (size_t i = 0; i < n && rc == OMPI_SUCCESS; i++) {
        rc = start_one((coll_pipebcast_request_t *) requests[i]);
    }
    return rc;
}

int coll_pipebcast_request_tags(const coll_pipebcast_module_t *module, bool persistent)
{
    return coll_pipebcast_reserve_tags(module->comm, (persistent ? 2 : 1) * COLL_PIPEBCAST_TAGS);
}

coll_pipebcast_request_t *coll_pipebcast_request_new(coll_pipebcast_module_t *module,
                                                     const coll_pipebcast_data_t *data, int root,
                                                     int tag, bool persistent)
{
    coll_pipebcast_request_t *request = OBJ_NEW(coll_pipebcast_request_t);
    if (request == NULL && coll_pipebcast_reserve_spend()) {
        request = OBJ_NEW(coll_pipebcast_request_t);
    }
    if (request == NULL) {
        coll_pipebcast_lose(module, OMPI_ERR_OUT_OF_RESOURCE);
        return NULL;
    }
    ompi_request_t *base = &request->super.super;
    OMPI_REQUEST_INIT(base, persistent);
    base->req_type = OMPI_REQUEST_COLL;
    base->req_mpi_object.comm = module->comm;
    base->req_start = request_start;
    base->req_free = request_free;
    base->req_cancel = request_cancel;
    base->req_status = ompi_status_empty;
    if (!persistent) {
        activate(base);
        coll_pipebcast_count(&mca_coll_pipebcast_component.counters.nonblocking, 1);
    }
    request->comm = module->comm;
    OBJ_RETAIN(request->comm);
    request->data = *data;
    OBJ_RETAIN(request->data.datatype);
    request->module = module;
    request->root = root;
    request->tag = tag;
    request->n_starts = 0;
    request->is_begun = false;
    request->error = OMPI_SUCCESS;
    return request;
}

/**
 * The tags of this start. A rank can be one start ahead of another, so that every
 * other start has the same ones: no rank ends a start before the root has begun it,
 * nor the root before every rank has told it all that it has to tell.
 */
static coll_pipebcast_apart_t apart_of(const coll_pipebcast_request_t *request)
{
    const int set = (int) (request->n_starts % 2);
    return (coll_pipebcast_apart_t){.tag = request->tag - set * COLL_PIPEBCAST_TAGS,
                                    .overlaps = true,
                                    .repeats = request->super.super.req_persistent};
}

int coll_pipebcast_request_begin(coll_pipebcast_request_t *request,
                                 const coll_pipebcast_choice_t *choice)
{
    const coll_pipebcast_apart_t apart = apart_of(request);
    request->is_begun = true;
    const int rc = coll_pipebcast_operation_start(&request->operation, request->module,
                                                  &request->data, request->root, choice, &apart);
    if (rc == OMPI_SUCCESS) {
        /* What can be done at once is. If that is all, the next call finds the same again. */
        (void) coll_pipebcast_operation_advance(&request->operation);
    }
    return rc;
}

static int begin_stand_in(coll_pipebcast_request_t *request)
{
    const coll_pipebcast_apart_t apart = apart_of(request);
    request->is_begun = true;
    const int rc = coll_pipebcast_operation_stand_in(&request->operation, request->module,
                                                     &request->data, request->root, &apart);
    if (rc == OMPI_SUCCESS) {
        (void) coll_pipebcast_operation_advance(&request->operation);
    }
    return rc;
}

int coll_pipebcast_request_begin_agreed(coll_pipebcast_request_t *request)
{
    coll_pipebcast_module_t *module = request->module;
    coll_pipebcast_decision_t decision = {0};
    int rc = coll_pipebcast_decide_later(module, request->root, request->data.total, &decision);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (decision.ours) {
        rc = coll_pipebcast_request_begin(request, &decision.choice);
    }
    if (rc == OMPI_ERR_NOT_SUPPORTED ||
        (!decision.ours && decision.reason == COLL_PIPEBCAST_UNFIT)) {
        coll_pipebcast_warn_unfit(module, decision.choice.kind);
    }
    return decision.ours && rc != OMPI_ERR_NOT_SUPPORTED ? rc : begin_stand_in(request);
}

bool coll_pipebcast_request_advance(coll_pipebcast_request_t *request)
{
    request->error =
        request->is_begun ? OMPI_SUCCESS : coll_pipebcast_request_begin_agreed(request);
    if (request->error == OMPI_SUCCESS) {
        if (!coll_pipebcast_operation_advance(&request->operation)) {
            return false;
        }
        request->error = coll_pipebcast_operation_finish(&request->operation);
    }
    coll_pipebcast_note_failure(request->error);
    return true;
}

void coll_pipebcast_request_complete(coll_pipebcast_request_t *request)
{
    request->super.super.req_status.MPI_ERROR =
        request->error == OMPI_SUCCESS ? MPI_SUCCESS : ompi_errcode_get_mpi_code(request->error);
    ompi_request_complete(&request->super.super, true);
}
