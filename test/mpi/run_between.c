/*
 * Broadcasts on communicators made before and after something happens to the files.
 * Usage: run_between SHELL_COMMAND [WAY]: rank 0 runs it in between; the way of the first broadcast
 * after it: 0, 1 or 2, see check.h
 */
#include <stdlib.h>

#include "check.h"

#define BYTES 5000

int main(int argc, char **argv)
{
    MPI_Comm after;
    check_begin(&argc, &argv);
    check_bcast(BLOCKING, BYTES, 0, MPI_COMM_WORLD, 1, "before");
    if (my_rank == 0 && argc > 1) {
        check(system(argv[1]) == 0, "'%s' runs", argv[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &after);
    check_bcast((way_t) argument(argc, argv, 2, BLOCKING), BYTES, 0, after, 2,
                "a new communicator");
    check_bcast(BLOCKING, BYTES, 0, MPI_COMM_WORLD, 3, "the old one");
    MPI_Comm_free(&after);
    return check_done("run_between");
}
