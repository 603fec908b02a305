/*
 * A rank that is killed in the middle of a broadcast: it has received a part and does not
 * pass on the rest. The job must end with an error.
 * Usage: run_killed [short broadcasts before that]
 */
#include <stdlib.h>

#include "check.h"

#define BYTES (100 << 20)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    unsigned char *buffer = must_malloc(BYTES);
    pattern_fill(buffer, BYTES, 1);
    for (long i = 0; i < argument(argc, argv, 1, 1); i++) {
        MPI_Bcast(buffer, 1000, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    if (my_rank == 2) {
        kill_soon(50000);
    }
    /* Long enough for whatever host; it never comes to an end. */
    for (int i = 0; i < 1000; i++) {
        MPI_Bcast(buffer, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    free(buffer);
    return check_done("run_killed");
}
