/*
 * Nonblocking and persistent broadcasts: large messages are requests of ours,
 * others go to the fallback component.
 */
#include "operation/functions.h"

#include "communicator/agreement.h"
#include "communicator/connections.h"
#include "operation/decision.h"
#include "operation/request.h"

/** What became of a call. */
typedef struct called {
    coll_pipebcast_request_t *request; /**< NULL: it is not ours */
    coll_pipebcast_decision_t decision;
} called_t;

/** Reports and counts a broadcast that is not ours. */
static void note_passed(const coll_pipebcast_module_t *module, const called_t *called, size_t total)
{
    coll_pipebcast_report_unfit(module, &called->decision);
    coll_pipebcast_count_fallback(called->decision.reason, total);
}

/** Starts a broadcast of ours; `planned` as for coll_pipebcast_request_begin(). */
static int start(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                 const pb_planned_t *planned, coll_pipebcast_request_t **request_p)
{
    coll_pipebcast_request_t *request = coll_pipebcast_request_new(module, call, false);
    if (request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = coll_pipebcast_request_begin(request, planned);
    if (rc != OMPI_SUCCESS) {
        ompi_request_t *handle = &request->super.super;
        ompi_request_free(&handle);
        return rc;
    }
    *request_p = request;
    return OMPI_SUCCESS;
}

/** What is done of MPI_Ibcast with the lock held. */
static int broadcast(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call, called_t *called)
{
    *called = (called_t){.request = NULL};
    coll_pipebcast_agree(module, false);
    const bool may_be_ours = coll_pipebcast_may_be_ours(module, call->data.total);
    if (may_be_ours) {
        call->tag = coll_pipebcast_request_tags(module, false);
    }
    call->settings = module->settings;
    const int rc = coll_pipebcast_decide(
        module, call->root, call->data.total,
        may_be_ours ? COLL_PIPEBCAST_BY_ANY : COLL_PIPEBCAST_NOT_PLANNED, &called->decision);
    return rc == OMPI_SUCCESS && called->decision.ours
               ? start(module, call, &called->decision.planned, &called->request)
               : rc;
}

/**
 * Has `begin` called with the lock held. True if that is all: *rc_p is the result, and on success
 * *request_p the request. False: the fallback component is to be called, without the lock.
 */
static bool serve(coll_pipebcast_module_t *module,
                  int (*begin)(coll_pipebcast_module_t *, coll_pipebcast_call_t *, called_t *),
                  coll_pipebcast_call_t *call, ompi_request_t **request_p, int *rc_p)
{
    called_t called;
    coll_pipebcast_lock(&module->lock);
    *rc_p = begin(module, call, &called);
    coll_pipebcast_unlock(&module->lock);
    coll_pipebcast_count_failure(*rc_p);
    if (*rc_p == OMPI_SUCCESS && called.request == NULL) {
        note_passed(module, &called, call->data.total);
        return false;
    }
    if (*rc_p == OMPI_SUCCESS) {
        *request_p = &called.request->super.super;
    }
    return true;
}

int coll_pipebcast_ibcast(void *buffer, coll_pipebcast_count_t count,
                          struct ompi_datatype_t *datatype, int root,
                          struct ompi_communicator_t *comm, ompi_request_t **request_p,
                          mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    coll_pipebcast_call_t call = {.data = coll_pipebcast_data_of(buffer, (size_t) count, datatype),
                                  .root = root};
    if (call.data.total == 0) { /* as in coll_pipebcast_bcast() */
        *request_p = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc;
    if (!coll_pipebcast_may_overtake(comm) && serve(module, broadcast, &call, request_p, &rc)) {
        return rc;
    }
    return module->fallback.ibcast(call.data.buffer, (coll_pipebcast_count_t) call.data.count,
                                   call.data.datatype, root, module->comm, request_p,
                                   module->fallback.ibcast_module);
}

/** A persistent broadcast is decided, and its request made if it is ours. */
static int prepare(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                   coll_pipebcast_plan_by_t by, called_t *called)
{
    const int rc =
        coll_pipebcast_decide(module, call->root, call->data.total, by, &called->decision);
    if (rc != OMPI_SUCCESS || !called->decision.ours) {
        return rc;
    }
    called->request = coll_pipebcast_request_new(module, call, true);
    if (called->request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    called->request->planned = called->decision.planned;
    called->request->planned.role = NULL; /* it was borrowed */
    return OMPI_SUCCESS;
}

/** Does the part of MPI_Bcast_init with the lock held. */
static int initialise(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call,
                      called_t *called)
{
    *called = (called_t){.request = NULL};
    coll_pipebcast_agree(module, false);
    call->settings = module->settings;
    if (!coll_pipebcast_may_be_ours(module, call->data.total)) {
        return prepare(module, call, COLL_PIPEBCAST_NOT_PLANNED, called);
    }
    call->tag = coll_pipebcast_request_tags(module, true);
    if (call->tag == 0) {
        return prepare(module, call, COLL_PIPEBCAST_NOT_PLANNED, called);
    }
    /* Each rank may have its starts in another order, and the broadcasts of a multicast group have
     * one order on all ranks. */
    return prepare(module, call, COLL_PIPEBCAST_BY_TREE, called);
}

int coll_pipebcast_bcast_init(void *buffer, coll_pipebcast_count_t count,
                              struct ompi_datatype_t *datatype, int root,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    coll_pipebcast_call_t call = {.data = coll_pipebcast_data_of(buffer, (size_t) count, datatype),
                                  .root = root};
    if (call.data.total == 0) {
        return ompi_request_persistent_noop_create(request_p);
    }
    int rc;
    if (!coll_pipebcast_may_overtake(comm) && serve(module, initialise, &call, request_p, &rc)) {
        return rc;
    }
    return module->fallback.bcast_init(call.data.buffer, (coll_pipebcast_count_t) call.data.count,
                                       call.data.datatype, root, module->comm, info, request_p,
                                       module->fallback.bcast_init_module);
}
