/*
 * Memory that runs out in the plugin, at each of its allocations in turn, on every other
 * rank, from the making of a communicator to its end. Every broadcast must be done, or
 * end with an error; a rank that has no error has every byte.
 * Needs failing_plugin.so before the C library. Usage: run_no_memory [TOPOLOGY_FILE],
 * which is then read again each time.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "check.h"
#include "failing_plugin.h"

#define BYTES 6000
#define N_BROADCASTS 5

static failing_plugin_after_t *fail_after;
static failing_plugin_has_failed_t *has_failed;
static MPI_Datatype spaced; /* BYTES / 2 single bytes, with gaps */
static int my_rank, n_ranks;
static long n_errors;

static void broadcast(MPI_Comm comm, int i)
{
    unsigned char buffer[BYTES], of_root[BYTES], before[BYTES];
    const int root = i % n_ranks;
    const bool is_spaced = i % 2 == 1;
    int n_wrong = 0;
    pattern_fill(of_root, BYTES, (unsigned) i + 1);
    pattern_fill(before, BYTES, (unsigned) i + (my_rank == root ? 1 : 10));
    memcpy(buffer, before, BYTES);
    const int rc = is_spaced ? MPI_Bcast(buffer, 1, spaced, root, comm)
                             : MPI_Bcast(buffer, BYTES, MPI_BYTE, root, comm);
    if (rc != MPI_SUCCESS) {
        n_errors++;
        return;
    }
    for (int at = 0; at < BYTES; at++) {
        n_wrong += buffer[at] != (is_spaced && at % 2 == 1 ? before[at] : of_root[at]);
    }
    check(n_wrong == 0, "broadcast %d: %d wrong bytes and no error", i, n_wrong);
}

/** A communicator's life. */
static void scenario(void)
{
    MPI_Comm comm;
    const int rc = MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check(rc == MPI_SUCCESS, "the communicator is made");
    if (rc != MPI_SUCCESS) {
        return;
    }
    for (int i = 0; i < N_BROADCASTS; i++) {
        broadcast(comm, i);
    }
    MPI_Comm_free(&comm);
}

/** Lets the file look like another one. */
static void touch(const char *path)
{
    static long n;
    const struct timeval times[2] = {{.tv_sec = 1000000 + n}, {.tv_sec = 1000000 + n}};
    n++;
    if (path != NULL && my_rank == 0) {
        check(utimes(path, times) == 0, "the topology file is touched");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/** One scenario with an allocation of `victim` failing; whether there was one. */
static bool lose_one(int victim, long at, const char *path)
{
    touch(path);
    fail_after(my_rank == victim ? at : -1);
    scenario();
    int failed = my_rank == victim && has_failed();
    fail_after(-1);
    MPI_Bcast(&failed, 1, MPI_INT, victim, MPI_COMM_WORLD);
    return failed != 0;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : NULL;
    long n = 0, all_errors = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    *(void **) &fail_after = dlsym(RTLD_DEFAULT, "failing_plugin_after");
    *(void **) &has_failed = dlsym(RTLD_DEFAULT, "failing_plugin_has_failed");
    if (fail_after == NULL || has_failed == NULL) {
        fprintf(stderr, "failing_plugin.so must be in LD_PRELOAD\n");
        return EXIT_FAILURE;
    }
    MPI_Type_vector(BYTES / 2, 1, 2, MPI_BYTE, &spaced);
    MPI_Type_commit(&spaced);
    /* Each is a root, forwards and only receives in some of the broadcasts. */
    for (int victim = 0; victim < n_ranks; victim += 2) {
        for (long at = 0; lose_one(victim, at, path); at++) {
            n++;
        }
    }
    MPI_Type_free(&spaced);
    MPI_Reduce(&n_errors, &all_errors, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    check(n > 100, "%ld allocations were failed", n);
    if (my_rank == 0) {
        printf("%ld allocations were failed; %ld broadcasts ended with an error at a rank\n", n,
               all_errors);
    }
    return check_done("run_no_memory");
}
