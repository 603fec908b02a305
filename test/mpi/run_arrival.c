/*
 * Thousands of broadcasts at which ranks arrive at random times: from random
 * roots, of random sizes, on several communicators, without anything between
 * them that would let the ranks meet, so that some run ahead of others.
 * Usage: run_arrival [BROADCASTS [DELAY_US [SEED [large]]]]
 *
 * Broadcasts come in phases of even and of uneven arrivals. All ranks draw
 * what they must do alike from one generator, and their delays from their own.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define N_COMMS 3
#define PHASE 60
#define MAX_BYTES 140000

/** Sizes on both sides of min_size 64, segment_size 100 and the eager limits of shared memory. */
static const int sizes[] = {1,    63,   64,   65,   99,    100,   101,   200,   999,
                            1000, 2874, 2875, 4095, 4096,  4097,  8192,  10001, 20000,
                            100,  101,  1426, 1427, 32768, 32769, 39999, 40000, 64};
#define N_SIZES (int) (sizeof(sizes) / sizeof(sizes[0]))

/** Likewise of TCP's eager limit, 64 KiB less the PML's header, for segments as long. */
static const int large_sizes[] = {63,    64,    2874,  2875,  65521, 65522,  65523,  65524,
                                  65535, 65536, 65537, 65538, 70000, 131072, 131073, 140000};
#define N_LARGE_SIZES (int) (sizeof(large_sizes) / sizeof(large_sizes[0]))

static uint64_t draw(uint64_t *state, uint64_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % n;
}

/** How the ranks of a phase arrive. */
typedef enum { EVEN, RANDOM, FEW_LATE, ONE_LATE, N_ARRIVALS } arrivals_t;

static void arrive(arrivals_t arrivals, uint64_t *own, uint64_t *common, int size, int rank,
                   long delay_us)
{
    const int late_rank = (int) draw(common, (uint64_t) size);
    const long amount = (long) draw(own, (uint64_t) delay_us + 1);
    if (arrivals == RANDOM || (arrivals == FEW_LATE && draw(own, 5) == 0) ||
        (arrivals == ONE_LATE && late_rank == rank)) {
        wait_us(amount);
    }
}

static void broadcast(MPI_Comm comm, unsigned char *buffer, int bytes, int root, unsigned seed)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    buffer[0] = buffer[bytes + 1] = 0xa5;
    pattern_fill(buffer + 1, (size_t) bytes, rank == root ? seed : seed + 1);
    const int rc = MPI_Bcast(buffer + 1, bytes, MPI_BYTE, root, comm);
    check(rc == MPI_SUCCESS, "broadcast %u of %d bytes from %d returns %d", seed, bytes, root, rc);
    check(pattern_is(buffer + 1, (size_t) bytes, seed), "broadcast %u: %d bytes from %d", seed,
          bytes, root);
    check(buffer[0] == 0xa5 && buffer[bytes + 1] == 0xa5, "broadcast %u: beside %d bytes from %d",
          seed, bytes, root);
}

/**
 * Communicators that end while a rank is still on its way to their last broadcast.
 * What it sends then must not be taken for a message of the next one, which gets the same number.
 */
static void short_lives(unsigned char *buffer, int size, int rank, long delay_us)
{
    const int n_broadcasts = 12;
    for (int life = 0; life < 12; life++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < n_broadcasts; i++) {
            if (i == n_broadcasts - 1 && rank == 1 + life % (size - 1)) {
                wait_us(delay_us);
            }
            broadcast(comm, buffer, 1000 + i, 0, (unsigned) (life * n_broadcasts + i + 1));
        }
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm comms[N_COMMS];
    MPI_Init(&argc, &argv);
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const long delay_us = argc > 2 ? atol(argv[2]) : 2000;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    const bool large = argc > 4 && strcmp(argv[4], "large") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    uint64_t common = seed, own = seed * 1000003u + (uint64_t) rank;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[2]); /* the same ranks, turned round */
    unsigned char *buffer = must_malloc(MAX_BYTES + 2);

    /* However few broadcasts there are, ranks arrive in each of the ways. */
    const int phase = n < N_ARRIVALS * PHASE ? (n + N_ARRIVALS - 1) / N_ARRIVALS : PHASE;
    int root = 0;
    arrivals_t arrivals = EVEN;
    for (int i = 0; i < n; i++) {
        if (i % phase == 0) {
            arrivals = (arrivals_t) (i / phase % N_ARRIVALS);
        }
        const int which = draw(&common, 4) == 0 ? 1 + (int) draw(&common, N_COMMS - 1) : 0;
        if (draw(&common, 3) == 0 || i / phase % 3 == 2) {
            root = (int) draw(&common, (uint64_t) size);
        }
        const int bytes =
            large ? large_sizes[draw(&common, N_LARGE_SIZES)] : sizes[draw(&common, N_SIZES)];
        arrive(arrivals, &own, &common, size, rank, delay_us);
        broadcast(comms[which], buffer, bytes, root, (unsigned) i + 1);
    }
    short_lives(buffer, size, rank, delay_us);
    free(buffer);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    return check_done("run_arrival");
}
