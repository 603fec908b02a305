/*
 * The transport of segments over the PML: bytes of one communicator and tag.
 */
#include "coll_pipebcast_transport.h"

int pb_transport_send(pb_transport_t *transport, const void *buffer, size_t bytes, int rank,
                      bool confirmed, pb_request_t *request_p)
{
    return MCA_PML_CALL(
        isend((void *) buffer, bytes, MPI_BYTE, rank, transport->tag,
              confirmed ? MCA_PML_BASE_SEND_SYNCHRONOUS : MCA_PML_BASE_SEND_STANDARD,
              transport->comm, (ompi_request_t **) request_p));
}

int pb_transport_receive(pb_transport_t *transport, void *buffer, size_t bytes, int rank,
                         pb_request_t *request_p)
{
    return MCA_PML_CALL(irecv(buffer, bytes, MPI_BYTE, rank, transport->tag, transport->comm,
                              (ompi_request_t **) request_p));
}

bool coll_pipebcast_take_complete(pb_request_t *request_p, ompi_status_public_t *status_p)
{
    ompi_request_t *request = *request_p;
    if (!REQUEST_COMPLETE(request)) {
        return false;
    }
    opal_atomic_rmb();
    *status_p = request->req_status;
    ompi_request_free(&request);
    *request_p = NULL;
    return true;
}

bool pb_transport_sent(pb_transport_t *transport, pb_request_t *request_p, int *error_p)
{
    (void) transport;
    ompi_status_public_t status;
    if (!coll_pipebcast_take_complete(request_p, &status)) {
        return false;
    }
    *error_p = status.MPI_ERROR;
    return true;
}

bool pb_transport_arrived(pb_transport_t *transport, pb_request_t *request_p, size_t bytes,
                          int *error_p)
{
    (void) transport;
    ompi_status_public_t status;
    if (!coll_pipebcast_take_complete(request_p, &status)) {
        return false;
    }
    *error_p = status.MPI_ERROR;
    if (*error_p == MPI_SUCCESS && (status._cancelled || status._ucount != bytes)) {
        *error_p =
            status._ucount == 0 && !status._cancelled ? PB_TRANSPORT_EMPTY : MPI_ERR_TRUNCATE;
    }
    return true;
}

void pb_transport_cancel(pb_transport_t *transport, pb_request_t request)
{
    (void) transport;
    if (!REQUEST_COMPLETE((ompi_request_t *) request)) {
        ompi_request_cancel(request);
    }
}

void pb_transport_abandon(pb_transport_t *transport, pb_request_t *request_p)
{
    (void) transport;
    ompi_request_free((ompi_request_t **) request_p);
}
