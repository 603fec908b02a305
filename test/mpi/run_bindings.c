/*
 * The same broadcasts by every function that MPI has for them: blocking,
 * nonblocking and persistent, with int and with large counts. Each of them is pipebcast's.
 */
#include <stdlib.h>

#include "check.h"
#include "served.h"

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

#define BYTES 4001

static void by_bcast(void *buffer, int root)
{
    MPI_Bcast(buffer, BYTES, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void by_ibcast(void *buffer, int root)
{
    MPI_Request request;
    MPI_Ibcast(buffer, BYTES, MPI_BYTE, root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void by_bcast_init(void *buffer, int root)
{
    MPI_Request request;
    MPI_Bcast_init(buffer, BYTES, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

#if OMPI_MAJOR_VERSION >= 6
static void by_bcast_c(void *buffer, int root)
{
    MPI_Bcast_c(buffer, BYTES, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void by_ibcast_c(void *buffer, int root)
{
    MPI_Request request;
    MPI_Ibcast_c(buffer, BYTES, MPI_BYTE, root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void by_bcast_init_c(void *buffer, int root)
{
    MPI_Request request;
    MPI_Bcast_init_c(buffer, BYTES, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
#endif

static const struct {
    const char *name;
    void (*broadcast)(void *buffer, int root);
} bindings[] = {
    {"MPI_Bcast", by_bcast},
    {"MPI_Ibcast", by_ibcast},
    {"MPI_Bcast_init", by_bcast_init},
#if OMPI_MAJOR_VERSION >= 6
    {"MPI_Bcast_c", by_bcast_c},
    {"MPI_Ibcast_c", by_ibcast_c},
    {"MPI_Bcast_init_c", by_bcast_init_c},
#endif
};
#define N_BINDINGS (sizeof(bindings) / sizeof(bindings[0]))

int main(int argc, char **argv)
{
    struct bench_counters counters;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    served_open(&counters);
    unsigned char *buffer = must_malloc(BYTES);
    for (unsigned turn = 0; turn < 3 * N_BINDINGS; turn++) {
        const unsigned which = turn % N_BINDINGS;
        const int root = (int) turn % size;
        const unsigned long long before = served_so_far(&counters);
        pattern_fill(buffer, BYTES, rank == root ? turn : turn + 1);
        bindings[which].broadcast(buffer, root);
        check(pattern_is(buffer, BYTES, turn), "%s from root %d", bindings[which].name, root);
        check(served_so_far(&counters) == before + 1, "%s is not served", bindings[which].name);
    }
    free(buffer);
    bench_counters_close(&counters);
    return check_done("run_bindings");
}
