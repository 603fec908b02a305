/* One broadcast of more than 2 GiB, in a type whose count is small. Needs about 5 GiB for 2 ranks.
 */
#include <stdlib.h>

#include "check.h"

#define BLOCK (1 << 20)
#define N_BLOCKS 2100

int main(int argc, char **argv)
{
    int rank;
    MPI_Datatype block;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    unsigned char *buffer = must_malloc((size_t) N_BLOCKS * BLOCK);
    for (int i = 0; i < N_BLOCKS; i++) {
        pattern_fill(buffer + (size_t) i * BLOCK, BLOCK, rank == 0 ? (unsigned) i : 99999);
    }
    MPI_Bcast(buffer, N_BLOCKS, block, 0, MPI_COMM_WORLD);
    for (int i = 0; i < N_BLOCKS; i++) {
        check(pattern_is(buffer + (size_t) i * BLOCK, BLOCK, (unsigned) i), "block %d", i);
    }
    MPI_Type_free(&block);
    free(buffer);
    return check_done("run_big");
}
