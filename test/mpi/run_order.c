/*
 * Broadcasts at which the same ranks are late for a long time, and then nobody is; beside the
 * blocking ones some that overlap others. Two roots take turns, of which each finds others late.
 * Before each the ranks meet; a root comes when those that are in time have had time to.
 * Usage: run_order [BROADCASTS [DELAY_US]], of each phase
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "served.h"

#define BYTES 40000
#define N_OVERLAPPING 3
#define MOST_PHASES 3

/** Ranks 1 and 2 are late where rank 0 is the root, rank 4 where rank 3 is. */
static int is_usually_late(int rank, int root)
{
    return root == 0 ? rank == 1 || rank == 2 : rank == 4;
}

/** How long a rank stays away, in delays. */
static long delays_of(int rank, int root, int is_usual)
{
    return rank == root ? 1 : is_usual && is_usually_late(rank, root) ? 15 : 0;
}

static void must_be(const unsigned char *buffer, unsigned seed, const char *what)
{
    check(pattern_is(buffer, BYTES, seed), "%s broadcast %u", what, seed);
}

/** Some broadcasts of a root, all under way at once, and a blocking one among them. */
static void overlap(unsigned char *buffers, int rank, int root, unsigned seed)
{
    MPI_Request requests[N_OVERLAPPING];
    for (unsigned i = 0; i <= N_OVERLAPPING; i++) {
        pattern_fill(buffers + i * BYTES, BYTES, rank == root ? seed + i : seed + i + 1);
    }
    for (int i = 0; i < N_OVERLAPPING; i++) {
        MPI_Ibcast(buffers + i * BYTES, BYTES, MPI_BYTE, root, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Bcast(buffers + N_OVERLAPPING * BYTES, BYTES, MPI_BYTE, root, MPI_COMM_WORLD);
    MPI_Waitall(N_OVERLAPPING, requests, MPI_STATUSES_IGNORE);
    for (unsigned i = 0; i <= N_OVERLAPPING; i++) {
        must_be(buffers + i * BYTES, seed + i, "overlapping");
    }
}

/** Overlapping broadcasts that were in an order, all of them or none; blocking ones not counted. */
static int in_order(unsigned long long before, unsigned long long after)
{
    const int n = (int) (after - before);
    check(n <= 1 || n >= N_OVERLAPPING, "%d of %d overlapping broadcasts are in an order", n,
          N_OVERLAPPING);
    return n < N_OVERLAPPING ? 0 : N_OVERLAPPING;
}

/** What a rank has seen. */
typedef struct seen {
    struct bench_counters counters;
    unsigned char *buffers;
    MPI_Comm other;
    int rank;
    unsigned n_broadcasts;
    int n_overlapping; /**< of those that overlap others the ones that were in an order */
} seen_t;

static unsigned long long count(const seen_t *seen)
{
    return counter_value(&seen->counters, "coll_pipebcast_in_order");
}

/** The next broadcast, or some that overlap. */
static void broadcast(seen_t *seen, long delay_us, int is_usual)
{
    const unsigned i = seen->n_broadcasts++;
    const int root = i % 2 == 0 ? 0 : 3;
    const unsigned seed = 10 * i + 1;
    MPI_Barrier(seen->other);
    wait_us(delay_us * delays_of(seen->rank, root, is_usual));
    if (i % 5 == 4) {
        const unsigned long long before = count(seen);
        overlap(seen->buffers, seen->rank, root, seed);
        seen->n_overlapping += in_order(before, count(seen));
        return;
    }
    pattern_fill(seen->buffers, BYTES, seen->rank == root ? seed : seed + 1);
    MPI_Bcast(seen->buffers, BYTES, MPI_BYTE, root, MPI_COMM_WORLD);
    must_be(seen->buffers, seed, "blocking");
}

/**
 * Until orders were learnt, and used by overlapping broadcasts. Where the host is busy others are
 * late, too, and those that are usually late have to be later than these; where that is not enough,
 * nothing is learnt, which is right, too. That an order is learnt where it should be is tested
 * without a clock (test/engine/test_arrival.c).
 */
static void learn(seen_t *seen, int n, long delay_us)
{
    for (int phase = 0; phase < MOST_PHASES && seen->n_overlapping == 0; phase++) {
        for (int i = 0; i < n; i++) {
            broadcast(seen, delay_us << 2 * phase, 1);
        }
        if (seen->rank == 0) {
            printf("phase %d: %llu broadcasts in an order, %d overlapping ones\n", phase,
                   count(seen), seen->n_overlapping);
            fflush(stdout);
        }
    }
}

/** Orders are alike on all ranks. */
static void must_be_alike(const seen_t *seen)
{
    const long n = (long) count(seen), own[2] = {n, -n};
    long most[2];
    MPI_Allreduce(own, most, 2, MPI_LONG, MPI_MAX, seen->other);
    check(most[0] == -most[1], "%ld broadcasts in an order on one rank, %ld on another", most[0],
          -most[1]);
}

int main(int argc, char **argv)
{
    seen_t seen = {0};
    MPI_Init(&argc, &argv);
    const int n = argc > 1 ? atoi(argv[1]) : 60;
    const long delay_us = argc > 2 ? atol(argv[2]) : 2000;
    MPI_Comm_rank(MPI_COMM_WORLD, &seen.rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &seen.other);
    served_open(&seen.counters);
    seen.buffers = must_malloc((N_OVERLAPPING + 1) * BYTES);
    learn(&seen, n, delay_us);
    for (int i = 0; i < n / 2; i++) {
        broadcast(&seen, delay_us, 0);
    }
    must_be_alike(&seen);
    bench_counters_close(&seen.counters);
    free(seen.buffers);
    MPI_Comm_free(&seen.other);
    return check_done("run_order");
}
