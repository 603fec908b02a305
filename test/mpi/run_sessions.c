/*
 * MPI_Session_init without MPI_Init: two sessions one after the other, and two at a time; in each,
 * a communicator of all processes is made from its group, and broadcasts on it.
 */
#include "check.h"

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5

#include <stdio.h>
#include <stdlib.h>

#define BYTES 5000
#define N_BROADCASTS 5

static int n_checks, n_wrong;

static void note(bool right)
{
    n_checks++;
    n_wrong += !right;
}

static MPI_Comm communicator_of(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_NULL;
    note(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
    note(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
         MPI_SUCCESS);
    MPI_Group_free(&group);
    return comm;
}

static void broadcast_all(MPI_Comm comm)
{
    unsigned char buffer[BYTES];
    int size;
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < N_BROADCASTS; i++) {
        note(bcast_is_right(buffer, BYTES, i % size, comm, (unsigned) i));
    }
}

/** Adds up what ranks have noted, and prints it at rank 0. */
static void report(MPI_Comm comm)
{
    int own[] = {n_checks, n_wrong}, all[2], rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(own, all, 2, MPI_INT, MPI_SUM, comm);
    if (rank == 0) {
        printf("%s run_sessions: %d checks, %d wrong\n", all[1] == 0 ? "PASS" : "FAIL", all[0],
               all[1]);
        fflush(stdout);
    }
}

/** One session; within it another one, if `inner`. */
static void use_session(const char *tag, bool inner)
{
    MPI_Session session;
    note(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    MPI_Comm comm = communicator_of(session, tag);
    broadcast_all(comm);
    if (inner) {
        use_session("pipebcast.inner", false);
        broadcast_all(comm);
        report(comm);
    }
    MPI_Comm_free(&comm);
    note(MPI_Session_finalize(&session) == MPI_SUCCESS);
}

int main(void)
{
    use_session("pipebcast.first", false);
    use_session("pipebcast.second", true);
    return n_wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#else

int main(void)
{
    return 77; /* there are no sessions */
}

#endif
