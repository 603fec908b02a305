/*
 * A communicator whose module of pipebcast is disabled, by the call that Open MPI itself makes when
 * it frees one. Where the module puts its functions into the communicator, they are the previous
 * ones' afterwards and serve; before 6.0 it is Open MPI that put them there, and they stay.
 */
#include <stdlib.h>

#include "base/compat.h"
#include "check.h"
#include "served.h"

#define BYTES 4001

/** Blocking, nonblocking and persistent; how many of them pipebcast served. */
static unsigned long long broadcast_all_ways(const struct bench_counters *counters, MPI_Comm comm)
{
    const unsigned long long before = served_so_far(counters);
    unsigned char *buffer = must_malloc(BYTES);
    for (unsigned way = 0; way < 3; way++) {
        MPI_Request request = MPI_REQUEST_NULL;
        int rank;
        MPI_Comm_rank(comm, &rank);
        pattern_fill(buffer, BYTES, rank == 0 ? way : way + 1);
        if (way == 0) {
            MPI_Bcast(buffer, BYTES, MPI_BYTE, 0, comm);
        } else if (way == 1) {
            MPI_Ibcast(buffer, BYTES, MPI_BYTE, 0, comm, &request);
        } else {
            comm->c_coll->coll_bcast_init(buffer, BYTES, MPI_BYTE, 0, comm, MPI_INFO_NULL, &request,
                                          comm->c_coll->coll_bcast_init_module);
            MPI_Start(&request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(pattern_is(buffer, BYTES, way), "way %u", way);
        if (way == 2) {
            MPI_Request_free(&request);
        }
    }
    free(buffer);
    return served_so_far(counters) - before;
}

static bool none_of(const coll_pipebcast_functions_t *a, const coll_pipebcast_functions_t *b)
{
    return a->bcast != b->bcast && a->bcast_module != b->bcast_module && a->ibcast != b->ibcast &&
           a->ibcast_module != b->ibcast_module && a->bcast_init != b->bcast_init &&
           a->bcast_init_module != b->bcast_init_module;
}

static void disable(mca_coll_base_module_t *module, MPI_Comm comm)
{
    check(module->coll_module_disable(module, comm) == OMPI_SUCCESS, "disable fails");
}

int main(int argc, char **argv)
{
    struct bench_counters counters;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    served_open(&counters);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const coll_pipebcast_functions_t ours = coll_pipebcast_functions_of(comm);
    check(broadcast_all_ways(&counters, comm) == 3, "not all are served before");

    disable(ours.bcast_module, comm);
    const coll_pipebcast_functions_t after = coll_pipebcast_functions_of(comm);
    check(none_of(&ours, &after) == COLL_PIPEBCAST_INSTALLS, "whose functions are there after it");
    /* Open MPI may disable a module once for each of its functions, and again when it is freed. */
    disable(ours.bcast_module, comm);
    if (COLL_PIPEBCAST_INSTALLS) {
        check(broadcast_all_ways(&counters, comm) == 0, "some are served after it");
    }
    MPI_Comm_free(&comm);
    check(broadcast_all_ways(&counters, MPI_COMM_WORLD) == 3, "the other communicator is served");
    bench_counters_close(&counters);
    return check_done("run_disable");
}
