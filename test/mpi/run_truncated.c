/*
 * An erroneous program: the last rank names another size than the others. Its
 * broadcast must end with an error, not hang. With a third argument there is a
 * second broadcast, of one size, which must be done: what is left over of the first may not
 * be taken for a part of it. Usage: run_truncated BYTES OTHER [again]
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

/** A broadcast of one size; whether it is done. */
static bool broadcast_again(unsigned char *buffer, int bytes)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pattern_fill(buffer, (size_t) bytes, rank == 0 ? 2 : 3);
    return MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS &&
           pattern_is(buffer, (size_t) bytes, 2);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int bytes = argc > 2 ? atoi(argv[1]) : 150, other = argc > 2 ? atoi(argv[2]) : 180;
    const int own = rank == size - 1 ? other : bytes;
    unsigned char *buffer = must_malloc((size_t) own);
    pattern_fill(buffer, (size_t) own, 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int rc = MPI_Bcast(buffer, own, MPI_BYTE, 0, MPI_COMM_WORLD);
    const bool next_is_good = argc <= 3 || broadcast_again(buffer, bytes < other ? bytes : other);
    int error_class = 0;
    if (rc != MPI_SUCCESS) {
        MPI_Error_class(rc, &error_class);
    }
    if (rank == size - 1) {
        printf("%s run_truncated: the last rank gets error class %d\n",
               rc != MPI_SUCCESS && next_is_good ? "PASS" : "FAIL", error_class);
        fflush(stdout);
    }
    free(buffer);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
