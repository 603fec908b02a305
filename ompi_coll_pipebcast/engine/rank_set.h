/*
 * A set of ranks: bit r % 8 of byte r / 8 is rank r.
 */
#ifndef PB_RANK_SET_H
#define PB_RANK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t pb_rank_set_bytes(int n_ranks)
{
    return ((size_t) n_ranks + 7) / 8;
}

static inline bool pb_rank_set_has(const uint8_t *set, int rank)
{
    return (set[rank / 8] >> (rank % 8) & 1) != 0;
}

static inline void pb_rank_set_add(uint8_t *set, int rank)
{
    set[rank / 8] = (uint8_t) (set[rank / 8] | 1u << (rank % 8));
}

#endif
