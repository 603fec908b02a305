/*
 * MPI_THREAD_MULTIPLE: each thread broadcasts on a communicator of its own, every other one with
 * several nonblocking and persistent broadcasts under way.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

#define N_THREADS 4
#define N_BROADCASTS 100
#define N_OUTSTANDING 5
#define MAX_BYTES (50 + N_BROADCASTS * 97)

typedef struct worker {
    pthread_t thread;
    MPI_Comm comm;
    unsigned number;
} worker_t;

static void *work(void *context)
{
    const worker_t *worker = context;
    int rank, size;
    MPI_Comm_rank(worker->comm, &rank);
    MPI_Comm_size(worker->comm, &size);
    for (int i = 0; i < N_BROADCASTS; i++) {
        const size_t bytes = 50 + (size_t) i * 97;
        const int root = (i + (int) worker->number) % size;
        const unsigned seed = worker->number * 1000 + (unsigned) i;
        unsigned char *buffer = must_malloc(bytes);
        pattern_fill(buffer, bytes, rank == root ? seed : seed + 1);
        MPI_Bcast(buffer, (int) bytes, MPI_BYTE, root, worker->comm);
        check(pattern_is(buffer, bytes, seed), "thread %u, broadcast %d", worker->number, i);
        free(buffer);
    }
    return NULL;
}

/** The bytes of broadcast `i`, before it. */
static void fill(unsigned char *buffer, const worker_t *worker, int i, int root)
{
    int rank;
    const unsigned seed = worker->number * 1000 + (unsigned) i;
    MPI_Comm_rank(worker->comm, &rank);
    pattern_fill(buffer, MAX_BYTES, rank == root ? seed : seed + 1);
}

static void check_bytes(const unsigned char *buffer, size_t bytes, const worker_t *worker, int i)
{
    check(pattern_is(buffer, bytes, worker->number * 1000 + (unsigned) i),
          "thread %u, nonblocking %d", worker->number, i);
}

static void *work_nonblocking(void *context)
{
    const worker_t *worker = context;
    unsigned char *buffers[N_OUTSTANDING];
    MPI_Request requests[N_OUTSTANDING], persistent;
    unsigned char *again = must_malloc(MAX_BYTES);
    int size;
    MPI_Comm_size(worker->comm, &size);
    for (int k = 0; k < N_OUTSTANDING; k++) {
        buffers[k] = must_malloc(MAX_BYTES);
    }
    MPI_Bcast_init(again, 4000, MPI_BYTE, 0, worker->comm, MPI_INFO_NULL, &persistent);
    for (int i = 0; i + N_OUTSTANDING <= N_BROADCASTS; i += N_OUTSTANDING) {
        fill(again, worker, i, 0);
        MPI_Start(&persistent);
        for (int k = 0; k < N_OUTSTANDING; k++) {
            const int root = (i + k) % size;
            fill(buffers[k], worker, i + k, root);
            MPI_Ibcast(buffers[k], 50 + (i + k) * 97, MPI_BYTE, root, worker->comm, &requests[k]);
        }
        for (int n = 0; n < N_OUTSTANDING; n++) {
            int k;
            MPI_Waitany(N_OUTSTANDING, requests, &k, MPI_STATUS_IGNORE);
            check_bytes(buffers[k], 50 + (size_t) (i + k) * 97, worker, i + k);
        }
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        check_bytes(again, 4000, worker, i);
    }
    MPI_Request_free(&persistent);
    for (int k = 0; k < N_OUTSTANDING; k++) {
        free(buffers[k]);
    }
    free(again);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    worker_t workers[N_THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        printf("SKIP run_threads: this Open MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return EXIT_SUCCESS;
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < N_THREADS; i++) {
        if (pthread_create(&workers[i].thread, NULL, i % 2 == 0 ? work : work_nonblocking,
                           &workers[i]) != 0) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    return check_done("run_threads");
}
