/*
 * The transport of segments over the PML: bytes of one communicator and tag.
 */
#include "pml/transport.h"

#include <string.h>

#include "base/clock.h"
#include "engine/transfer.h"
#include "pml/route.h"

/** Returns whether a request is complete, so that its status may be read. */
static inline bool is_complete(const ompi_request_t *request)
{
    if (!REQUEST_COMPLETE(request)) {
        return false;
    }
    opal_atomic_rmb();
    return true;
}

/** A request that is complete ends. */
static inline void give_back(pb_request_t *request_p)
{
    ompi_request_free((ompi_request_t **) request_p);
    *request_p = NULL;
}

static inline bool is_acknowledged(const pb_transport_t *transport, int rank)
{
    return transport->acknowledges &&
           (transport->acknowledges_inside ||
            !OPAL_PROC_ON_LOCAL_NODE(
                ompi_comm_peer_lookup(transport->comm, rank)->super.proc_flags));
}

__attribute__((always_inline)) inline int pb_transport_send(pb_transport_t *transport,
                                                            const void *buffer, size_t bytes,
                                                            int rank, bool synchronous,
                                                            pb_request_t *request_p)
{
    const int rc = coll_pipebcast_isend(buffer, bytes, rank, transport->tag,
                                        synchronous && is_acknowledged(transport, rank)
                                            ? MCA_PML_BASE_SEND_SYNCHRONOUS
                                            : MCA_PML_BASE_SEND_STANDARD,
                                        transport->comm, (ompi_request_t **) request_p);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    const ompi_request_t *request = *request_p;
    if (OPAL_LIKELY(is_complete(request) && request->req_status.MPI_ERROR == MPI_SUCCESS)) {
        give_back(request_p);
    }
    return OMPI_SUCCESS;
}

/** Notes when the first segment of a stream is here: Open MPI's progress may go on for long. */
__attribute__((noinline)) static void note_first(const pb_transfer_t *transfer)
{
    pb_transport_t *transport = transfer->transport;
    if (pb_transfer_has_first(transfer, transport->stream)) {
        if (*transport->came_p == 0) { /* it was not found when asked for */
            *transport->came_p = coll_pipebcast_now();
        }
        transport->came_p = NULL;
    }
}

/**
 * Open MPI reports that a receive ends, from inside its progress. As long as the network has more,
 * Open MPI does not come back from there. Without this, all segments would come before any is sent
 * on. Those beyond the window would find no receive, and would be copied twice. Returns whether the
 * request is gone. Where someone is inside the operation, or older segments are still to come, the
 * next advance finds it.
 */
static int ended(ompi_request_t *request)
{
    opal_atomic_rmb(); /* see want_report() */
    pb_lane_t *lane = request->req_complete_cb_data;
    const pb_transport_t *transport = lane->transfer->transport;
    if (OPAL_UNLIKELY(!coll_pipebcast_try_lock(transport->lock))) {
        return 0;
    }
    const bool is_gone = pb_transfer_arrived(lane, request);
    if (OPAL_UNLIKELY(transport->came_p != NULL)) {
        note_first(lane->transfer);
    }
    coll_pipebcast_unlock(transport->lock);
    return is_gone;
}

/**
 * Returns whether the PML allows sends and receives from inside the report of a receive. ob1 and
 * UCX's PML do. cm with libfabric (mtl ofi) does not. There a send that finds its queue full makes
 * progress, and so overwrites the thread's list of events, from which the report came (4.1). A
 * request then ends twice. For other PMLs it is unknown: the next advance finds their receives,
 * only later.
 */
static bool pml_may_reenter(void)
{
    const char *name = coll_pipebcast_pml_name();
    return strcmp(name, "ob1") == 0 || strcmp(name, "ucx") == 0;
}

pb_transport_t coll_pipebcast_transport(struct ompi_communicator_t *comm,
                                        coll_pipebcast_lock_t *lock)
{
    return (pb_transport_t){.comm = comm,
                            .lock = lock,
                            .acknowledges = coll_pipebcast_may_acknowledge(),
                            .acknowledges_inside = !coll_pipebcast_loses_acknowledgements(),
                            .reports = pml_may_reenter()};
}

