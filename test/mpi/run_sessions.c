/*
 * MPI_Session_init without MPI_Init: two sessions one after the other, and two at a time. In each,
 * a communicator of all processes is made from its group, and broadcasts on it.
 */
#include "check.h"

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5

#include <stdio.h>
#include <stdlib.h>

#define BYTES 5000

/**
 * Microseconds between sessions. PMIx takes a rank that ends late for a lost one if another has
 * begun anew, and all wait (openpmix issue 4113).
 */
#define UNTIL_ALL_HAVE_ENDED 1000000

static MPI_Comm communicator_of(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_NULL;
    int rc = MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    check(rc == MPI_SUCCESS, "the processes of a session: %d", rc);
    rc = MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    check(rc == MPI_SUCCESS, "a communicator of a session: %d", rc);
    MPI_Group_free(&group);
    return comm;
}

/** Adds up what ranks have noted, and prints it at rank 0. */
static void report(MPI_Comm comm)
{
    int own = check_wrong(), all, rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0) {
        printf("%s run_sessions: %d wrong\n", all == 0 ? "PASS" : "FAIL", all);
        fflush(stdout);
    }
}

/** One session; within it another one, if `inner`. */
static void use_session(const char *tag, bool inner)
{
    MPI_Session session;
    const int rc = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    check(rc == MPI_SUCCESS, "a session: %d", rc);
    MPI_Comm comm = communicator_of(session, tag);
    check_bcast_of_all(BYTES, comm, tag);
    if (inner) {
        use_session("pipebcast.inner", false);
        check_bcast_of_all(BYTES, comm, tag);
        report(comm);
    }
    MPI_Comm_free(&comm);
    check(MPI_Session_finalize(&session) == MPI_SUCCESS, "the end of a session");
}

int main(void)
{
    use_session("pipebcast.first", false);
    wait_us(UNTIL_ALL_HAVE_ENDED);
    use_session("pipebcast.second", true);
    return check_wrong() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#else

int main(void)
{
    return 77; /* there are no sessions */
}

#endif
