/*
 * An erroneous program: the last rank names another size than the others. Its
 * broadcast must end with an error, not hang. Usage: run_truncated BYTES OTHER
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

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
    int error_class = 0;
    if (rc != MPI_SUCCESS) {
        MPI_Error_class(rc, &error_class);
    }
    if (rank == size - 1) {
        printf("%s run_truncated: the last rank gets error class %d\n",
               rc != MPI_SUCCESS ? "PASS" : "FAIL", error_class);
        fflush(stdout);
    }
    free(buffer);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
