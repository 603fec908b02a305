/*
 * Memory in use does not grow with what has come and gone: thousands of communicators, and
 * thousands of broadcasts of many sizes from all roots, whose places in trees do not all
 * fit into the cache. Usage: run_growth COMMUNICATORS BROADCASTS BYTES_ALLOWED
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#define MAX_BYTES 20000

static int my_rank, n_ranks;

/** Bytes that the process has from malloc now. */
static long in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (long) (info.uordblks + info.hblkhd);
}

static void broadcast(MPI_Comm comm, int bytes, int root, unsigned seed)
{
    static unsigned char buffer[MAX_BYTES];
    pattern_fill(buffer, (size_t) bytes, my_rank == root ? seed : seed + 1);
    MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm);
    check(pattern_is(buffer, (size_t) bytes, seed), "%d bytes from %d", bytes, root);
}

static void live_and_die(int i)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    broadcast(comm, 1000, i % n_ranks, (unsigned) i);
    MPI_Comm_free(&comm);
}

static void broadcast_in_world(int i)
{
    broadcast(MPI_COMM_WORLD, 64 + i * 7919 % (MAX_BYTES - 64), i / 3 % n_ranks, (unsigned) i);
}

/** Does something n times; what is in use after the first tenth must be all that it needs. */
static void repeat(void (*something)(int i), int n, long allowed, const char *what)
{
    long most, before = 0;
    for (int i = 0; i < n; i++) {
        if (i == n / 10) {
            before = in_use();
        }
        something(i);
    }
    const long grown = in_use() - before;
    check(grown <= allowed, "%d %s: %ld bytes more in use, %ld are allowed", n, what, grown,
          allowed);
    MPI_Reduce(&grown, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (my_rank == 0) {
        printf("%d %s: %ld bytes more in use than after a tenth of them\n", n, what, most);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const int n_comms = argc > 1 ? atoi(argv[1]) : 1000;
    const int n_broadcasts = argc > 2 ? atoi(argv[2]) : 1000;
    const long allowed = argc > 3 ? atol(argv[3]) : 100000;
    repeat(live_and_die, n_comms, allowed, "communicators");
    repeat(broadcast_in_world, n_broadcasts, allowed, "broadcasts");
    return check_done("run_growth");
}
