/*
 * Requests that are given up. They are freed once they have ended. Those that have not when the
 * component closes are not touched again, as the PML may have freed them.
 */
#include "check.h"
#include "pml/transport.h"

enum { BYTES = 1 << 20, TAG = 7 };

/** A send that ends after it was given up, and maybe forgotten; returns whether it was freed. */
static bool is_freed(bool forgets)
{
    static char data[BYTES];
    bool freed = false;
    if (my_rank == 0) {
        MPI_Request request;
        MPI_Isend(data, BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request);
        check(!REQUEST_COMPLETE(request), "no one has received it");
        coll_pipebcast_give_up(request, NULL);
        if (forgets) {
            coll_pipebcast_forget_given_up();
        }
        MPI_Barrier(MPI_COMM_WORLD);
        while (!REQUEST_COMPLETE(request)) {
            opal_progress();
        }
        coll_pipebcast_free_given_up();
        freed = request->req_state == OMPI_REQUEST_INVALID;
        if (!freed) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(data, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return freed;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check(is_freed(false) == (my_rank == 0), "a request that has ended is freed");
    check(!is_freed(true), "one that was forgotten is not");
    return check_done("run_given_up");
}
