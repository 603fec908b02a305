/*
 * Processes that are spawned. A communicator grows by MPI_Comm_spawn and a merge. Each time there
 * are broadcasts between the groups, among the new ones, and among all. Before that, two halves of
 * the job meet by a port.
 *
 * Usage: run_grow TIMES CHILDREN, of each time
 */
#include <stdlib.h>

#include "check.h"

#define BYTES 20000

static void meet_by_port(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, inter, merged;
    const bool connects = my_rank % 2 == 1;
    MPI_Comm_split(MPI_COMM_WORLD, connects, 0, &half);
    if (my_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
    }
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (connects) {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    } else {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    }
    merged = check_meet(inter, connects, "by a port");
    check_part(&merged);
    MPI_Comm_free(&half);
    if (my_rank == 0) {
        MPI_Close_port(port);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent, comm = MPI_COMM_WORLD;
    int left[2] = {(int) argument(argc, argv, 1, 1), (int) argument(argc, argv, 2, 1)};
    check_begin(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    const bool is_child = parent != MPI_COMM_NULL;
    check_bcast(BLOCKING, BYTES, 0, MPI_COMM_WORLD, 8, is_child ? "children" : "parents");
    if (is_child) {
        comm = check_meet(parent, true, "a child");
        MPI_Bcast(left, 2, MPI_INT, 0, comm);
    } else if (n_ranks > 1) {
        meet_by_port();
    }
    for (; left[0] > 0; left[0]--) {
        int next[2] = {left[0] - 1, left[1]};
        MPI_Comm grown = check_meet(check_spawn(argv[0], left[1], comm), false, "a parent");
        check_part(&comm);
        comm = grown;
        MPI_Bcast(next, 2, MPI_INT, 0, comm);
    }
    check_part(&comm);
    return check_done(is_child ? "run_grow's child" : "run_grow");
}
