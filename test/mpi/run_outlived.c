/*
 * No message of a broadcast outlives its communicator. One rank comes late to the last broadcast of
 * a communicator, the others free it, and the next one gets its number. The component prints the
 * number at verbose 1. A message that is still to come then takes the place of a user's message
 * there: MPI_Recv gets other bytes, or waits. The same as MPI_Finalize begins.
 *
 * Usage: run_outlived BROADCASTS BYTES LATE.
 * With two broadcasts the last one is swept (engine/sweep.h): its ranks' reports are still on their
 * way when the communicator is freed. Without LATE each rank but the root is late in turn.
 */
#include <stdlib.h>

#include "check.h"

#define LATE_US 300000
#define N_LIVES 6
#define N_EXCHANGES 60

static int n_broadcasts, late;
static size_t bytes;

/** The root need not wait for the late rank. */
static bool broadcast_late(MPI_Comm comm)
{
    bool are_right = true;
    for (int i = 0; i < n_broadcasts; i++) {
        if (i == n_broadcasts - 1 && my_rank == late) {
            wait_us(LATE_US);
        }
        are_right &= check_bcast(BLOCKING, bytes, 0, comm, (unsigned) i, "a short life");
    }
    return are_right;
}

/** MPI_Finalize begins with the attributes of MPI_COMM_SELF: nothing comes after these broadcasts.
 */
static int broadcast_last(MPI_Comm comm, int key, void *unused, void *extra)
{
    (void) comm;
    (void) key;
    (void) unused;
    (void) extra;
    if (!broadcast_late(MPI_COMM_WORLD)) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key;
    check_begin(&argc, &argv);
    n_broadcasts = (int) argument(argc, argv, 1, 6);
    bytes = (size_t) argument(argc, argv, 2, 1000);
    for (int life = 0; life < N_LIVES; life++) {
        MPI_Comm comm;
        late = (int) argument(argc, argv, 3, n_ranks - 1 - life % (n_ranks - 1));
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        (void) broadcast_late(comm);
        MPI_Comm_free(&comm);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (unsigned i = 0; i < N_EXCHANGES; i++) {
            check_ring(comm, 1 + (int) i % (n_ranks - 1), i);
        }
        MPI_Comm_free(&comm);
    }
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, broadcast_last, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    return check_done("run_outlived");
}
