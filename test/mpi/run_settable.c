/*
 * Parameters through MPI_T while a program runs: rank 0 alone sets `verbose`, and lines of
 * communicators begin and end with that. What ranks have agreed on cannot be set. Others are set
 * on all ranks, each to the value behind its name, an int or a size_t.
 *
 * Usage: run_settable [NAME VALUE COUNTER BROADCASTS]...
 */
#include <stdio.h>

#include "check.h"
#include "served.h"
#include "test/must.h"

enum { BYTES = 100000 };

/** A handle of a control variable; ends the job if there is none. */
static MPI_T_cvar_handle handle_of(const char *name)
{
    MPI_T_cvar_handle handle;
    int index, count;
    must(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
         MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS);
    return handle;
}

static void set_verbose(MPI_T_cvar_handle handle, int level)
{
    int now = -1;
    if (my_rank != 0) {
        return;
    }
    check(MPI_T_cvar_write(handle, &level) == MPI_SUCCESS, "verbose cannot be set");
    check(MPI_T_cvar_read(handle, &now) == MPI_SUCCESS && now == level, "verbose is %d, not %d",
          now, level);
}

/** Settings on which the ranks have agreed stay as they are. */
static void check_refused(const char *name)
{
    MPI_T_cvar_handle handle = handle_of(name);
    unsigned long long value = 0; /* as long as any of them */
    check(MPI_T_cvar_write(handle, &value) != MPI_SUCCESS, "%s can be set", name);
    MPI_T_cvar_handle_free(&handle);
}

static MPI_Comm new_communicator(const char *name)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, name);
    return comm;
}

/** A broadcast over a new communicator of that name. */
static void broadcast_over(const char *name)
{
    MPI_Comm comm = new_communicator(name);
    check_bcast(BLOCKING, BYTES, 1, comm, 1, name);
    MPI_Comm_free(&comm);
}

/**
 * A setting counts for communicators that are made after it was written, on all ranks. Prints what
 * a counter has of `n` broadcasts over one that was there, then over a new one.
 */
static void check_setting(const char *name, long long value, const char *counter, long n)
{
    unsigned long long counted[3];
    struct bench_counters counters;
    served_open(&counters);
    MPI_T_cvar_handle handle = handle_of(name);
    MPI_Comm comm = new_communicator("old");
    check(MPI_T_cvar_write(handle, &value) == MPI_SUCCESS, "%s cannot be set", name);
    counted[0] = counter_value(&counters, counter);
    for (int i = 0; i < 2; i++) {
        for (long k = 0; k < n; k++) {
            check_bcast(BLOCKING, BYTES, 1, comm, (unsigned) k, name);
        }
        counted[i + 1] = counter_value(&counters, counter);
        MPI_Comm_free(&comm);
        comm = i == 0 ? new_communicator("new") : MPI_COMM_NULL;
    }
    MPI_T_cvar_handle_free(&handle);
    printf("%s: %llu, then %llu\n", counter, counted[1] - counted[0], counted[2] - counted[1]);
}

int main(int argc, char **argv)
{
    static const char *const agreed[] = {"coll_pipebcast_min_size", "coll_pipebcast_fanout",
                                         "coll_pipebcast_multicast", "coll_pipebcast_ahead"};
    int provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    check_begin(&argc, &argv);
    MPI_T_cvar_handle verbose = handle_of("coll_pipebcast_verbose");
    broadcast_over("before");
    set_verbose(verbose, 1);
    broadcast_over("while");
    for (size_t i = 0; i < sizeof(agreed) / sizeof(agreed[0]); i++) {
        check_refused(agreed[i]);
    }
    set_verbose(verbose, 0);
    broadcast_over("after");
    for (int i = 1; i + 3 < argc; i += 4) {
        check_setting(argv[i], argument(argc, argv, i + 1, 0), argv[i + 2],
                      argument(argc, argv, i + 3, 1));
    }
    MPI_T_cvar_handle_free(&verbose);
    MPI_T_finalize();
    return check_done("run_settable");
}
