/*
 * ULFM (mpirun --with-ft ulfm): a rank is killed in the middle of a broadcast, or the communicator
 * is revoked while ranks are in one. The others come out with success or an error of its class
 * within seconds, and broadcast on the communicator without it. Usage: run_failed VICTIM (-1:
 * nobody; the last rank revokes instead) ROOT [SENDS]. The root's send of number SENDS kills its
 * receiver, and ends when this is known.
 */
#include "base/compat.h"
#include "check.h"
#include <mpi-ext.h>

#if defined(OMPI_HAVE_MPI_EXT_FTMPI)

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES (8 << 20)
#define N_BROADCASTS 100000
#define SECONDS 10

static pid_t pids[16];
static long n_sends; /**< of the root until it kills; 0: it does not */
static mca_pml_base_module_isend_fn_t isend_before;

static int killing_isend(const void *buffer, size_t n, struct ompi_datatype_t *type, int rank,
                         int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                         struct ompi_request_t **request_p)
{
    check(ompi_comm_is_proc_active(comm, rank, false), "a send to a process that has failed");
    const int rc = isend_before(buffer, n, type, rank, tag, mode, comm, request_p);
    if (--n_sends == 0) {
        kill(pids[rank], SIGKILL);
        while (ompi_comm_is_proc_active(comm, rank, false)) {
            opal_progress();
        }
    }
    return rc;
}

static void broadcast_until_failure(MPI_Comm comm, int root)
{
    unsigned char *buffer = must_malloc(BYTES);
    int rc = MPI_SUCCESS;
    for (int i = 0; i < N_BROADCASTS && rc == MPI_SUCCESS; i++) {
        pattern_fill(buffer, BYTES, my_rank == root ? 1 : 2);
        const double start = MPI_Wtime();
        rc = MPI_Bcast(buffer, BYTES, MPI_BYTE, root, comm);
        check(rc != MPI_SUCCESS || pattern_is(buffer, BYTES, 1), "broadcast %d", i);
        check(MPI_Wtime() - start < SECONDS, "a broadcast takes %g s", MPI_Wtime() - start);
    }
    int kind = MPI_SUCCESS;
    MPI_Error_class(rc, &kind);
    check(kind == MPIX_ERR_PROC_FAILED || kind == MPIX_ERR_REVOKED, "the error is of class %d",
          kind);
    free(buffer);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1000, 100000, 3000000};
    const int victim = (int) argument(argc, argv, 1, 1), root = (int) argument(argc, argv, 2, 0);
    int new_rank, n_left, own_wrong, wrong = 0;
    MPI_Comm comm, left;
    n_sends = argument(argc, argv, 3, 0);
    check_begin(&argc, &argv);
    signal(SIGPIPE, SIG_IGN); /* else btl/tcp's writes to the victim may end a rank */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < 8; i++) {
        check_bcast(BLOCKING, 1000, root, comm, 5, "before");
    }
    const pid_t own_pid = getpid();
    MPI_Allgather(&own_pid, sizeof(pid_t), MPI_BYTE, pids, sizeof(pid_t), MPI_BYTE, comm);
    MPI_Barrier(comm);
    const double killed_at = MPI_Wtime();
    isend_before = mca_pml.pml_isend;
    if (n_sends > 0 && my_rank == root) {
        mca_pml.pml_isend = killing_isend;
    } else if (n_sends == 0 && my_rank == victim) {
        kill_soon(30000);
    }
    if (victim < 0 && my_rank == n_ranks - 1) {
        wait_us(300000); /* the others are in a broadcast that cannot end */
    } else {
        broadcast_until_failure(comm, root);
    }
    mca_pml.pml_isend = isend_before;
    MPIX_Comm_revoke(comm);
    MPIX_Comm_shrink(comm, &left);
    MPI_Comm_free(&comm);
    MPI_Comm_size(left, &n_left);
    MPI_Comm_rank(left, &new_rank);
    check(n_left == n_ranks - (victim >= 0), "%d ranks are left", n_left);
    for (int i = 0; i < 3; i++) {
        check_bcast_of_all(sizes[i], left, "the ranks that are left");
    }
    own_wrong = check_wrong();
    MPI_Allreduce(&own_wrong, &wrong, 1, MPI_INT, MPI_SUM, left);
    if (new_rank == 0) {
        printf("%s run_failed: %d ranks left after %.1f s, %d wrong\n",
               wrong == 0 ? "PASS" : "FAIL", n_left, MPI_Wtime() - killed_at, wrong);
        fflush(stdout);
    }
    MPI_Barrier(left);
    /* MPI_Finalize of 5.0.7 itself may wait without end for a process that was killed. */
    _exit(wrong != 0);
}

#else

int main(void)
{
    return 77; /* no ULFM here */
}
#endif
