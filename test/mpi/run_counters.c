/*
 * Counting in the presence of threads and of errors: threads broadcast on communicators
 * of their own under MPI_THREAD_MULTIPLE, and none of it may be missing from the
 * counters; then the last rank names another size than the others, which fails there.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "served.h"

#define N_THREADS 4
#define N_BROADCASTS 500
#define BYTES 150

typedef struct worker {
    pthread_t thread;
    MPI_Comm comm;
} worker_t;

static void *work(void *context)
{
    const worker_t *worker = context;
    char buffer[BYTES] = {0};
    int size;
    MPI_Comm_size(worker->comm, &size);
    for (int i = 0; i < N_BROADCASTS; i++) {
        /* Every other one is too small for us. */
        MPI_Bcast(buffer, i % 2 == 0 ? BYTES : 1, MPI_BYTE, i % size, worker->comm);
    }
    return NULL;
}

static void broadcast_in_threads(void)
{
    worker_t workers[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < N_THREADS; i++) {
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    for (int i = 0; i < N_THREADS; i++) {
        MPI_Comm_free(&workers[i].comm);
    }
}

/** The last rank expects more than the others broadcast. */
static void broadcast_wrongly(void)
{
    char buffer[BYTES + 30] = {0};
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(buffer, rank == size - 1 ? BYTES + 30 : BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void check_value(const struct bench_counters *counters, const char *name,
                        unsigned long long expected)
{
    const unsigned long long value = counter_value(counters, name);
    check(value == expected, "%s is %llu instead of %llu", name, value, expected);
}

int main(int argc, char **argv)
{
    struct bench_counters counters;
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        printf("SKIP run_counters: this Open MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return EXIT_SUCCESS;
    }
    if (!bench_counters_open(&counters)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    broadcast_in_threads();
    const unsigned long long half = N_THREADS * N_BROADCASTS / 2;
    check_value(&counters, "coll_pipebcast_broadcasts_twotree", half);
    check_value(&counters, "coll_pipebcast_bytes_twotree", half * BYTES);
    check_value(&counters, "coll_pipebcast_fallback_too_small", half);
    check_value(&counters, "coll_pipebcast_bytes_fallback", half);
    check_value(&counters, "coll_pipebcast_failed", 0);
    broadcast_wrongly();
    if (rank == size - 1) {
        check_value(&counters, "coll_pipebcast_failed", 1);
        check_value(&counters, "coll_pipebcast_broadcasts_twotree", half);
    }
    bench_counters_close(&counters);
    return check_done("run_counters");
}
