/*
 * Processes that are spawned: a communicator grows by MPI_Comm_spawn and a merge, and each time
 * there are broadcasts between the groups, among the new ones, and among all. Before that, two
 * halves of the job meet by a port. Groups that met part before MPI_Finalize: Open MPI 4.1 would
 * there send on each communicator of several jobs, without waiting, to processes that have gone.
 *
 * Usage: run_grow TIMES CHILDREN, of each time
 */
#include <stdlib.h>

#include "check.h"

#define BYTES 20000

static int rank_in(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

/** Rank 0 of the group that is `from` sends to the other group. */
static void broadcast_between(MPI_Comm inter, bool from, const char *what)
{
    unsigned char buffer[BYTES];
    const int root = !from ? 0 : rank_in(inter) == 0 ? MPI_ROOT : MPI_PROC_NULL;
    pattern_fill(buffer, BYTES, from ? 3 : 4);
    MPI_Bcast(buffer, BYTES, MPI_BYTE, root, inter);
    check(pattern_is(buffer, BYTES, 3), "between groups, %s", what);
}

/** All broadcasts of two groups that have met; returns what they are together. */
static MPI_Comm meet(MPI_Comm inter, bool is_new, const char *what)
{
    MPI_Comm merged;
    broadcast_between(inter, is_new, what);
    broadcast_between(inter, !is_new, what);
    MPI_Intercomm_merge(inter, is_new, &merged);
    check_bcast_of_all(BYTES, merged, what);
    MPI_Barrier(merged); /* MPI_Comm_disconnect of 4.1 makes no progress with messages */
    MPI_Comm_disconnect(&inter);
    return merged;
}

/** Ends a communicator of several groups, when all its messages have arrived. */
static void part(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_WORLD) {
        MPI_Barrier(*comm);
        MPI_Comm_free(comm); /* MPI_Comm_disconnect of an intracommunicator hangs in 4.1 */
    }
}

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
    merged = meet(inter, connects, "by a port");
    part(&merged);
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
        comm = meet(parent, true, "a child");
        MPI_Bcast(left, 2, MPI_INT, 0, comm);
    } else if (n_ranks > 1) {
        meet_by_port();
    }
    for (; left[0] > 0; left[0]--) {
        MPI_Comm inter;
        int next[2] = {left[0] - 1, left[1]};
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, left[1], MPI_INFO_NULL, 0, comm, &inter,
                       MPI_ERRCODES_IGNORE);
        MPI_Comm grown = meet(inter, false, "a parent");
        part(&comm);
        comm = grown;
        MPI_Bcast(next, 2, MPI_INT, 0, comm);
    }
    part(&comm);
    return check_done(is_child ? "run_grow's child" : "run_grow");
}
