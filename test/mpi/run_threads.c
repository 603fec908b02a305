/*
 * MPI_THREAD_MULTIPLE: each thread broadcasts on a communicator of its own. Usage: run_threads
 * [counted] By default every other thread has several nonblocking and persistent broadcasts under
 * way. counted: blocking ones of two sizes, all in the counters; then the last rank names another
 * size, which fails there and is counted.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/compat.h"

#include "check.h"
#include "served.h"
#include "test/must.h"

#define N_THREADS 4
#define N_BROADCASTS 100
#define N_OUTSTANDING 5
#define AGAIN_BYTES 4000
#define N_COUNTED 500
#define COUNTED_BYTES 150
#define N_LOOKS 50

typedef struct worker {
    pthread_t thread;
    MPI_Comm comm;
    unsigned number;
} worker_t;

static size_t bytes_of(int i)
{
    return 50 + (size_t) i * 97;
}

static unsigned seed_of(const worker_t *worker, int i)
{
    return worker->number * 1000 + (unsigned) i;
}

static void *work(void *context)
{
    const worker_t *worker = context;
    for (int i = 0; i < N_BROADCASTS; i++) {
        check_bcast(BLOCKING, bytes_of(i), (i + (int) worker->number) % n_ranks, worker->comm,
                    seed_of(worker, i), "a thread");
    }
    return NULL;
}

static void *work_nonblocking(void *context)
{
    const worker_t *worker = context;
    pending_t pending[N_OUTSTANDING];
    MPI_Request requests[N_OUTSTANDING], persistent;
    pending_t again = pending_begin(PERSISTENT, AGAIN_BYTES, 0, worker->comm, 0, &persistent);
    for (int i = 0; i + N_OUTSTANDING <= N_BROADCASTS; i += N_OUTSTANDING) {
        pending_fill(&again, seed_of(worker, i));
        MPI_Start(&persistent);
        for (int k = 0; k < N_OUTSTANDING; k++) {
            pending[k] = pending_begin(NONBLOCKING, bytes_of(i + k), (i + k) % n_ranks,
                                       worker->comm, seed_of(worker, i + k), &requests[k]);
        }
        for (int n = 0; n < N_OUTSTANDING; n++) {
            int k;
            MPI_Waitany(N_OUTSTANDING, requests, &k, MPI_STATUS_IGNORE);
            pending_end(&pending[k], "a thread, nonblocking");
        }
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        check(pending_is_right(&again), "a thread, persistent, broadcast %d", i);
    }
    MPI_Request_free(&persistent);
    pending_end(&again, "a thread, persistent");
    return NULL;
}

/**
 * A thread in MPI_Waitany is about to return, as one of its requests is complete. Completing the
 * other one does not touch what it waits by. This thread stands for it.
 */
static void test_returning_waiter(void)
{
    ompi_wait_sync_t waiting;
    MPI_Request requests[2];
    pending_t pending[2];
    WAIT_SYNC_INIT(&waiting, 1);
    for (int i = 0; i < 2; i++) {
        pending[i] =
            pending_begin(NONBLOCKING, AGAIN_BYTES, 0, MPI_COMM_WORLD, (unsigned) i, &requests[i]);
        requests[i]->req_complete = &waiting;
    }
    for (int n = 0, flag; n < N_LOOKS;) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        n += waiting.count <= 0 && pending_is_right(&pending[0]) && pending_is_right(&pending[1]);
    }
    check(waiting.count == 0, "a waiter was told %d times", 1 - waiting.count);
    for (int i = 0; i < 2; i++) {
        if (requests[i]->req_complete == &waiting) {
            requests[i]->req_complete = REQUEST_PENDING;
        }
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        pending_end(&pending[i], "a waiter that returns");
    }
}

/** Every other broadcast is too small for pipebcast. */
static void *work_counted(void *context)
{
    const worker_t *worker = context;
    for (int i = 0; i < N_COUNTED; i++) {
        check_bcast(BLOCKING, i % 2 == 0 ? COUNTED_BYTES : 1, i % n_ranks, worker->comm,
                    (unsigned) i, "a thread");
    }
    return NULL;
}

/** Threads with the two ways of working by turns. */
static void run_threads(void *(*even)(void *), void *(*odd)(void *) )
{
    worker_t workers[N_THREADS];
    for (unsigned i = 0; i < N_THREADS; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < N_THREADS; i++) {
        must(pthread_create(&workers[i].thread, NULL, i % 2 == 0 ? even : odd, &workers[i]) == 0);
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
    char buffer[COUNTED_BYTES + 30] = {0};
    const int bytes = my_rank == n_ranks - 1 ? COUNTED_BYTES + 30 : COUNTED_BYTES;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void check_value(const struct bench_counters *counters, const char *name,
                        unsigned long long expected)
{
    const unsigned long long value = counter_value(counters, name);
    check(value == expected, "%s is %llu instead of %llu", name, value, expected);
}

static void test_counters(void)
{
    const unsigned long long half = N_THREADS * N_COUNTED / 2;
    struct bench_counters counters;
    served_open(&counters);
    run_threads(work_counted, work_counted);
    check_value(&counters, "coll_pipebcast_broadcasts_twotree", half);
    check_value(&counters, "coll_pipebcast_bytes_twotree", half * COUNTED_BYTES);
    check_value(&counters, "coll_pipebcast_fallback_too_small", half);
    check_value(&counters, "coll_pipebcast_bytes_fallback", half);
    check_value(&counters, "coll_pipebcast_failed", 0);
    broadcast_wrongly();
    if (my_rank == n_ranks - 1) {
        check_value(&counters, "coll_pipebcast_failed", 1);
        check_value(&counters, "coll_pipebcast_broadcasts_twotree", half);
    }
    bench_counters_close(&counters);
}

int main(int argc, char **argv)
{
    check_begin_threads("run_threads", &argc, &argv);
    if (argc > 1) {
        test_counters();
    } else {
        test_returning_waiter();
        run_threads(work, work_nonblocking);
    }
    return check_done("run_threads");
}
