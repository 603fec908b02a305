/*
 * A rank that has to leave the agreement, as Open MPI does not start its part of it: every rank has
 * errors then, none waits for ever, and the communicator can be freed.
 *
 * Usage: run_left [nonblocking]
 */
#include "base/compat.h"
#include "check.h"

#define BYTES 6000
#define SMALL 20 /* below min_size */
#define LEAVING 2

static int refuse(const void *from, void *to, coll_pipebcast_count_t count,
                  struct ompi_datatype_t *datatype, struct ompi_op_t *op,
                  struct ompi_communicator_t *comm, ompi_request_t **request_p,
                  mca_coll_base_module_t *module)
{
    (void) from;
    (void) to;
    (void) count;
    (void) datatype;
    (void) op;
    (void) comm;
    (void) request_p;
    (void) module;
    return OMPI_ERR_OUT_OF_RESOURCE;
}

static int broadcast(MPI_Comm comm, int bytes, int root, bool nonblocking)
{
    static unsigned char buffer[BYTES];
    MPI_Request request = MPI_REQUEST_NULL;
    if (!nonblocking) {
        return MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm);
    }
    const int rc = MPI_Ibcast(buffer, bytes, MPI_BYTE, root, comm, &request);
    return rc != MPI_SUCCESS ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int rank;
    (void) argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == LEAVING) {
        ((struct ompi_communicator_t *) comm)->c_coll->coll_iallreduce = refuse;
    }
    for (int i = 0; i < 3; i++) {
        const int bytes = i == 1 ? SMALL : BYTES;
        const int rc = broadcast(comm, bytes, i, argc > 1);
        check(rc != MPI_SUCCESS, "broadcast %d of %d bytes has an error", i, bytes);
    }
    check(MPI_Comm_free(&comm) == MPI_SUCCESS, "the communicator is freed");
    check(broadcast(MPI_COMM_WORLD, BYTES, 1, argc > 1) == MPI_SUCCESS, "another one works");
    return check_done("run_left");
}
