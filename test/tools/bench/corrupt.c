/*
 * Stands between pipebcast-bench and MPI_Bcast() (MPI's profiling interface), and flips a bit of
 * one byte. CORRUPT=BROADCAST,RANK,OFFSET: after this broadcast of MPI_COMM_WORLD, on this rank.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int MPI_Bcast(void *memory, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static int n_broadcasts;
    const char *text = getenv("CORRUPT");
    int broadcast, of_rank, offset, rank;
    const int code = PMPI_Bcast(memory, count, type, root, comm);
    if (comm != MPI_COMM_WORLD || text == NULL ||
        sscanf(text, "%d,%d,%d", &broadcast, &of_rank, &offset) != 3) {
        return code;
    }
    MPI_Comm_rank(comm, &rank);
    if (n_broadcasts++ == broadcast && rank == of_rank && offset < count) {
        ((char *) memory)[offset] ^= 1;
    }
    return code;
}
