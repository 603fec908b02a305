/*
 * Persistent broadcasts while the advice changes: several of them, from several roots, which each
 * rank starts again as soon as they end, in an order of its own, so that ranks are some starts
 * ahead of others. Rank 0 often publishes other advice. Every byte is verified, and that all ranks
 * went as often down advised trees. Rank i is on host "n<i mod HOSTS>". Usage: run_series DIR HOSTS
 * STARTS [MAX_DELAY_US]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "random_advice.h"
#include "served.h"

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum { N = 5, MAX_BYTES = 60000 };

static const size_t sizes[N] = {64, 700, 5000, 20001, MAX_BYTES};

static int my_rank, n_ranks, n_starts, max_delay;
static const char *directory;
static pb_random_t own; /* another one on each rank */
static unsigned char *buffer[N];
static MPI_Request request[N];
static int n_started[N];

static int root_of(int i)
{
    return i % 3 % n_ranks; /* two have the same */
}

static unsigned seed_of(int i, int start)
{
    return (unsigned) (N * start + i);
}

/** Starts this one; before that rank 0 may publish other advice, and a rank may be late. */
static void start(int i)
{
    const unsigned seed = seed_of(i, n_started[i]++);
    if (my_rank == 0 && pb_random_below(&own, 4) == 0) {
        random_advice(&own, directory, true);
    }
    if (max_delay > 0 && pb_random_below(&own, 10) == 0) {
        usleep((useconds_t) pb_random_below(&own, max_delay + 1));
    }
    pattern_fill(buffer[i], sizes[i], my_rank == root_of(i) ? seed : seed + 1);
    check(MPI_Start(&request[i]) == MPI_SUCCESS, "start %d of broadcast %d", n_started[i], i);
}

/** Starts all that are not active, in an order of this rank's own. */
static void start_all(void)
{
    const int first = pb_random_below(&own, N);
    const int step = 1 + pb_random_below(&own, N - 1); /* N is a prime number */
    for (int i = 0; i < N; i++) {
        start((first + i * step) % N);
    }
}

/** Waits for any of them, and starts it again unless it was its last start; false: all are through.
 */
static bool restart_one(void)
{
    int i;
    check(MPI_Waitany(N, request, &i, MPI_STATUS_IGNORE) == MPI_SUCCESS, "a start ends");
    if (i == MPI_UNDEFINED) {
        return false;
    }
    check(pattern_is(buffer[i], sizes[i], seed_of(i, n_started[i] - 1)),
          "start %d of broadcast %d: %zu bytes", n_started[i], i, sizes[i]);
    if (n_started[i] < n_starts) {
        start(i);
    }
    return true;
}

/** The counter has this value on all ranks; or with -1, a value that is alike on all and not 0. */
static void check_value(const struct bench_counters *counters, const char *name, long expected)
{
    const long value = (long) counter_value(counters, name);
    long least, most;
    MPI_Allreduce(&value, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    check(least == most && (expected < 0 ? least > 0 : least == expected),
          "%s is %ld to %ld, not %ld", name, least, most, expected);
    if (my_rank == 0) {
        printf("%s: %ld\n", name, least);
    }
}

int main(int argc, char **argv)
{
    struct bench_counters counters;
    MPI_Request never;
    MPI_Init(&argc, &argv);
    if (argc < 4) {
        fprintf(stderr, "usage: run_series DIR HOSTS STARTS [MAX_DELAY_US]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    directory = argv[1];
    n_starts = atoi(argv[3]);
    max_delay = argc > 4 ? atoi(argv[4]) : 0;
    random_advice_hosts(atoi(argv[2]));
    own = pb_random_seed((uint64_t) my_rank + 5);
    served_open(&counters);
    if (my_rank == 0) {
        random_advice(&own, directory, true);
    }
    for (int i = 0; i < N; i++) {
        buffer[i] = must_malloc(sizes[i]);
        MPI_Bcast_init(buffer[i], (int) sizes[i], MPI_BYTE, root_of(i), MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request[i]);
    }
    MPI_Bcast_init(buffer[0], (int) sizes[0], MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &never);
    start_all();
    while (restart_one()) {
    }
    check_value(&counters, "coll_pipebcast_persistent", (long) N * n_starts);
    check_value(&counters, "coll_pipebcast_broadcasts_adaptive", (long) N * n_starts);
    check_value(&counters, "coll_pipebcast_advised", -1);
    MPI_Request_free(&never);
    for (int i = 0; i < N; i++) {
        MPI_Request_free(&request[i]);
        free(buffer[i]);
    }
    bench_counters_close(&counters);
    return check_done("run_series");
}
