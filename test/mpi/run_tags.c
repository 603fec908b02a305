/*
 * Broadcasts go on when their tags begin anew: at the PML's limit, where Open MPI's own counter
 * ends, and at its beginning. A persistent request that is older keeps its tags. One more is
 * initialized after the wrap.
 */
#include "base/tags.h"
#include "check.h"

#define BYTES 4000
#define N_BROADCASTS 4

static unsigned seed;

static void start_and_wait(pending_t *pending, MPI_Request *request)
{
    pending_fill(pending, ++seed);
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    check(pending_is_right(pending), "persistent broadcast %u", seed);
}

/** Broadcasts of all sorts, from where the counter is now, and then from `tag` on. */
static void wrap_at(int32_t tag)
{
    MPI_Request request;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_bcast(BLOCKING, BYTES, 0, comm, ++seed, "the first broadcast");
    pending_t pending = pending_begin(PERSISTENT, BYTES, 0, comm, seed, &request);
    start_and_wait(&pending, &request);

    MPI_Barrier(MPI_COMM_WORLD);
    comm->c_nbc_tag = tag;
    for (int i = 0; i < N_BROADCASTS; i++) {
        check_bcast(BLOCKING, BYTES, i % n_ranks, comm, ++seed, "around the wrap");
        check_bcast(NONBLOCKING, BYTES, (i + 1) % n_ranks, comm, ++seed, "around the wrap");
        start_and_wait(&pending, &request);
        check(comm->c_nbc_tag >= coll_pipebcast_floor_tag() - 1,
              "tag %d is below those of operations", comm->c_nbc_tag);
    }
    MPI_Request_free(&request);
    pending_end(&pending, "an older persistent one");
    check_bcast(PERSISTENT, BYTES, 0, comm, ++seed, "after the wrap");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
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
