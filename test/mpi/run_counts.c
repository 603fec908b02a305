/*
 * An erroneous program: one rank gives another count than the others to a broadcast, the root or
 * a receiver, blocking or not. Every rank's call must return, with an error on some rank if one is
 * to be seen, and so must that of a further broadcast with one count, which is right or an error.
 * Nothing may reach the next communicator.
 *
 * Usage: run_counts COUNT OTHER [unseen]: with the third argument no rank need see an error.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int my_rank, n_ranks;

static int broadcast(int *buffer, int count, MPI_Comm comm, bool is_blocking)
{
    MPI_Request request;
    if (is_blocking) {
        return MPI_Bcast(buffer, count, MPI_INT, 0, comm);
    }
    const int rc = MPI_Ibcast(buffer, count, MPI_INT, 0, comm, &request);
    return rc != MPI_SUCCESS ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/** The broadcast in which rank `odd` has another count, and what comes after it. */
static void try_one(int odd, int count, int other, bool is_blocking, bool may_be_unseen)
{
    const int own = my_rank == odd ? other : count, least = count < other ? count : other;
    const size_t bytes = (size_t) own * sizeof(int);
    int *buffer = must_malloc(bytes);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    pattern_fill(buffer, bytes, my_rank == 0 ? 1 : 2);
    int is_error = broadcast(buffer, own, comm, is_blocking) != MPI_SUCCESS, any_error = 0;
    MPI_Allreduce(&is_error, &any_error, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    check(any_error || may_be_unseen, "no rank sees that rank %d has another count", odd);

    pattern_fill(buffer, bytes, my_rank == 0 ? 3 : 4);
    const int rc = broadcast(buffer, least, comm, is_blocking);
    check(rc != MPI_SUCCESS || pattern_is(buffer, (size_t) least * sizeof(int), 3),
          "wrong bytes after a broadcast in which rank %d had another count", odd);
    MPI_Comm_free(&comm);
    free(buffer);

    const int to = (my_rank + 1) % n_ranks, from = (my_rank + n_ranks - 1) % n_ranks;
    int got = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Sendrecv(&my_rank, 1, MPI_INT, to, 3, &got, 1, MPI_INT, from, 3, comm, MPI_STATUS_IGNORE);
    check(got == from, "%d came from rank %d", got, from);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const int count = argc > 2 ? atoi(argv[1]) : 1088, other = argc > 2 ? atoi(argv[2]) : 1142;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const bool may_be_unseen = argc > 3 && strcmp(argv[3], "unseen") == 0;
    for (int odd = 0; odd < n_ranks; odd += n_ranks - 1) {
        try_one(odd, count, other, true, may_be_unseen);
        try_one(odd, count, other, false, may_be_unseen);
    }
    return check_done("run_counts");
}
