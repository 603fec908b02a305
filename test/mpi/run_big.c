/*
 * More than 2 GiB: in a type whose count is small and, where Open MPI has large
 * counts, as bytes. Needs about 5 GiB for 2 ranks.
 */
#include <stdlib.h>

#include "check.h"

#define BLOCK (1 << 20)
#define N_BLOCKS 2100

/** Fills the blocks with patterns of `seed` and following, and checks them after the broadcast. */
static void broadcast(unsigned char *buffer, int rank, unsigned seed, bool as_bytes)
{
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        pattern_fill(buffer + (size_t) i * BLOCK, BLOCK, rank == 0 ? seed + i : 99999);
    }
    if (as_bytes) {
#if OMPI_MAJOR_VERSION >= 6
        MPI_Bcast_c(buffer, (MPI_Count) N_BLOCKS * BLOCK, MPI_BYTE, 0, MPI_COMM_WORLD);
#endif
    } else {
        MPI_Datatype block;
        MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
        MPI_Type_commit(&block);
        MPI_Bcast(buffer, N_BLOCKS, block, 0, MPI_COMM_WORLD);
        MPI_Type_free(&block);
    }
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        check(pattern_is(buffer + (size_t) i * BLOCK, BLOCK, seed + i), "block %u", i);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned char *buffer = must_malloc((size_t) N_BLOCKS * BLOCK);
    broadcast(buffer, rank, 0, false);
    if (OMPI_MAJOR_VERSION >= 6) {
        broadcast(buffer, rank, N_BLOCKS, true);
    }
    free(buffer);
    return check_done("run_big");
}
