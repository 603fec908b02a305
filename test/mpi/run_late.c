/*
 * A rank that comes long after the others, while it is busy in MPI elsewhere, so that what
 * is sent to it is taken in: the memory of every rank stays within a bound that has
 * nothing to do with the message's size, nor with the number of messages.
 * Usage: run_late [BYTES [MILLISECONDS [BYTES_ALLOWED [BROADCASTS]]]]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"

/** The most that this process had from malloc since the watch began; another thread looks. */
typedef struct watch {
    pthread_t thread;
    atomic_bool ends;
    long most;
} watch_t;

static void *look(void *context)
{
    watch_t *watch = context;
    const struct timespec pause = {0, 5000000};
    while (!watch->ends) {
        const long now = memory_in_use();
        watch->most = now > watch->most ? now : watch->most;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/** Makes progress of everything, but does not come to the broadcast. */
static void be_late(MPI_Comm elsewhere, double seconds)
{
    const double start = MPI_Wtime();
    const struct timespec pause = {0, 1000000};
    while (MPI_Wtime() - start < seconds) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, elsewhere, &flag, MPI_STATUS_IGNORE);
        nanosleep(&pause, NULL);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm elsewhere;
    watch_t watch = {.most = 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int bytes = argc > 1 ? atoi(argv[1]) : 32 << 20;
    const double seconds = (argc > 2 ? atof(argv[2]) : 2000) / 1e3;
    const long allowed = argc > 3 ? atol(argv[3]) : 4 << 20;
    const int n = argc > 4 ? atoi(argv[4]) : 1;
    unsigned char *buffer = must_malloc((size_t) bytes);
    MPI_Comm_dup(MPI_COMM_WORLD, &elsewhere);
    for (int i = 0; i < 4; i++) { /* connections and pools are made */
        MPI_Bcast(buffer, bytes / 16, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    pattern_fill(buffer, (size_t) bytes, rank == 0 ? 1 : 2);
    MPI_Barrier(MPI_COMM_WORLD);

    const long before = memory_in_use();
    if (pthread_create(&watch.thread, NULL, look, &watch) != 0) {
        abort();
    }
    if (rank == 1) {
        be_late(elsewhere, seconds);
    }
    for (int i = 0; i < n; i++) {
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    watch.ends = true;
    pthread_join(watch.thread, NULL);
    check(pattern_is(buffer, (size_t) bytes, 1), "the bytes");
    check(watch.most - before <= allowed, "%ld bytes more in use for a time, %ld are allowed",
          watch.most - before, allowed);
    long own[2] = {rank == 1 ? 0 : watch.most - before, rank == 1 ? watch.most - before : 0};
    long most[2];
    MPI_Reduce(own, most, 2, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("a message of %d bytes, %d times: at most %ld bytes more in use at the late rank, "
               "%ld at the others\n",
               bytes, n, most[1], most[0]);
    }
    MPI_Comm_free(&elsewhere);
    free(buffer);
    return check_done("run_late");
}
