/*
 * Broadcasts on communicators whose user has made one of MPI's assertions. Nobody receives from any
 * source or by any tag, lengths are exact, or messages may overtake each other. The assertion is
 * made when the communicator is, or later, between broadcasts. A rank is late now and then. The
 * user's own messages keep to the assertion. Many communicators get none but such a message, as
 * soon as they are made. Later assertions are also made while a sweep is under way, for which
 * nothing may wait at the end.
 *
 * Usage: run_hints ASSERTION now|later
 */
#include <string.h>

#include "check.h"

#define LATE_US 3000
#define N_BROADCASTS 12
#define N_SHORT_LIVES 150
#define N_LATE 20

/** One blocking and one nonblocking broadcast, and a message to the next rank. */
static void broadcast(MPI_Comm comm, int number)
{
    const int root = number % n_ranks;
    const size_t bytes = number % 3 == 0 ? 3000 : 65536;
    if (my_rank == (number / 2) % n_ranks) {
        wait_us(LATE_US);
    }
    check_bcast(BLOCKING, bytes, root, comm, (unsigned) number, "blocking");
    check_bcast(NONBLOCKING, bytes, root, comm, (unsigned) number + 1000, "nonblocking");
    check_ring(comm, 1, (unsigned) number);
}

static MPI_Comm copy_world(MPI_Info info)
{
    MPI_Comm comm;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    return comm;
}

/** The second broadcast is swept, and its ranks do not wait for the sweep. */
static void assert_in_sweep(MPI_Info info)
{
    MPI_Comm comm = copy_world(MPI_INFO_NULL);
    check_bcast(BLOCKING, 65536, 0, comm, 1, "before");
    if (my_rank == 1) {
        wait_us(LATE_US);
    }
    check_bcast(BLOCKING, 65536, 0, comm, 2, "swept");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_info(comm, info);
    MPI_Barrier(MPI_COMM_WORLD);
    check_bcast(BLOCKING, 65536, 0, comm, 3, "after");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Comm comm;
    check_begin(&argc, &argv);
    const bool later = argc > 2 && strcmp(argv[2], "later") == 0;
    MPI_Info_create(&info);
    MPI_Info_set(info, argc > 1 ? argv[1] : "mpi_assert_no_any_source", "true");
    for (unsigned i = 0; i < N_SHORT_LIVES && !later; i++) {
        comm = copy_world(info);
        check_ring(comm, 1, i);
        MPI_Comm_free(&comm);
    }
    for (int i = 0; i < N_LATE && later; i++) {
        assert_in_sweep(info);
    }
    comm = copy_world(later ? MPI_INFO_NULL : info);
    for (int i = 0; i < N_BROADCASTS; i++) {
        if (later && i == N_BROADCASTS / 2) {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Comm_set_info(comm, info);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        broadcast(comm, i);
    }
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
    return check_done("run_hints");
}
