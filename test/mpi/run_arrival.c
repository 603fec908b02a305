/*
 * Thousands of broadcasts at which ranks arrive at random times, from random roots, of random
 * sizes, on several communicators. Nothing between them lets the ranks meet, so some run ahead of
 * others. Usage: run_arrival [BROADCASTS [DELAY_US [SEED [large]]]]
 *
 * Broadcasts come in phases of even and of uneven arrivals. All ranks draw
 * what they must do alike from one generator, and their delays from their own.
 */
#include <string.h>

#include "check.h"

#define N_COMMS 3
#define PHASE 60

/** Sizes on both sides of min_size 64, segment_size 100 and the eager limits of shared memory. */
static const int sizes[] = {1,    63,   64,   65,   99,    100,   101,   200,   999,
                            1000, 2874, 2875, 4095, 4096,  4097,  8192,  10001, 20000,
                            100,  101,  1426, 1427, 32768, 32769, 39999, 40000, 64};
#define N_SIZES (int) (sizeof(sizes) / sizeof(sizes[0]))

/** The same of TCP's eager limit, 64 KiB less the PML's header, for segments as long. */
static const int large_sizes[] = {63,    64,    2874,  2875,  65521, 65522,  65523,  65524,
                                  65535, 65536, 65537, 65538, 70000, 131072, 131073, 140000};
#define N_LARGE_SIZES (int) (sizeof(large_sizes) / sizeof(large_sizes[0]))

/** Arrivals of a phase's ranks. */
typedef enum { EVEN, RANDOM, FEW_LATE, ONE_LATE, N_ARRIVALS } arrivals_t;

static void arrive(arrivals_t arrivals, uint64_t *own, uint64_t *common, int delay_us)
{
    const int late_rank = draw(common, n_ranks), amount = draw(own, delay_us + 1);
    if (arrivals == RANDOM || (arrivals == FEW_LATE && draw(own, 5) == 0) ||
        (arrivals == ONE_LATE && late_rank == my_rank)) {
        wait_us(amount);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comms[N_COMMS] = {MPI_COMM_WORLD};
    check_begin(&argc, &argv);
    const int n = (int) argument(argc, argv, 1, 1000);
    const int delay_us = (int) argument(argc, argv, 2, 2000);
    const bool large = argc > 4 && strcmp(argv[4], "large") == 0;
    uint64_t common = (uint64_t) argument(argc, argv, 3, 1);
    uint64_t own = common * 1000003u + (uint64_t) my_rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -my_rank, &comms[2]); /* the same ranks, turned round */

    /* However few broadcasts there are, ranks arrive in each of the ways. */
    const int phase = n < N_ARRIVALS * PHASE ? (n + N_ARRIVALS - 1) / N_ARRIVALS : PHASE;
    int root = 0;
    for (int i = 0; i < n; i++) {
        const arrivals_t arrivals = (arrivals_t) (i / phase % N_ARRIVALS);
        const int which = draw(&common, 4) == 0 ? 1 + draw(&common, N_COMMS - 1) : 0;
        if (draw(&common, 3) == 0 || i / phase % 3 == 2) {
            root = draw(&common, n_ranks);
        }
        const int bytes =
            large ? large_sizes[draw(&common, N_LARGE_SIZES)] : sizes[draw(&common, N_SIZES)];
        arrive(arrivals, &own, &common, delay_us);
        check_bcast(BLOCKING, (size_t) bytes, root, comms[which], (unsigned) i + 1, "a phase");
    }
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    return check_done("run_arrival");
}
