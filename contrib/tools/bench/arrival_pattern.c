#include "arrival_pattern.h"

#include <stdbool.h>

/** Scrambles the bits of a number: the finaliser of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t scramble(uint64_t bits)
{
    bits += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

/** A random number for a rank in a pattern, 0 to 2^32 - 1. */
static uint64_t luck_of(const struct bench_arrival_recipe *recipe, int rank)
{
    uint64_t of_pattern = scramble(scramble(recipe->seed) + (uint64_t) recipe->number);
    return scramble(of_pattern + (uint64_t) rank) >> 32;
}

static bool is_late(const struct bench_arrival_recipe *recipe, int rank, uint64_t luck)
{
    bool is_named = false;
    for (int i = 0; i < recipe->n_late_ranks; i++) {
        is_named = is_named || recipe->late_ranks[i] == rank;
    }
    return recipe->n_late_ranks > 0 ? is_named : (double) luck < recipe->late_share * 4294967296.0;
}

int64_t bench_arrival_delay(const struct bench_arrival_recipe *recipe, int rank)
{
    uint64_t luck = luck_of(recipe, rank);
    if (rank == recipe->root && recipe->kind != BENCH_ARRIVAL_RANDOM) {
        return 0;
    }
    if (recipe->kind == BENCH_ARRIVAL_LATE) {
        return is_late(recipe, rank, luck) ? recipe->max_if * recipe->unit_ns : 0;
    }
    return (int64_t) ((luck * (uint64_t) recipe->max_if) >> 32) * recipe->unit_ns;
}
