/*
 * The locks on the way of blocking broadcasts: none in a program with one thread inside MPI, one
 * mutex where it has asked for MPI_THREAD_MULTIPLE, and that of the tasks while a broadcast is
 * watched (communicator/arrivals.h).
 *
 * Needs locking_plugin.so before the C library. Usage: run_locks [threads]
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "locking_plugin.h"

enum { N_BROADCASTS = 100, BYTES = 6000 };

static void broadcast(int number, int n_ranks)
{
    static unsigned char buffer[BYTES];
    const int root = number % n_ranks;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pattern_fill(buffer, BYTES, (unsigned) number + (rank == root ? 0 : 1));
    MPI_Bcast(buffer, BYTES, MPI_BYTE, root, MPI_COMM_WORLD);
    check(pattern_is(buffer, BYTES, (unsigned) number), "broadcast %d", number);
}

int main(int argc, char **argv)
{
    const int wanted = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    locking_plugin_begin_t *begin;
    locking_plugin_end_t *end;
    int provided, rank, n_ranks;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    *(void **) &begin = dlsym(RTLD_DEFAULT, "locking_plugin_begin");
    *(void **) &end = dlsym(RTLD_DEFAULT, "locking_plugin_end");
    if (begin == NULL || end == NULL) {
        fprintf(stderr, "usage: run_locks [threads], with locking_plugin.so in LD_PRELOAD\n");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < n_ranks; i++) { /* the ranks agree, and plan for each root */
        broadcast(i, n_ranks);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    begin();
    for (int i = 0; i < N_BROADCASTS; i++) {
        broadcast(i, n_ranks);
    }
    const locking_plugin_t locked = end();
    if (provided == MPI_THREAD_MULTIPLE && wanted == MPI_THREAD_MULTIPLE) {
        check(locked.n_mutexes <= 2, "%d mutexes are locked", locked.n_mutexes);
        check(locked.n_locks >= N_BROADCASTS, "%ld locks are too few", locked.n_locks);
    } else {
        check(locked.n_locks == 0, "%ld locks of %d mutexes", locked.n_locks, locked.n_mutexes);
    }
    if (rank == 0) {
        printf("%d broadcasts: %ld locks of %d mutexes at rank 0\n", N_BROADCASTS, locked.n_locks,
               locked.n_mutexes);
    }
    return check_done("run_locks");
}
