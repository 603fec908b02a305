/*
 * Parameters through MPI_T while a program runs: rank 0 alone sets `verbose`, and lines of
 * communicators begin and end with that; what does not follow the program cannot be set. What does
 * is in run_changing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { BYTES = 100000 };

/** A handle of a control variable; ends the job if there is none. */
static MPI_T_cvar_handle handle_of(const char *name)
{
    MPI_T_cvar_handle handle;
    int index, count;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        fprintf(stderr, "MPI_T knows no control variable %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return handle;
}

static void set_verbose(MPI_T_cvar_handle handle, int level)
{
    int rank, now = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) {
        return;
    }
    check(MPI_T_cvar_write(handle, &level) == MPI_SUCCESS, "verbose cannot be set");
    check(MPI_T_cvar_read(handle, &now) == MPI_SUCCESS && now == level, "verbose is %d, not %d",
          now, level);
}

/** What the ranks have agreed on stays as it is. */
static void check_refused(const char *name)
{
    MPI_T_cvar_handle handle = handle_of(name);
    unsigned long long value = 0; /* as long as any of them */
    check(MPI_T_cvar_write(handle, &value) != MPI_SUCCESS, "%s can be set", name);
    MPI_T_cvar_handle_free(&handle);
}

/** Broadcasts over a new communicator of that name, and looks at each byte. */
static void broadcast_over(const char *name)
{
    MPI_Comm comm;
    int rank, wrong = 0;
    unsigned char *bytes = malloc(BYTES);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, name);
    MPI_Comm_rank(comm, &rank);
    memset(bytes, rank == 1 ? 0xa5 : 0, BYTES);
    MPI_Bcast(bytes, BYTES, MPI_BYTE, 1, comm);
    for (int i = 0; i < BYTES; i++) {
        wrong += bytes[i] != 0xa5;
    }
    check(wrong == 0, "%d bytes are wrong over %s", wrong, name);
    free(bytes);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const char *const agreed[] = {"coll_pipebcast_min_size", "coll_pipebcast_fanout",
                                         "coll_pipebcast_multicast", "coll_pipebcast_ahead"};
    int provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_T_cvar_handle verbose = handle_of("coll_pipebcast_verbose");
    broadcast_over("before");
    set_verbose(verbose, 1);
    broadcast_over("while");
    for (size_t i = 0; i < sizeof(agreed) / sizeof(agreed[0]); i++) {
        check_refused(agreed[i]);
    }
    set_verbose(verbose, 0);
    broadcast_over("after");
    MPI_T_cvar_handle_free(&verbose);
    MPI_T_finalize();
    return check_done("run_settable");
}
