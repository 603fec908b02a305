/*
 * Control messages over the PML: a communicator and a tag.
 *
 * Each send or receive has memory of its own, which the PML reads or writes. So the caller's memory
 * is free at any time, and a request can be given up (pml/given_up.c).
 *
 * Where the user asserts that nobody receives from any source (mpi_assert_no_any_source), ob1
 * matches no such receive, even if posted before. Then messages are found by probes, which ob1
 * answers all the same.
 */

#include <stdlib.h>
#include <string.h>

#include "pml/route.h"
#include "pml/transport.h"

/** One control message under way: a pb_request_t of this file. */
typedef struct small {
    ompi_request_t *request; /**< NULL: a receive by probes */
    void *to;                /**< of a receive: where the caller wants it */
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

/** Posts the receive of a message from `source`. */
static int post(const pb_control_t *control, small_t *small, int source)
{
    return MCA_PML_CALL(irecv(small->bytes, small->room, MPI_BYTE, source, control->tag,
                              control->comm, &small->request));
}

int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p)
{
    small_t *small = small_new(room);
    if (small == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    small->to = buffer;
    if (!OMPI_COMM_CHECK_ASSERT_NO_ANY_SOURCE(control->comm)) {
        const int rc = post(control, small, MPI_ANY_SOURCE);
        if (rc != OMPI_SUCCESS) {
            free(small);
            return rc;
        }
    }
    *request_p = small;
    return OMPI_SUCCESS;
}

/** Posts the receive of a message that is here, from its source; none is: nothing. */
static int receive_probed(const pb_control_t *control, small_t *small)
{
    int matched = 0;
    ompi_status_public_t status;
    const int rc =
        MCA_PML_CALL(iprobe(MPI_ANY_SOURCE, control->tag, control->comm, &matched, &status));
    return rc != OMPI_SUCCESS || matched == 0 ? rc : post(control, small, status.MPI_SOURCE);
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
    if (!coll_pipebcast_is_ob1() ||
        (rank == MPI_ANY_SOURCE && OMPI_COMM_CHECK_ASSERT_NO_ANY_SOURCE(comm))) {
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

/** Returns whether a message is here, by a receive or by a probe, or an error. */
static bool has_come(const pb_control_t *control, small_t *small, ompi_status_public_t *status_p)
{
    if (small->request != NULL && OMPI_COMM_CHECK_ASSERT_NO_ANY_SOURCE(control->comm)) {
        (void) stop(&small->request); /* the assertion is newer than the receive */
    }
    if (small->request == NULL) {
        status_p->MPI_ERROR = receive_probed(control, small);
        if (status_p->MPI_ERROR != OMPI_SUCCESS) {
            return true;
        }
    }
    return small->request != NULL &&
           coll_pipebcast_take_complete((pb_request_t *) &small->request, status_p);
}

bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p)
{
    small_t *small = *request_p;
    ompi_status_public_t status;
    if (!has_come(control, small, &status)) {
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
    if (small->request == NULL || stop(&small->request)) {
        free(small);
    } else {
        coll_pipebcast_give_up(small->request, small);
    }
    *request_p = NULL;
}
