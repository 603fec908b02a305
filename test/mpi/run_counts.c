/*
 * An erroneous program: one rank gives another count than the others to a broadcast, the root or
 * a receiver, blocking or not. Every rank's call must return, with an error on some rank, and no
 * wrong bytes on one without. A further broadcast with one count must return, too, with the right
 * bytes or an error. Nothing may reach the next communicator.
 *
 * Usage: run_counts COUNT OTHER [last|second|refused]: with `last` the last rank of a blocking
 * broadcast has OTHER, and gets an error. With `second` only rank 1 has another count. With
 * `refused` all have COUNT, and Open MPI refuses what rank 1 sends to rank 2.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compat.h"
#include "check.h"

/** The broadcast in which rank `odd` has another count, and what comes after it. */
static void try_one(int odd, int count, int other, way_t way)
{
    const int own = my_rank == odd ? other : count, least = count < other ? count : other;
    const size_t bytes = (size_t) own * sizeof(int);
    int *buffer = must_malloc(bytes);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    pattern_fill(buffer, bytes, my_rank == 0 ? 1 : 2);
    int is_error = bcast(way, buffer, own, MPI_INT, 0, comm) != MPI_SUCCESS, any_error = 0;
    check(is_error || pattern_is(buffer, (size_t) least * sizeof(int), 1),
          "wrong bytes without an error, as rank %d has another count", odd);
    MPI_Allreduce(&is_error, &any_error, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    check(any_error, "no rank sees that rank %d has another count", odd);

    pattern_fill(buffer, bytes, my_rank == 0 ? 3 : 4);
    const int rc = bcast(way, buffer, least, MPI_INT, 0, comm);
    check(rc != MPI_SUCCESS || pattern_is(buffer, (size_t) least * sizeof(int), 3),
          "wrong bytes after a broadcast in which rank %d had another count", odd);
    MPI_Comm_free(&comm);
    free(buffer);

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_ring(comm, 1, 0);
    MPI_Comm_free(&comm);
}

static void try_last(int count, int other)
{
    const bool is_odd = my_rank == n_ranks - 1;
    const int own = is_odd ? other : count;
    unsigned char *buffer = must_malloc((size_t) own);
    const int rc = MPI_Bcast(buffer, own, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(rc != MPI_SUCCESS || !is_odd, "the rank with another count gets no error");
    free(buffer);
}

static mca_pml_base_module_isend_fn_t usual;

static int refuse(const void *buffer, size_t count, struct ompi_datatype_t *type, int rank, int tag,
                  mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                  struct ompi_request_t **request_p)
{
    return rank == 2 ? OMPI_ERR_UNREACH
                     : usual(buffer, count, type, rank, tag, mode, comm, request_p);
}

static void try_refused(int count)
{
    usual = mca_pml.pml_isend;
    mca_pml.pml_isend = my_rank == 1 ? refuse : usual;
    void *buffer = must_malloc((size_t) count);
    check(MPI_Bcast(buffer, count, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS || my_rank < 2,
          "rank %d has an error, as rank 1", my_rank);
    mca_pml.pml_isend = usual;
    free(buffer);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    const int count = (int) argument(argc, argv, 1, 1088);
    const int other = (int) argument(argc, argv, 2, 1142);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc > 3 && strcmp(argv[3], "second") != 0) {
        strcmp(argv[3], "last") == 0 ? try_last(count, other) : try_refused(count);
        return check_done("run_counts");
    }
    for (int odd = argc > 3; odd < n_ranks; odd += n_ranks - 1) {
        try_one(odd, count, other, BLOCKING);
        try_one(odd, count, other, NONBLOCKING);
    }
    return check_done("run_counts");
}
