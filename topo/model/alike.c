#include "topo/model/alike.h"

#include <stdbool.h>
#include <stdlib.h>

/** The switch of a host. */
static int switch_of(const pb_network_t *network, int host)
{
    return pb_network_node(network, pb_network_host_of(network, host))->parent;
}

/** Marks the switches of the placement's hosts; how many they are. */
static int mark(const pb_placement_t *placement, bool *is_used)
{
    int n = 0;
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        const int at = switch_of(placement->network, placement->host[rank]);
        n += !is_used[at];
        is_used[at] = true;
    }
    return n;
}

int pb_alike(const pb_placement_t *placement, const int *at, int n_at)
{
    const pb_network_t *network = placement->network;
    bool *is_used = calloc((size_t) pb_network_size(network), sizeof(*is_used));
    int n = 0;
    if (is_used == NULL) {
        return -1;
    }
    if (mark(placement, is_used) > 1) {
        for (int i = 0; i < n_at; i++) {
            n += at[i] >= 0 && is_used[switch_of(network, at[i])];
        }
    }
    free(is_used);
    return n > placement->n_ranks ? n / placement->n_ranks : 1;
}
