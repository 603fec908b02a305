/*
 * A rank that is killed in the middle of a broadcast: it has received a part and does not
 * pass on the rest. The job must end with an error.
 * Usage: run_killed [short broadcasts before that]
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define BYTES (100 << 20)

/** Ends this process in a moment, whatever it does then. */
static void *kill_soon(void *context)
{
    const struct timespec time = {0, 50 * 1000000};
    (void) context;
    nanosleep(&time, NULL);
    fprintf(stderr, "rank 2 ends itself\n");
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    const int n_before = argc > 1 ? atoi(argv[1]) : 1;
    int rank;
    pthread_t thread;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned char *buffer = must_malloc(BYTES);
    pattern_fill(buffer, BYTES, 1);
    for (int i = 0; i < n_before; i++) {
        MPI_Bcast(buffer, 1000, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    if (rank == 2 && pthread_create(&thread, NULL, kill_soon, NULL) != 0) {
        abort();
    }
    /* Long enough for whatever host; it never comes to an end. */
    for (int i = 0; i < 1000; i++) {
        MPI_Bcast(buffer, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    free(buffer);
    return check_done("run_killed");
}
