/*
 * Every other double of an array from every root: far more segments than there
 * are bounce buffers. Usage: run_columns DOUBLES
 */
#include <stdlib.h>

#include "check.h"

static void broadcast(int n, int root)
{
    int rank;
    MPI_Datatype column;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    double *values = must_malloc((size_t) n * 2 * sizeof(double));
    for (int i = 0; i < 2 * n; i++) {
        values[i] = rank == root ? i + root : -1;
    }
    MPI_Bcast(values, 1, column, root, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * n; i++) {
        const double expected = i % 2 == 0 || rank == root ? i + root : -1;
        check(values[i] == expected, "element %d from root %d", i, root);
    }
    MPI_Type_free(&column);
    free(values);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int root = 0; root < size; root += 3) {
        broadcast(argc > 1 ? atoi(argv[1]) : 1000, root);
    }
    return check_done("run_columns");
}
