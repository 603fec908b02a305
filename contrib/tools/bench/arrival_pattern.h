/*
 * Arrival patterns: by how much each rank comes later to a broadcast than the start. Free of MPI.
 * Source: P. Patarasuk and X. Yuan, "Efficient MPI_Bcast across Different Process Arrival
 * Patterns", section 5.
 */
#ifndef BENCH_ARRIVAL_PATTERN_H
#define BENCH_ARRIVAL_PATTERN_H

#include <stdint.h>

enum bench_arrival_kind {
    BENCH_ARRIVAL_NONE,
    BENCH_ARRIVAL_RANDOM,     /**< the code of Figure 6 */
    BENCH_ARRIVAL_ROOT_FIRST, /**< the same, but the root comes at the start (section 3.1) */
    BENCH_ARRIVAL_LATE,       /**< some receivers late, as for Figures 9 to 11 */
    BENCH_N_ARRIVALS
};

/** Recipe of a random pattern. Equal contents yield equal patterns, on every host. */
struct bench_arrival_recipe {
    enum bench_arrival_kind kind; /**< BENCH_ARRIVAL_RANDOM, _ROOT_FIRST or _LATE */
    uint64_t seed;
    int number;                /**< of the pattern: the next one for the same seed */
    int max_if;                /**< MAX_IF: the bound of delays, in units */
    double late_share;         /**< _LATE: probability of each receiver to be late, 0 to 1 */
    const int64_t *late_ranks; /**< _LATE: those that are late in place of a share; borrowed */
    int n_late_ranks;          /**< 0: the share counts */
    int root;
    int64_t unit_ns; /**< T(M), the time of one message */
};

/**
 * The delay of a rank, in nanoseconds. RANDOM: whole units, 0 to max_if - 1 with equal probability,
 * the root's too. ROOT_FIRST: the same but none for the root. LATE: max_if units for each receiver
 * that is late, none for others and the root. For equal seed and number a rank keeps its quantile
 * in the distribution whatever max_if is. So points of a figure differ by max_if and not by luck
 * (ours). O(late ranks).
 */
int64_t bench_arrival_delay(const struct bench_arrival_recipe *recipe, int rank);

#endif
