#include "topo/network/placement.h"

#include <assert.h>
#include <stdlib.h>

#include "topo/util/error.h"

pb_placement_t *pb_placement_new(const pb_network_t *network, int n_ranks)
{
    assert(n_ranks >= 0);
    pb_placement_t *placement = malloc(sizeof(*placement));
    int *host = malloc((size_t) (n_ranks > 0 ? n_ranks : 1) * sizeof(*host));
    if (placement == NULL || host == NULL) {
        free(placement);
        free(host);
        return NULL;
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        host[rank] = -1;
    }
    *placement = (pb_placement_t){.network = network, .n_ranks = n_ranks, .host = host};
    return placement;
}

void pb_placement_free(pb_placement_t *placement)
{
    if (placement == NULL) {
        return;
    }
    free(placement->host);
    free(placement);
}

int pb_placement_one_switch(const char *const *names, int n_names, pb_network_t **network_p,
                            pb_placement_t **placement_p)
{
    pb_network_t *network = pb_network_one_switch(names, n_names);
    pb_placement_t *placement = network != NULL ? pb_placement_new(network, n_names) : NULL;
    if (placement == NULL) {
        pb_network_free(network);
        *network_p = NULL;
        *placement_p = NULL;
        return PB_ERR_NO_MEMORY;
    }
    for (int rank = 0; rank < n_names; rank++) {
        placement->host[rank] = pb_network_find(network, names[rank]);
    }
    *network_p = network;
    *placement_p = placement;
    return PB_SUCCESS;
}

int pb_placement_host(const pb_placement_t *placement, int rank)
{
    return pb_network_host_of(placement->network, placement->host[rank]);
}

int pb_placement_path(const pb_placement_t *placement, int from, int to, int *links)
{
    return pb_network_path(placement->network, pb_placement_host(placement, from),
                           pb_placement_host(placement, to), links);
}

bool pb_placement_count(const pb_placement_t *placement, int *n_hosts_p, int *most_p)
{
    int *n_on = calloc((size_t) pb_network_size(placement->network) + 1, sizeof(*n_on));
    *n_hosts_p = *most_p = 0;
    for (int rank = 0; rank < placement->n_ranks && n_on != NULL; rank++) {
        const int host = placement->host[rank] >= 0 ? pb_placement_host(placement, rank) : -1;
        if (host >= 0) {
            *n_hosts_p += n_on[host]++ == 0;
            *most_p = n_on[host] > *most_p ? n_on[host] : *most_p;
        }
    }
    const bool counted = n_on != NULL;
    free(n_on);
    return counted;
}