/** Open MPI is to call ended(). The receive may have ended already: then it is found complete. */
static inline void want_report(ompi_request_t *request, pb_lane_t *lane)
{
    request->req_complete_cb_data = lane;
    opal_atomic_wmb();
    request->req_complete_cb = ended;
}

/**
 * A receive that had ended before want_report() still has the callback, and every one has the data,
 * which Open MPI does not clear. Not every PML clears them when the request is used again. UCX's
 * would call ended() for another's receive, from inside irecv. It also takes the data, if not NULL,
 * for its own in a persistent request's receive.
 */
static inline void forget_report(ompi_request_t *request)
{
    request->req_complete_cb = NULL;
    request->req_complete_cb_data = NULL;
}

inline int pb_transport_receive(pb_transport_t *transport, void *buffer, size_t bytes, int rank,
                                pb_lane_t *lane, pb_request_t *request_p)
{
    const int rc = MCA_PML_CALL(irecv(buffer, bytes, MPI_BYTE, rank, transport->tag,
                                      transport->comm, (ompi_request_t **) request_p));
    if (rc == OMPI_SUCCESS && lane != NULL && transport->reports) {
        want_report(*request_p, lane);
    }
    return rc;
}

bool coll_pipebcast_take_complete(pb_request_t *request_p, ompi_status_public_t *status_p)
{
    const ompi_request_t *request = *request_p;
    if (!is_complete(request)) {
        return false;
    }
    *status_p = request->req_status;
    give_back(request_p);
    return true;
}

inline bool pb_transport_sent(pb_transport_t *transport, pb_request_t *request_p, int *error_p)
{
    (void) transport;
    const ompi_request_t *request = *request_p;
    if (!is_complete(request)) {
        return false;
    }
    *error_p = request->req_status.MPI_ERROR;
    give_back(request_p);
    return true;
}

/** Returns 0 or the error of a receive of `bytes`; see pb_transport_take(). */
static inline int outcome(const ompi_status_public_t *status, size_t bytes)
{
    if (OPAL_LIKELY(status->MPI_ERROR == MPI_SUCCESS && status->_ucount == bytes &&
                    !status->_cancelled)) {
        return MPI_SUCCESS;
    }
    if (status->MPI_ERROR != MPI_SUCCESS) {
        return status->MPI_ERROR;
    }
    return status->_ucount == 0 && !status->_cancelled ? PB_ERR_EMPTY : MPI_ERR_TRUNCATE;
}

inline int pb_transport_take(pb_transport_t *transport, pb_request_t *request_p, size_t bytes)
{
    (void) transport;
    ompi_request_t *request = *request_p;
    const int error = outcome(&request->req_status, bytes);
    forget_report(request);
    give_back(request_p);
    return error;
}

inline bool pb_transport_arrived(pb_transport_t *transport, pb_request_t *request_p, size_t bytes,
                                 int *error_p)
{
    if (!is_complete(*request_p)) {
        return false;
    }
    *error_p = pb_transport_take(transport, request_p, bytes);
    return true;
}

void pb_transport_cancel(pb_transport_t *transport, pb_request_t request)
{
    (void) transport;
    ompi_request_t *receive = request;
    if (!REQUEST_COMPLETE(receive)) {
        receive->req_complete_cb = NULL;
        ompi_request_cancel(receive);
    }
}

void pb_transport_abandon(pb_transport_t *transport, pb_request_t *request_p)
{
    (void) transport;
    /* Nothing is to be reported: pb_transport_cancel() saw to that, as it had to be before a second
     * has passed. Reading whom to call and the lock in ended() follow without a wait. So another
     * thread that was there when the receive was cancelled is there no more. */
    forget_report(*request_p);
    coll_pipebcast_give_up(*request_p, NULL); /* a packed copy stays: see pml/message.h */
    *request_p = NULL;
}
