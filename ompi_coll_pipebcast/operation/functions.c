/*
 * MPI_Bcast, MPI_Ibcast and MPI_Bcast_init: large messages are operations or requests of ours,
 * others go to the fallback component.
 *
 * The communicator's lock is taken once before the waiting, and once for each time that there was
 * nothing to do.
 */
#include "operation/functions.h"

#include <limits.h>

#include "base/clock.h"
#include "base/parameters.h"
#include "communicator/agreement.h"
#include "communicator/lost.h"
#include "operation/decision.h"
#include "operation/request.h"

/**
 * Ranks above which short messages go to the fallback component unless min_size is named. Planning
 * a root takes milliseconds then, and many programs send a few bytes from every rank in turn.
 */
#define MANY_RANKS 512

/** A call, and what became of it; where it has neither operation nor request it is not ours. */
typedef struct begun {
    coll_pipebcast_call_t call;
    coll_pipebcast_operation_t *operation; /**< of a blocking one */
    coll_pipebcast_request_t *request;     /**< of another one */
    coll_pipebcast_decision_t decision;
} begun_t;

/** Starts what was decided, or makes the request for it. */
static int start(coll_pipebcast_module_t *module, begun_t *begun)
{
    const pb_planned_t *planned = &begun->decision.planned;
    if (begun->call.way == COLL_PIPEBCAST_BLOCKING) {
        return coll_pipebcast_operation_start(module, &begun->call, planned, &begun->operation);
    }
    coll_pipebcast_request_t *request = coll_pipebcast_request_new(module, &begun->call);
    if (request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (begun->call.way == COLL_PIPEBCAST_PERSISTENT) {
        request->planned = *planned;
        request->planned.role = NULL; /* it was borrowed */
    } else {
        const int rc = coll_pipebcast_request_begin(request, planned);
        if (rc != OMPI_SUCCESS) {
            ompi_request_t *handle = &request->super.super;
            ompi_request_free(&handle);
            return rc;
        }
    }
    begun->request = request;
    return OMPI_SUCCESS;
}

/**
 * Reserves tags (0: there are none any more) alike on all ranks, lost or not, and settles what is
 * open before a blocking broadcast.
 */
static void prepare(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call)
{
    call->tag =
        call->way == COLL_PIPEBCAST_PERSISTENT
            ? coll_pipebcast_reserve_lasting_tags(&module->tags, COLL_PIPEBCAST_PERSISTENT_TAGS)
            : coll_pipebcast_reserve_tags(&module->tags, COLL_PIPEBCAST_TAGS);
    coll_pipebcast_keep_apart(&module->tags, module->comm);
    if (call->way == COLL_PIPEBCAST_BLOCKING) {
        call->arrived = coll_pipebcast_now();
        if (pb_schedule_is_due(&module->sweep.schedule)) {
            coll_pipebcast_sweep_settle(module);
        }
    }
    call->usual_method = coll_pipebcast_method_of(module, call);
}

/** Bytes of the smallest message that may be ours, alike on all ranks. */
static size_t least_size(const coll_pipebcast_module_t *module)
{
    const size_t named = coll_pipebcast_params.min_size;
    return named != 0 ? named : ompi_comm_size(module->comm) > MANY_RANKS ? PB_CHOOSE_SHORT : 1;
}

/**
 * Returns whether a message of `total` bytes may turn out to be ours, once the ranks have agreed;
 * if not, *reason_p says why. It depends on agreed values alone, so a rank that has lost the
 * agreement knows it, too.
 */
static bool may_be_ours(const coll_pipebcast_module_t *module, size_t total,
                        coll_pipebcast_reason_t *reason_p)
{
    const bool is_passing = module->state == COLL_PIPEBCAST_PASSING;
    *reason_p = is_passing ? module->passes_for : COLL_PIPEBCAST_TOO_SMALL;
    return !is_passing && total >= least_size(module);
}

/** Agrees, decides and starts. With the lock held. */
static int begin(coll_pipebcast_module_t *module, begun_t *begun)
{
    coll_pipebcast_call_t *call = &begun->call;
    if (module->state == COLL_PIPEBCAST_UNDECIDED ||
        (module->state == COLL_PIPEBCAST_SERVING && module->is_local_group)) {
        coll_pipebcast_agree(module);
    }
    if (!may_be_ours(module, call->data.total, &begun->decision.reason)) {
        return OMPI_SUCCESS;
    }
    prepare(module, call);
    if (call->tag == 0) {
        begun->decision.reason = COLL_PIPEBCAST_NO_TAGS;
        return OMPI_SUCCESS;
    }
    const int rc = coll_pipebcast_decide(module, call, &begun->decision);
    if (rc == OMPI_SUCCESS && begun->decision.ours) {
        return start(module, begun);
    }
    if (rc == OMPI_SUCCESS && call->is_swept && !module->is_lost) {
        (void) coll_pipebcast_sweep_begin(module, &begun->decision.planned, call->data.total,
                                          call->tag - COLL_PIPEBCAST_TAG_OF_SWEEP);
    }
    return rc;
}

/** Advances an operation to its end, making progress of everything else meanwhile. */
static int wait_for(coll_pipebcast_module_t *module, const begun_t *begun)
{
    while (!coll_pipebcast_operation_advance(begun->operation)) {
        coll_pipebcast_unlock(&module->lock);
        opal_progress();
        coll_pipebcast_lock(&module->lock);
    }
    const int rc = coll_pipebcast_operation_finish(begun->operation);
    coll_pipebcast_note_end();
    return rc;
}

/** Serves a broadcast if it is ours: true, and the result. False: the fallback component is to be
 * called. */
static bool serve(coll_pipebcast_module_t *module, begun_t *begun, int *rc_p)
{
    if (coll_pipebcast_is_excluded(module->comm)) {
        return false;
    }
    coll_pipebcast_lock(&module->lock);
    *rc_p = begin(module, begun);
    const bool is_ours = begun->decision.ours;
    if (begun->operation != NULL) {
        *rc_p = wait_for(module, begun);
    }
    coll_pipebcast_unlock(&module->lock);
    if (is_ours) {
        coll_pipebcast_count_failure(*rc_p);
    } else {
        coll_pipebcast_count_fallback(begun->decision.reason, begun->call.data.total);
    }
    return is_ours;
}

/** Bytes that algorithms of other components add to a count, an int, before they divide it: those
 * of a segment, or one for each rank. */
#define MOST_ADDED (1 << 24)

/**
 * Calls the fallback component. Where the communicator is served it gets packed bytes. It cuts by
 * elements, and ranks may describe one message by different ones. So a rank that cannot pack ends
 * the job: its segments would have other sizes than the others'.
 */
static int pass(const coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                struct ompi_communicator_t *comm)
{
    const coll_pipebcast_functions_t *to = &module->fallback;
    const coll_pipebcast_data_t *data = &call->data;
    const bool is_root = ompi_comm_rank(comm) == call->root;
    pb_message_t packed;
    if (module->state != COLL_PIPEBCAST_SERVING || data->total > INT_MAX - MOST_ADDED) {
        return to->bcast(data->buffer, (coll_pipebcast_count_t) data->count, data->datatype,
                         call->root, comm, to->bcast_module);
    }
    int rc = coll_pipebcast_message_init(&packed, data, is_root, false);
    if (rc != OMPI_SUCCESS) { /* once more: see operation/operation.h */
        rc = coll_pipebcast_message_init(&packed, data, is_root, false);
    }
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_end_job(comm, "pack a message for the fallback component", rc);
    }
    const int converted = is_root ? pb_message_convert(&packed, packed.total) : OMPI_SUCCESS;
    rc = to->bcast(packed.bytes, (coll_pipebcast_count_t) packed.total, MPI_BYTE, call->root, comm,
                   to->bcast_module);
    if (rc == OMPI_SUCCESS) {
        rc = is_root ? converted : pb_message_convert(&packed, packed.total);
    }
    coll_pipebcast_message_fini(&packed);
    return rc;
}

