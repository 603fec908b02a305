/*
 * Tags of broadcasts. They begin anew at their end and at the PML's limit, and keep apart from
 * those of Open MPI's own counter. A persistent request that is older keeps its tags. One more is
 * initialized after the wrap. MPI_Comm_idup draws from Open MPI's counter at another moment on each
 * rank, and broadcasts meanwhile go on.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/tags.h"
#include "communicator/module.h"

#include "check.h"

#define BYTES 4000
#define N_BROADCASTS 4
#define N_IDUPS 30

static unsigned seed;

static coll_pipebcast_module_t *module_of(MPI_Comm comm)
{
    return (coll_pipebcast_module_t *) comm->c_coll->coll_bcast_module;
}

static void start_and_wait(pending_t *pending, MPI_Request *request)
{
    pending_fill(pending, ++seed);
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    check(pending_is_right(pending), "persistent broadcast %u", seed);
}

/** Broadcasts of all sorts, from where the counters are now. Then Open MPI's is at `tag`, and ours
 * has `left` tags. */
static void wrap_at(int32_t tag, int left)
{
    MPI_Request request;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_bcast(BLOCKING, BYTES, 0, comm, ++seed, "the first broadcast");
    pending_t pending = pending_begin(PERSISTENT, BYTES, 0, comm, seed, &request);
    start_and_wait(&pending, &request);

    MPI_Barrier(MPI_COMM_WORLD);
    comm->c_nbc_tag = tag;
    coll_pipebcast_tags_t *tags = &module_of(comm)->tags;
    tags->next = tags->middle + left - 1;
    for (int i = 0; i < N_BROADCASTS; i++) {
        check_bcast(BLOCKING, BYTES, i % n_ranks, comm, ++seed, "around the wrap");
        check_bcast(NONBLOCKING, BYTES, (i + 1) % n_ranks, comm, ++seed, "around the wrap");
        start_and_wait(&pending, &request);
        check(comm->c_nbc_tag > tags->floor, "Open MPI's tag %d is one of ours", comm->c_nbc_tag);
    }
    MPI_Request_free(&request);
    pending_end(&pending, "an older persistent one");
    check_bcast(PERSISTENT, BYTES, 0, comm, ++seed, "after the wrap");
    MPI_Comm_free(&comm);
}

static void broadcast_during_idup(void)
{
    for (int i = 0; i < N_IDUPS; i++) {
        MPI_Request request;
        MPI_Comm comm;
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        for (int k = 0; k < N_BROADCASTS; k++) {
            usleep(rand() % 3 == 0 ? rand() % 2000 : 0);
            check_bcast(BLOCKING, BYTES, k % n_ranks, MPI_COMM_WORLD, ++seed,
                        "while MPI_Comm_idup is under way");
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    const int floor = coll_pipebcast_tags_new().floor;
    srand((unsigned) my_rank);
    broadcast_during_idup();
    for (int i = 0; i < 12; i++) {
        wrap_at(floor + 6 - i, 100 + 20 * i);
    }
    wrap_at(coll_pipebcast_lowest_tag() + 2, 0);
    wrap_at(MCA_COLL_BASE_TAG_NONBLOCKING_END + 3, 1);
    wrap_at(MCA_COLL_BASE_TAG_NONBLOCKING_BASE, 60);
    return check_done("run_tags");
}
