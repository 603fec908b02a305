/*
 * MPI_Comm_spawn: children broadcast among themselves, with the parents, and merged. The children
 * end later than the parents: what is still on its way between them then may not be left unread.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

#define BYTES 3000
#define N_CHILDREN 2

static void broadcast(MPI_Comm comm, int root, const char *where)
{
    unsigned char buffer[BYTES];
    int rank;
    MPI_Comm_rank(comm, &rank);
    pattern_fill(buffer, BYTES, rank == root ? 8 : 9);
    MPI_Bcast(buffer, BYTES, MPI_BYTE, root, comm);
    check(pattern_is(buffer, BYTES, 8), "%s, root %d", where, root);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, both, merged;
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    const int is_child = parent != MPI_COMM_NULL;
    both = parent;
    if (!is_child) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, N_CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both,
                       MPI_ERRCODES_IGNORE);
    }
    broadcast(MPI_COMM_WORLD, 0, is_child ? "children" : "parents");
    MPI_Intercomm_merge(both, is_child, &merged);
    MPI_Comm_size(merged, &size);
    for (int root = 0; root < size; root++) {
        broadcast(merged, root, "merged");
    }
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&both);
    if (is_child) {
        nanosleep(&(const struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return check_done(is_child ? "run_spawn's children" : "run_spawn");
}
