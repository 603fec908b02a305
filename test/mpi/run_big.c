/*
 * More than 2 GiB: in a type whose count is small and, where Open MPI has large
 * counts, as bytes. Needs about 5 GiB for 2 ranks.
 */
#include "check.h"

#define BLOCK (1 << 20)
#define N_BLOCKS 2100

int main(int argc, char **argv)
{
    MPI_Datatype block;
    check_begin(&argc, &argv);
    pending_t pending = pending_make((size_t) N_BLOCKS * BLOCK, 0, MPI_COMM_WORLD, 1);
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    MPI_Bcast(pending.buffer, N_BLOCKS, block, 0, MPI_COMM_WORLD);
    MPI_Type_free(&block);
    check(pending_is_right(&pending), "blocks");
#if OMPI_MAJOR_VERSION >= 6
    pending_fill(&pending, 2);
    MPI_Bcast_c(pending.buffer, (MPI_Count) N_BLOCKS * BLOCK, MPI_BYTE, 0, MPI_COMM_WORLD);
#endif
    pending_end(&pending, "bytes");
    return check_done("run_big");
}
