/*
 * Control messages over the PML: a communicator and a tag.
 *
 * Each send or receive has memory of its own, which the PML reads or writes. So the caller's memory
 * is free at any time, and a request can be given up (pml/given_up.c).
 */

#include <stdlib.h>
#include <string.h>

#include "pml/route.h"
#include "pml/transport.h"

/** One control message under way: a pb_request_t of this file. */
typedef struct small {
    ompi_request_t *request;
    void *to; /**< of a receive: where the caller wants it */
    size_t room;
    char bytes[];
} small_t;

static small_t *small_new(size_t room)
{
    small_t *small = malloc(sizeof(*small) + room);
    if (small == NULL) { /* once more: see operation/operation.h */
        small = malloc(sizeof(*small) + room);
    }
    if (small != NULL) {
        *small = (small_t){.room = room};
    }
    return small;
}

int pb_control_send(pb_control_t *control, const void *buffer, size_t bytes, int rank)
{
    small_t *small = small_new(bytes);
    if (small == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memcpy(small->bytes, buffer, bytes);
    const int rc = coll_pipebcast_isend(small->bytes, bytes, rank, control->tag,
                                        MCA_PML_BASE_SEND_STANDARD, control->comm, &small->request);
    if (rc != OMPI_SUCCESS) {
        free(small);
        return rc;
    }
    coll_pipebcast_give_up(small->request, small);
    return OMPI_SUCCESS;
}

int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p)
{
    small_t *small = small_new(room);
    if (small == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    small->to = buffer;
    const int rc = MCA_PML_CALL(irecv(small->bytes, room, MPI_BYTE, MPI_ANY_SOURCE, control->tag,
                                      control->comm, &small->request));
    if (rc != OMPI_SUCCESS) {
        free(small);
        return rc;
    }
    *request_p = small;
    return OMPI_SUCCESS;
}

/** Asks a posted receive to end: true when it has, without a message. */
static bool stop(ompi_request_t **request_p)
{
    if (!REQUEST_COMPLETE(*request_p)) {
        ompi_request_cancel(*request_p);
    }
    if (!REQUEST_COMPLETE(*request_p) || !(*request_p)->req_status._cancelled) {
        return false;
    }
    ompi_request_free(request_p);
    *request_p = NULL;
    return true;
}

bool coll_pipebcast_is_ob1(void)
{
    return strcmp(coll_pipebcast_pml_name(), "ob1") == 0;
}

bool coll_pipebcast_take(struct ompi_communicator_t *comm, int rank, int tag, int *rank_p)
{
    static char nothing;
    ompi_status_public_t status = {.MPI_SOURCE = MPI_ANY_SOURCE};
    ompi_request_t *request = NULL;
    int matched = 0;
    /* Only ob1 cancels a receive immediately. */
    if (!coll_pipebcast_is_ob1()) {
        (void) MCA_PML_CALL(iprobe(rank, tag, comm, &matched, &status));
    } else if (MCA_PML_CALL(irecv(&nothing, 0, MPI_BYTE, rank, tag, comm, &request)) ==
                   OMPI_SUCCESS &&
               !stop(&request)) {
        matched = 1;
        status = request->req_status;
        coll_pipebcast_give_up(request, NULL);
    }
    *rank_p = status.MPI_SOURCE;
    return matched != 0;
}

bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p)
{
    small_t *small = *request_p;
    ompi_status_public_t status;
    (void) control;
    if (!coll_pipebcast_take_complete((pb_request_t *) &small->request, &status)) {
        return false;
    }
    *error_p = status.MPI_ERROR;
    *rank_p = status.MPI_SOURCE;
    *bytes_p = status._ucount;
    if (status.MPI_ERROR == MPI_SUCCESS && status._ucount > 0) {
        memcpy(small->to, small->bytes, status._ucount);
    }
    free(small);
    *request_p = NULL;
    return true;
}

void pb_control_withdraw(pb_control_t *control, pb_request_t *request_p)
{
    small_t *small = *request_p;
    (void) control;
    if (small == NULL) {
        return;
    }
    if (stop(&small->request)) {
        free(small);
    } else {
        coll_pipebcast_give_up(small->request, small);
    }
    *request_p = NULL;
}
