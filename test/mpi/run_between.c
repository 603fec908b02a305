/*
 * Broadcasts on communicators made before and after something happens to the files.
 * Usage: run_between SHELL_COMMAND [WAY [late]]: rank 0 runs it in between; the way of the first
 * broadcast after it: 0, 1 or 2, see check.h. With `late` none comes before it, and
 * MPI_COMM_WORLD has the files as they are after it: they changed inside MPI_Init.
 */
#include <stdlib.h>

#include "communicator/module.h"

#include "check.h"

#define BYTES 5000

static coll_pipebcast_topology_t **named_of(MPI_Comm comm)
{
    return &((coll_pipebcast_module_t *) comm->c_coll->coll_bcast_module)->named;
}

int main(int argc, char **argv)
{
    MPI_Comm after;
    check_begin(&argc, &argv);
    const bool is_late = argc > 3;
    if (!is_late) {
        check_bcast(BLOCKING, BYTES, 0, MPI_COMM_WORLD, 1, "before");
    }
    if (my_rank == 0 && argc > 1) {
        check(system(argv[1]) == 0, "'%s' runs", argv[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &after);
    if (is_late) {
        coll_pipebcast_topology_t *named = *named_of(after);
        *named_of(after) = *named_of(MPI_COMM_WORLD);
        *named_of(MPI_COMM_WORLD) = named;
    }
    check_bcast((way_t) argument(argc, argv, 2, BLOCKING), BYTES, 0, after, 2,
                "a new communicator");
    check_bcast(BLOCKING, BYTES, 0, MPI_COMM_WORLD, 3, "the old one");
    MPI_Comm_free(&after);
    return check_done("run_between");
}
