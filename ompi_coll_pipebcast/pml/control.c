/*
 * Control messages over the PML: a communicator and a tag.
 */
#include "pml/control.h"

#include "pml/transport.h"

int pb_control_send(pb_control_t *control, const void *buffer, size_t bytes, int rank,
                    pb_request_t *request_p)
{
    return MCA_PML_CALL(isend((void *) buffer, bytes, MPI_BYTE, rank, control->tag,
                              MCA_PML_BASE_SEND_STANDARD, control->comm,
                              (ompi_request_t **) request_p));
}

int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p)
{
    return MCA_PML_CALL(irecv(buffer, room, MPI_BYTE, MPI_ANY_SOURCE, control->tag, control->comm,
                              (ompi_request_t **) request_p));
}

bool pb_control_sent(pb_control_t *control, pb_request_t *request_p, int *error_p)
{
    (void) control;
    ompi_status_public_t status;
    if (!coll_pipebcast_take_complete(request_p, &status)) {
        return false;
    }
    *error_p = status.MPI_ERROR;
    return true;
}

bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p)
{
    (void) control;
    ompi_status_public_t status;
    if (!coll_pipebcast_take_complete(request_p, &status)) {
        return false;
    }
    *error_p = status.MPI_ERROR;
    *rank_p = status.MPI_SOURCE;
    *bytes_p = status._ucount;
    return true;
}

bool pb_control_withdraw(pb_control_t *control, pb_request_t *request_p, int *rank_p)
{
    (void) control;
    ompi_request_t *request = *request_p;
    ompi_status_public_t status;
    if (!REQUEST_COMPLETE(request)) {
        ompi_request_cancel(request);
    }
    if (!coll_pipebcast_take_complete(request_p, &status)) {
        ompi_request_free((ompi_request_t **) request_p);
        return false;
    }
    *rank_p = status.MPI_SOURCE;
    return status.MPI_ERROR == MPI_SUCCESS && !status._cancelled;
}
