/*
 * Parameters through MPI_T while a program runs: rank 0 alone sets `verbose`, and lines of
 * communicators begin and end with that. `algorithm` and `segment_size`, set on all ranks, count
 * for communicators that are made later. What ranks have agreed on cannot be set.
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

static unsigned long long n_chains(const struct bench_counters *counters)
{
    return counter_value(counters, "coll_pipebcast_broadcasts_chain");
}

/** A setting counts for communicators that are made after it was written, on all ranks. */
static void check_settings(void)
{
    MPI_T_cvar_handle algorithm = handle_of("coll_pipebcast_algorithm");
    MPI_T_cvar_handle segment = handle_of("coll_pipebcast_segment_size");
    struct bench_counters counters;
    int before = -2;
    const int chain = 0;
    const size_t too_small = 3;
    served_open(&counters);
    MPI_Comm old = new_communicator("old");
    check(MPI_T_cvar_read(algorithm, &before) == MPI_SUCCESS, "algorithm cannot be read");
    check(MPI_T_cvar_write(algorithm, &chain) == MPI_SUCCESS, "algorithm cannot be set");
    check(MPI_T_cvar_write(segment, &too_small) == MPI_SUCCESS, "segment_size cannot be set");
    const unsigned long long n = n_chains(&counters);
    check_bcast(BLOCKING, BYTES, 1, old, 1, "old");
    check(n_chains(&counters) == n, "a communicator that was there has changed");
    broadcast_over("new");
    check(n_chains(&counters) == n + 1, "a new communicator does not follow");
    check(MPI_T_cvar_write(algorithm, &before) == MPI_SUCCESS, "algorithm cannot be set back");
    MPI_Comm_free(&old);
    MPI_T_cvar_handle_free(&algorithm);
    MPI_T_cvar_handle_free(&segment);
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
    check_settings();
    MPI_T_cvar_handle_free(&verbose);
    MPI_T_finalize();
    return check_done("run_settable");
}
