/*
 * Memory in use does not grow with what has come and gone: thousands of communicators, and
 * thousands of broadcasts of many sizes from all roots, whose places in trees do not all
 * fit into the cache. Usage: run_growth COMMUNICATORS BROADCASTS
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#define MAX_BYTES 20000

static int my_rank, n_ranks;

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

static int compare_longs(const void *a, const void *b)
{
    const long x = *(const long *) a, y = *(const long *) b;
    return (x > y) - (x < y);
}

/**
 * Does something n times, and looks at what is in use after every tenth of them. What leaks grows
 * in each tenth, by at least malloc's smallest block (32 bytes) each time. Open MPI's free lists
 * grow as well, by 64 and more elements at once, whenever more messages than ever before came
 * early; but not in most of the tenths. So the median of the nine differences tells them apart.
 */
static void repeat(void (*something)(int i), int n, const char *what)
{
    enum { PARTS = 10 };
    const int part = n / PARTS;
    long grown[PARTS], most, before = 0;
    for (int p = 0; p < PARTS; p++) {
        for (int i = 0; i < part; i++) {
            something(p * part + i);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        const long now = memory_in_use();
        grown[p] = now - before;
        before = now;
    }
    qsort(grown + 1, PARTS - 1, sizeof(*grown), compare_longs);
    const long median = grown[PARTS / 2];
    check(median < 16L * part || n == 0,
          "%d %s: %ld bytes more in use after %d of them, as a median", n, what, median, part);
    MPI_Reduce(&median, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (my_rank == 0 && n > 0) {
        printf("%d %s: %ld bytes more in use after a tenth of them, as a median\n", n, what, most);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const int n_comms = argc > 1 ? atoi(argv[1]) : 1000;
    const int n_broadcasts = argc > 2 ? atoi(argv[2]) : 1000;
    repeat(live_and_die, n_comms, "communicators");
    repeat(broadcast_in_world, n_broadcasts, "broadcasts");
    return check_done("run_growth");
}
