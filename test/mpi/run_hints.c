/*
 * Broadcasts on communicators whose user has made one of MPI's assertions: that nobody receives
 * from any source or by any tag, that lengths are exact, that messages may overtake each other.
 * The assertion is made when the communicator is, or later, between broadcasts. A rank is late
 * now and then. The user's own messages keep to the assertion.
 *
 * Usage: run_hints ASSERTION now|later
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define MOST_BYTES 65536
#define LATE_US 3000
#define N_BROADCASTS 12

static int my_rank, n_ranks;

/** One blocking and one nonblocking broadcast, and a message to the next rank. */
static void broadcast(MPI_Comm comm, unsigned char *buffer, int number)
{
    const int root = number % n_ranks, bytes = number % 3 == 0 ? 3000 : MOST_BYTES;
    if (my_rank == (number / 2) % n_ranks) {
        wait_us(LATE_US);
    }
    check(bcast_is_right(buffer, bytes, root, comm, (unsigned) number), "broadcast %d", number);

    MPI_Request request;
    const unsigned seed = (unsigned) number + 1000;
    pattern_fill(buffer, (size_t) bytes, my_rank == root ? seed : seed + 1);
    MPI_Ibcast(buffer, bytes, MPI_BYTE, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(pattern_is(buffer, (size_t) bytes, seed), "nonblocking broadcast %d", number);

    check_ring(comm, 1, (unsigned) number);
}

/** A communicator with the assertion from the beginning, or from the middle on. */
static void try_hint(const char *hint, bool later, unsigned char *buffer)
{
    MPI_Info info;
    MPI_Comm comm;
    MPI_Info_create(&info);
    MPI_Info_set(info, hint, "true");
    if (later) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    }
    for (int i = 0; i < N_BROADCASTS; i++) {
        if (later && i == N_BROADCASTS / 2) {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Comm_set_info(comm, info);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        broadcast(comm, buffer, i);
    }
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    unsigned char *buffer = must_malloc(MOST_BYTES);
    try_hint(argc > 1 ? argv[1] : "mpi_assert_no_any_source",
             argc > 2 && strcmp(argv[2], "later") == 0, buffer);
    free(buffer);
    return check_done("run_hints");
}
