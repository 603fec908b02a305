#include "contrib/adaptive/search/anneal_internal.h"

#include <stdbool.h>

static uint64_t highest_bandwidth(const pb_link_matrix_t *matrix, const int *nodes, int n)
{
    uint64_t highest = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const uint64_t bandwidth = pb_link_bandwidth(matrix, nodes[i], nodes[j]);
            highest = bandwidth > highest ? bandwidth : highest;
        }
    }
    return highest;
}

static bool fits(const pb_link_matrix_t *matrix, const int *nodes, const int *pool, int i,
                 int first, int number, uint64_t least)
{
    for (int j = first; j < i; j++) {
        if (pool[j] == number && (pb_link_bandwidth(matrix, nodes[i], nodes[j]) < least ||
                                  pb_link_bandwidth(matrix, nodes[j], nodes[i]) < least)) {
            return false;
        }
    }
    return true;
}

int pb_pools_form(const pb_link_matrix_t *matrix, const int *nodes, int n, int percent, int *pool)
{
    const uint64_t highest = highest_bandwidth(matrix, nodes, n);
    const uint64_t least =
        highest / 100 * (uint64_t) percent + (highest % 100 * (uint64_t) percent + 99) / 100;
    int n_pools = 0;
    for (int i = 0; i < n; i++) {
        pool[i] = -1;
    }
    for (int first = 0; first < n; first++) {
        if (pool[first] >= 0) {
            continue;
        }
        pool[first] = n_pools;
        for (int i = first + 1; i < n; i++) {
            if (pool[i] < 0 && fits(matrix, nodes, pool, i, first, n_pools, least)) {
                pool[i] = n_pools;
            }
        }
        n_pools++;
    }
    return n_pools;
}
