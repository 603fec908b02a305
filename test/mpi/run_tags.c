/*
 * Broadcasts go on when their tags begin anew: at the edge of what the PML keeps of a tag, where
 * Open MPI's own counter ends, and at its beginning. A persistent request that is older keeps its
 * tags. One more is initialised after the wrap.
 */
#include <stdlib.h>

#include "base/tags.h"
#include "check.h"

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

#define BYTES 4000
#define N_BROADCASTS 4

static int my_rank, n_ranks;
static unsigned seed;

static void nonblocking_broadcast(unsigned char *buffer, int root, MPI_Comm comm)
{
    MPI_Request request;
    seed++;
    pattern_fill(buffer, BYTES, my_rank == root ? seed : seed + 1);
    MPI_Ibcast(buffer, BYTES, MPI_BYTE, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(pattern_is(buffer, BYTES, seed), "nonblocking broadcast %u", seed);
}

static void start_and_wait(unsigned char *buffer, MPI_Request *request)
{
    seed++;
    pattern_fill(buffer, BYTES, my_rank == 0 ? seed : seed + 1);
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    check(pattern_is(buffer, BYTES, seed), "persistent broadcast %u", seed);
}

/** Broadcasts of all sorts, from where the counter is now, and then from `tag` on. */
static void wrap_at(int32_t tag)
{
    unsigned char *buffer = must_malloc(BYTES), *own = must_malloc(BYTES);
    MPI_Request request;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check(bcast_is_right(buffer, BYTES, 0, comm, ++seed), "the first broadcast");
    MPI_Bcast_init(own, BYTES, MPI_BYTE, 0, comm, MPI_INFO_NULL, &request);
    start_and_wait(own, &request);

    MPI_Barrier(MPI_COMM_WORLD);
    comm->c_nbc_tag = tag;
    for (int i = 0; i < N_BROADCASTS; i++) {
        check(bcast_is_right(buffer, BYTES, i % n_ranks, comm, ++seed), "broadcast %d from tag %d",
              i, tag);
        nonblocking_broadcast(buffer, (i + 1) % n_ranks, comm);
        start_and_wait(own, &request);
        check(comm->c_nbc_tag >= coll_pipebcast_floor_tag() - 1,
              "tag %d is below those of operations", comm->c_nbc_tag);
    }
    MPI_Request_free(&request);
    MPI_Bcast_init(own, BYTES, MPI_BYTE, 0, comm, MPI_INFO_NULL, &request);
    start_and_wait(own, &request);
    MPI_Request_free(&request);
    MPI_Comm_free(&comm);
    free(own);
    free(buffer);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const int floor = coll_pipebcast_floor_tag();
    for (int i = 0; i < 12; i++) {
        wrap_at(floor + i);
    }
    wrap_at(floor - 1);
    wrap_at(coll_pipebcast_lowest_tag() + 2);
    wrap_at(MCA_COLL_BASE_TAG_NONBLOCKING_END + 3);
    wrap_at(MCA_COLL_BASE_TAG_NONBLOCKING_BASE);
    return check_done("run_tags");
}
