/*
 * Broadcasts on communicators made before and after something happens to the files.
 * Usage: run_between SHELL_COMMAND, which rank 0 runs in between
 */
#include <stdlib.h>

#include "check.h"

#define BYTES 5000

static void broadcast(MPI_Comm comm, unsigned seed)
{
    unsigned char buffer[BYTES];
    check(bcast_is_right(buffer, BYTES, 0, comm, seed), "broadcast %u", seed);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm after;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    broadcast(MPI_COMM_WORLD, 1);
    if (rank == 0 && argc > 1) {
        check(system(argv[1]) == 0, "'%s' runs", argv[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &after);
    broadcast(after, 2);
    broadcast(MPI_COMM_WORLD, 3);
    MPI_Comm_free(&after);
    return check_done("run_between");
}
