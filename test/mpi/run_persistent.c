/*
 * A persistent broadcast is done as a nonblocking one would be where it was initialised: by what
 * was learnt so far. One that was initialised before stays as it was, although ranks start the two
 * in different orders. Counted by the messages that segments make.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "sent.h"

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

#define BYTES 200000
#define N_LEARNT 40

/** More than the bytes of any message that is not a segment of ours. */
#define LEAST 200

typedef struct request {
    unsigned char *buffer;
    MPI_Request handle;
    unsigned seed;
} request_t;

static void init(request_t *request)
{
    request->buffer = must_malloc(BYTES);
    MPI_Bcast_init(request->buffer, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request->handle);
}

static void start(request_t *request, unsigned seed)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    request->seed = seed;
    pattern_fill(request->buffer, BYTES, rank == 0 ? seed : seed + 1);
    MPI_Start(&request->handle);
}

static void end(request_t *request)
{
    MPI_Wait(&request->handle, MPI_STATUS_IGNORE);
    check(pattern_is(request->buffer, BYTES, request->seed), "bytes of start %u", request->seed);
}

static void give_back(request_t *request)
{
    MPI_Request_free(&request->handle);
    free(request->buffer);
}

static long segments_sent(void)
{
    long n_empty, n_full;
    sent_take(MPI_COMM_WORLD, &n_empty, &n_full);
    return n_full;
}

static long segments_of(request_t *request, unsigned seed)
{
    sent_forget();
    start(request, seed);
    end(request);
    return segments_sent();
}

static long segments_of_ibcast(unsigned char *buffer)
{
    MPI_Request handle;
    sent_forget();
    MPI_Ibcast(buffer, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD, &handle);
    MPI_Wait(&handle, MPI_STATUS_IGNORE);
    return segments_sent();
}

int main(int argc, char **argv)
{
    request_t before, after;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned char *buffer = must_malloc(BYTES);
    pattern_fill(buffer, BYTES, 1);
    sent_open(LEAST);
    init(&before);
    const long first = segments_of(&before, 1);
    for (int i = 0; i < N_LEARNT; i++) {
        MPI_Bcast(buffer, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    init(&after);
    const long learnt = segments_of_ibcast(buffer);
    long again = segments_of(&after, 2);
    check(again == learnt, "%ld messages, and %ld of a nonblocking one", again, learnt);
    again = segments_of(&before, 3);
    check(again == first, "%ld messages, and %ld before", again, first);
    start(rank % 2 == 0 ? &before : &after, 4);
    start(rank % 2 == 0 ? &after : &before, 4);
    end(&before);
    end(&after);
    again = segments_sent();
    check(again == first + learnt, "%ld messages of both, not %ld and %ld", again, first, learnt);
    if (rank == 0) {
        printf("a persistent broadcast: %ld messages; initialised later: %ld\n", first, learnt);
    }
    sent_close();
    give_back(&before);
    give_back(&after);
    free(buffer);
    return check_done("run_persistent");
}
