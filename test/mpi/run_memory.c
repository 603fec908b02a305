/*
 * What a process keeps for each communicator that is alive: as it is made, and after it has
 * broadcast from so many roots. Prints the most of any rank. Usage: run_memory COMMUNICATORS BYTES
 * [ROOTS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/** Bytes in use for each of n since there were so many; the most of any rank, at rank 0. */
static long grown(long before, int n)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const long own = (memory_in_use() - before) / n;
    long most = 0;
    MPI_Reduce(&own, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    return most;
}

/** The second one of a communicator opens no connection, and may be watched. */
static void broadcast(MPI_Comm comm, unsigned char *buffer, int bytes, int root)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (unsigned i = 0; i < 2; i++) {
        pattern_fill(buffer, (size_t) bytes, rank == root ? i : i + 1);
        MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm);
        check(pattern_is(buffer, (size_t) bytes, i), "broadcast %u of %d bytes", i, bytes);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int n = argc > 1 ? atoi(argv[1]) : 100, bytes = argc > 2 ? atoi(argv[2]) : 20000;
    const int n_roots = argc > 3 ? atoi(argv[3]) : 1;
    MPI_Comm *comms = must_malloc((size_t) n * sizeof(MPI_Comm));
    unsigned char *buffer = must_malloc((size_t) bytes);
    broadcast(MPI_COMM_WORLD, buffer, bytes, 0);
    long before = memory_in_use();
    for (int i = 0; i < n; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    }
    const long made = grown(before, n);
    before = memory_in_use();
    for (int i = 0; i < n * n_roots; i++) {
        broadcast(comms[i / n_roots], buffer, bytes, i % n_roots);
    }
    const long served = grown(before, n);
    if (rank == 0) {
        printf("each of %d communicators: made %ld served %ld\n", n, made, served);
    }
    for (int i = 0; i < n; i++) {
        MPI_Comm_free(&comms[i]);
    }
    free(buffer);
    free(comms);
    return check_done("run_memory");
}