/** Ends, on this rank, a swept broadcast that the fallback component has served. */
static void end_passed(coll_pipebcast_module_t *module, int64_t arrived)
{
    /* When its first bytes came is unknown: it has waited for all of them. */
    const pb_sweep_times_t times = {.wait = coll_pipebcast_now() - arrived};
    coll_pipebcast_lock(&module->lock);
    coll_pipebcast_sweep_end(module, arrived, &times);
    coll_pipebcast_note_end();
    coll_pipebcast_unlock(&module->lock);
}

/** Describes a call. Ranks whose count is 0 do not come here, while others may describe the same
 * empty message by a type without bytes. So an empty message may cause no sends. */
static begun_t begun_of(void *buffer, size_t count, struct ompi_datatype_t *datatype, int root,
                        coll_pipebcast_way_t way)
{
    size_t type_size;
    ompi_datatype_type_size(datatype, &type_size);
    return (begun_t){.call = {.way = way,
                              .data = {.buffer = buffer,
                                       .count = count,
                                       .datatype = datatype,
                                       .total = type_size * count},
                              .root = root}};
}

int coll_pipebcast_bcast(void *buffer, coll_pipebcast_count_t count,
                         struct ompi_datatype_t *datatype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    begun_t begun = begun_of(buffer, (size_t) count, datatype, root, COLL_PIPEBCAST_BLOCKING);
    int rc = OMPI_SUCCESS;
    if (begun.call.data.total == 0 || serve(module, &begun, &rc)) {
        return rc;
    }
    rc = pass(module, &begun.call, comm);
    if (begun.call.is_swept) {
        end_passed(module, begun.call.arrived);
    }
    return rc;
}

int coll_pipebcast_ibcast(void *buffer, coll_pipebcast_count_t count,
                          struct ompi_datatype_t *datatype, int root,
                          struct ompi_communicator_t *comm, ompi_request_t **request_p,
                          mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    begun_t begun = begun_of(buffer, (size_t) count, datatype, root, COLL_PIPEBCAST_NONBLOCKING);
    int rc;
    if (begun.call.data.total == 0) {
        *request_p = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    if (!serve(module, &begun, &rc)) {
        return module->fallback.ibcast(buffer, count, datatype, root, comm, request_p,
                                       module->fallback.ibcast_module);
    }
    *request_p = rc == OMPI_SUCCESS ? &begun.request->super.super : MPI_REQUEST_NULL;
    return rc;
}

int coll_pipebcast_bcast_init(void *buffer, coll_pipebcast_count_t count,
                              struct ompi_datatype_t *datatype, int root,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    begun_t begun = begun_of(buffer, (size_t) count, datatype, root, COLL_PIPEBCAST_PERSISTENT);
    int rc;
    if (begun.call.data.total == 0) {
        return ompi_request_persistent_noop_create(request_p);
    }
    if (!serve(module, &begun, &rc)) {
        return module->fallback.bcast_init(buffer, count, datatype, root, comm, info, request_p,
                                           module->fallback.bcast_init_module);
    }
    *request_p = rc == OMPI_SUCCESS ? &begun.request->super.super : MPI_REQUEST_NULL;
    return rc;
}
