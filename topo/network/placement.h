/*
 * A placement: which host of a network each rank of a communicator sits on, or
 * which place of the host.
 */
#ifndef PB_PLACEMENT_H
#define PB_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/network.h"

typedef struct pb_placement {
    const pb_network_t *network; /**< borrowed; outlives the placement */
    int n_ranks;
    int *host; /**< by rank: a node of kind PB_NODE_HOST or PB_NODE_PLACE */
} pb_placement_t;

/** Room for n_ranks; hosts are -1 until set. NULL if out of memory. */
pb_placement_t *pb_placement_new(const pb_network_t *network, int n_ranks);
void pb_placement_free(pb_placement_t *placement);

/**
 * Where nothing is known of switches: rank i sits on the host names[i] of
 * pb_network_one_switch(). The caller frees both, the placement first; on PB_ERR_NO_MEMORY,
 * which names that function does not take lead to as well, both are NULL. O(names).
 */
int pb_placement_one_switch(const char *const *names, int n_names, pb_network_t **network_p,
                            pb_placement_t **placement_p);

/** The host of a rank, also where it sits on a place of that. O(depth). */
int pb_placement_host(const pb_placement_t *placement, int rank);

/**
 * The directed links that a message passes between two ranks, as
 * pb_network_path(): none inside a host, whatever the places. O(path).
 */
int pb_placement_path(const pb_placement_t *placement, int from, int to, int *links);

/** Counts the hosts with at least one rank, and the ranks of the host that has most. False if out
 * of memory. O(ranks + nodes). */
bool pb_placement_count(const pb_placement_t *placement, int *n_hosts_p, int *most_p);

#endif
