/*
 * Broadcasts by multicast: of any size from any root, with ranks that come late or stay away,
 * blocking and nonblocking ones that overlap, persistent ones among them, which go by trees, of
 * data that are not contiguous. Usage: run_multicast [STEPS] [SEED] At the end the root prints how
 * many broadcasts went by multicast.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "served.h"

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

#define MAX_BYTES 200000
#define MOST_AT_ONCE 6

static int my_rank, n_ranks;
static struct bench_counters counters;

/** A generator of one's own: the common one is alike on all ranks. */
static unsigned next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static size_t draw_bytes(uint32_t *state)
{
    const unsigned most = 1u << (next_random(state) % 18);
    return 64 + next_random(state) % (most < MAX_BYTES ? most : MAX_BYTES);
}

/** Some ranks sleep before a broadcast, some stay away after it. */
static void be_late(uint32_t *own)
{
    if (next_random(own) % 16 == 0) {
        usleep(next_random(own) % 3000);
    }
}

static void broadcast(uint32_t *common, uint32_t *own)
{
    const size_t bytes = draw_bytes(common);
    const int root = (int) (next_random(common) % (unsigned) n_ranks);
    const unsigned seed = next_random(common);
    unsigned char *buffer = must_malloc(bytes);
    pattern_fill(buffer, bytes, my_rank == root ? seed : seed + 1);
    be_late(own);
    MPI_Bcast(buffer, (int) bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    check(pattern_is(buffer, bytes, seed), "%zu bytes from %d", bytes, root);
    free(buffer);
    be_late(own);
}

/** Several at once, a blocking one among them, ended in another order on each rank. */
static void overlap(uint32_t *common, uint32_t *own)
{
    const int n = 1 + (int) (next_random(common) % MOST_AT_ONCE);
    unsigned char *buffers[MOST_AT_ONCE];
    size_t bytes[MOST_AT_ONCE];
    unsigned seeds[MOST_AT_ONCE];
    MPI_Request requests[MOST_AT_ONCE];
    for (int i = 0; i < n; i++) {
        const int root = (int) (next_random(common) % (unsigned) n_ranks);
        bytes[i] = draw_bytes(common);
        seeds[i] = next_random(common);
        buffers[i] = must_malloc(bytes[i]);
        pattern_fill(buffers[i], bytes[i], my_rank == root ? seeds[i] : seeds[i] + 1);
        MPI_Ibcast(buffers[i], (int) bytes[i], MPI_BYTE, root, MPI_COMM_WORLD, &requests[i]);
    }
    if (next_random(common) % 2 == 0) {
        broadcast(common, own);
    }
    for (int i = 0; i < n; i++) {
        int which;
        MPI_Waitany(n, requests, &which, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < n; i++) {
        check(pattern_is(buffers[i], bytes[i], seeds[i]), "%zu bytes at once", bytes[i]);
        free(buffers[i]);
    }
}

static unsigned long long n_by_multicast(void)
{
    return counter_value(&counters, "coll_pipebcast_broadcasts_multicast");
}

/** Several persistent ones, started by each rank in another order, some of them once more. */
static void persist_many(uint32_t *common, uint32_t *own)
{
    unsigned char *buffers[MOST_AT_ONCE];
    size_t bytes[MOST_AT_ONCE];
    MPI_Request requests[MOST_AT_ONCE];
    const int n = 2 + (int) (next_random(common) % (MOST_AT_ONCE - 1));
    for (int i = 0; i < n; i++) {
        bytes[i] = draw_bytes(common);
        buffers[i] = must_malloc(bytes[i]);
        MPI_Bcast_init(buffers[i], (int) bytes[i], MPI_BYTE, i % n_ranks, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &requests[i]);
    }
    for (int round = 0; round < 12; round++) {
        const int first = (int) (next_random(own) % (unsigned) n);
        const unsigned seed = next_random(common);
        for (int i = 0; i < n; i++) {
            const int which = (first + i) % n;
            pattern_fill(buffers[which], bytes[which],
                         my_rank == which % n_ranks ? seed + (unsigned) which : 0);
            MPI_Start(&requests[which]);
            be_late(own);
        }
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++) {
            check(pattern_is(buffers[i], bytes[i], seed + (unsigned) i),
                  "%zu bytes, persistent among %d", bytes[i], n);
        }
    }
    for (int i = 0; i < n; i++) {
        MPI_Request_free(&requests[i]);
        free(buffers[i]);
    }
}

/** A persistent one, between the starts of which others go by multicast. */
static void persist(uint32_t *common, uint32_t *own)
{
    const size_t bytes = draw_bytes(common);
    const int root = (int) (next_random(common) % (unsigned) n_ranks);
    unsigned char *buffer = must_malloc(bytes);
    MPI_Request request;
    MPI_Bcast_init(buffer, (int) bytes, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        const unsigned seed = next_random(common);
        pattern_fill(buffer, bytes, my_rank == root ? seed : seed + 1);
        MPI_Start(&request);
        broadcast(common, own);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(pattern_is(buffer, bytes, seed), "%zu bytes, persistent", bytes);
    }
    MPI_Request_free(&request);
    free(buffer);
}

/** Every second int, at the root contiguous. */
static void spread(uint32_t *common, uint32_t *own)
{
    const int n = 16 + (int) (next_random(common) % 20000);
    const int root = (int) (next_random(common) % (unsigned) n_ranks);
    const int seed = (int) (next_random(common) % 1000);
    int *buffer = must_malloc((size_t) 2 * (size_t) n * sizeof(*buffer));
    MPI_Datatype every_second;
    bool good = true;
    MPI_Type_vector(n, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int i = 0; i < 2 * n; i++) {
        buffer[i] = my_rank == root ? seed + i / 2 : -1;
    }
    be_late(own);
    MPI_Bcast(buffer, 1, every_second, root, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        good = good && buffer[2 * i] == seed + i &&
               (my_rank == root || i == n - 1 || buffer[2 * i + 1] == -1);
    }
    check(good, "%d ints with gaps from %d", n, root);
    MPI_Type_free(&every_second);
    free(buffer);
}

int main(int argc, char **argv)
{
    const int n_steps = argc > 1 ? atoi(argv[1]) : 200;
    uint32_t common = argc > 2 ? (uint32_t) atoi(argv[2]) : 1, own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    served_open(&counters);
    own = common + 7919u * (uint32_t) my_rank;
    for (int step = 0; step < n_steps; step++) {
        const unsigned what = next_random(&common) % 9;
        if (what == 0) {
            overlap(&common, &own);
        } else if (what == 1) {
            persist(&common, &own);
        } else if (what == 8) {
            persist_many(&common, &own);
        } else if (what == 2) {
            spread(&common, &own);
        } else {
            broadcast(&common, &own);
        }
    }
    if (my_rank == 0) {
        printf("by multicast: %llu\nasked: %llu\nforeign: %llu\n", n_by_multicast(),
               counter_value(&counters, "coll_pipebcast_multicast_asked"),
               counter_value(&counters, "coll_pipebcast_multicast_foreign"));
    }
    return check_done("run_multicast");
}
