/*
 * Broadcasts while the advice changes: the root of a broadcast often publishes other
 * trees first, none, trees for some sizes or roots only, or trees that are stale at once. Ranks
 * come at different times. Every byte is verified. Rank i is on host "n<i mod HOSTS>". Usage:
 * run_adaptive DIR HOSTS BROADCASTS [MAX_DELAY_US]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "random_advice.h"

enum { MAX_BYTES = 60000 };

static pb_random_t random_state; /* alike on all ranks */

static void broadcast(const char *dir, int i, int max_delay)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    static unsigned char buffer[MAX_BYTES];
    const int root = pb_random_below(&random_state, 3) % size;
    const size_t bytes = 64 + (size_t) pb_random_below(&random_state, MAX_BYTES - 64);
    if (pb_random_below(&random_state, 3) == 0) {
        random_advice(&random_state, dir, rank == root);
    }
    const int late = pb_random_below(&random_state, size);
    const int delay = pb_random_below(&random_state, max_delay + 1);
    if (rank == late && delay > 0) {
        usleep((useconds_t) delay);
    }
    pattern_fill(buffer, bytes, (unsigned) (rank == root ? i : i + 1));
    const int rc = MPI_Bcast(buffer, (int) bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    check(rc == MPI_SUCCESS, "broadcast %d returns %d", i, rc);
    check(pattern_is(buffer, bytes, (unsigned) i), "broadcast %d of %zu bytes from %d", i, bytes,
          root);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 4) {
        fprintf(stderr, "usage: run_adaptive DIR HOSTS BROADCASTS [MAX_DELAY_US]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    random_advice_hosts(atoi(argv[2]));
    random_state = pb_random_seed(17);
    for (int i = 0; i < atoi(argv[3]); i++) {
        broadcast(argv[1], i, argc > 4 ? atoi(argv[4]) : 0);
    }
    return check_done("run_adaptive");
}
