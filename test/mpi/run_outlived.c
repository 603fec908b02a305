/*
 * No message of a broadcast outlives its communicator. One rank comes late to the first broadcast
 * of few segments; the others free the communicator, and the next one gets its number. A message
 * that is still to come then takes the place of a user's message there: MPI_Recv gets other bytes,
 * or waits.
 *
 * Usage: run_outlived BYTES LATE
 */
#include <stdlib.h>

#include "check.h"

#define LATE_US 50000
#define N_EXCHANGES 3

static int my_rank, n_ranks;

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const int bytes = argc > 1 ? atoi(argv[1]) : 6000, late = argc > 2 ? atoi(argv[2]) : 1;
    unsigned char *buffer = must_malloc((size_t) bytes);
    MPI_Comm_split(MPI_COMM_WORLD, 0, my_rank, &comm);
    if (my_rank == late) {
        wait_us(LATE_US);
    }
    check(bcast_is_right(buffer, bytes, 0, comm, 1), "the broadcast");
    MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int distance = 1; distance < n_ranks; distance++) {
        for (int i = 0; i < N_EXCHANGES; i++) {
            check_ring(comm, distance, (unsigned) i);
        }
    }
    MPI_Comm_free(&comm);
    free(buffer);
    return check_done("run_outlived");
}
