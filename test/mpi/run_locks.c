/*
 * The locks on the way of blocking broadcasts. A program with one thread inside MPI takes none,
 * with MPI_THREAD_MULTIPLE one mutex. During a sweep the tasks' lock comes to that.
 *
 * Needs locking_plugin.so before the C library. Usage: run_locks [threads]
 */
#include <stdio.h>

#include "check.h"
#include "preloaded.h"

enum { N_BROADCASTS = 100, BYTES = 6000 };

static void broadcast(int n)
{
    for (int i = 0; i < n; i++) {
        check_bcast(BLOCKING, BYTES, i % n_ranks, MPI_COMM_WORLD, (unsigned) i, "a turn");
    }
}

int main(int argc, char **argv)
{
    const bool has_threads = argc > 1;
    locking_plugin_begin_t *begin;
    locking_plugin_end_t *end;
    if (has_threads) {
        check_begin_threads("run_locks", &argc, &argv);
    } else {
        check_begin(&argc, &argv);
    }
    *(void **) &begin = preloaded("locking_plugin_begin");
    *(void **) &end = preloaded("locking_plugin_end");
    broadcast(n_ranks); /* the ranks agree, and plan for each root */
    MPI_Barrier(MPI_COMM_WORLD);
    begin();
    broadcast(N_BROADCASTS);
    const locking_plugin_t locked = end();
    if (has_threads) {
        check(locked.n_mutexes <= 2, "%d mutexes are locked", locked.n_mutexes);
        check(locked.n_locks >= N_BROADCASTS, "%ld locks are too few", locked.n_locks);
    } else {
        check(locked.n_locks == 0, "%ld locks of %d mutexes", locked.n_locks, locked.n_mutexes);
    }
    if (my_rank == 0) {
        printf("%d broadcasts: %ld locks of %d mutexes at rank 0\n", N_BROADCASTS, locked.n_locks,
               locked.n_mutexes);
    }
    return check_done("run_locks");
}
