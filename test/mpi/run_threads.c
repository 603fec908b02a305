/* MPI_THREAD_MULTIPLE: each thread broadcasts on a communicator of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#define N_THREADS 4
#define N_BROADCASTS 100

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
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    return check_done("run_threads");
}
