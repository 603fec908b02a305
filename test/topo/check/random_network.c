#include "test/topo/check/random_network.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void *must(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "random_network: out of memory\n");
        abort();
    }
    return memory;
}

static void must_succeed(int error)
{
    if (error != PB_SUCCESS) {
        fprintf(stderr, "random_network: %s\n", pb_error_text(error));
        abort();
    }
}

static int *ints(int n)
{
    return must(malloc(((size_t) n + 1) * sizeof(int)));
}

const char *pb_shape_name(pb_shape_t shape)
{
    static const char *const names[PB_SHAPE_COUNT] = {
        [PB_SHAPE_PAPER] = "the papers' generator",
        [PB_SHAPE_RECURSIVE] = "recursive",
        [PB_SHAPE_LINE] = "line",
        [PB_SHAPE_STAR] = "star",
        [PB_SHAPE_EMPTY_CORE] = "empty core",
        [PB_SHAPE_ONE_PER_SWITCH] = "one host per switch",
    };
    return names[shape];
}

static void switch_parents(pb_random_t *random, pb_shape_t shape, int n_switches, int *parent)
{
    if (shape == PB_SHAPE_PAPER) {
        must_succeed(pb_random_tree(random, n_switches, parent));
        return;
    }
    parent[0] = -1;
    for (int i = 1; i < n_switches; i++) {
        switch (shape) {
        case PB_SHAPE_LINE:
            parent[i] = i - 1;
            break;
        case PB_SHAPE_STAR:
            parent[i] = 0;
            break;
        default:
            parent[i] = pb_random_below(random, i);
            break;
        }
    }
}

static bool has_switch_below(const int *parent, int n_switches, int s)
{
    for (int i = 0; i < n_switches; i++) {
        if (parent[i] == s) {
            return true;
        }
    }
    return false;
}

/* The switch of each host. */
static void host_switches(pb_random_t *random, pb_shape_t shape, const int *parent, int n_switches,
                          int *on, int n_hosts)
{
    int *allowed = ints(n_switches), n_allowed = 0;
    for (int s = 0; s < n_switches; s++) {
        if (shape != PB_SHAPE_EMPTY_CORE || !has_switch_below(parent, n_switches, s)) {
            allowed[n_allowed++] = s;
        }
    }
    for (int m = 0; m < n_hosts; m++) {
        on[m] = shape == PB_SHAPE_ONE_PER_SWITCH ? m : allowed[pb_random_below(random, n_allowed)];
    }
    free(allowed);
}

pb_network_t *pb_random_network(pb_random_t *random, pb_shape_t shape, int n_switches, int n_hosts,
                                int max_speed)
{
    if (shape == PB_SHAPE_ONE_PER_SWITCH) {
        n_hosts = n_switches;
    }
    int *parent = ints(n_switches + n_hosts);
    switch_parents(random, shape, n_switches, parent);
    host_switches(random, shape, parent, n_switches, parent + n_switches, n_hosts);
    pb_network_t *network;
    must_succeed(pb_random_order_network(random, parent, n_switches, n_hosts, max_speed, &network));
    free(parent);
    return network;
}

pb_placement_t *pb_random_placement(pb_random_t *random, const pb_network_t *network,
                                    int max_per_host)
{
    int n = 0, *host = ints(pb_network_n_hosts(network) * max_per_host);
    for (int node = 0; node < pb_network_size(network); node++) {
        if (pb_network_node(network, node)->kind == PB_NODE_HOST) {
            for (int i = pb_random_below(random, max_per_host); i >= 0; i--) {
                host[n++] = node;
            }
        }
    }
    pb_random_shuffle(random, host, n);
    pb_placement_t *placement = must(pb_placement_new(network, n));
    for (int rank = 0; rank < n; rank++) {
        placement->host[rank] = host[rank];
    }
    free(host);
    return placement;
}

int pb_random_subset(pb_random_t *random, int n_ranks, int root, int *subset)
{
    int n = 0, in_256 = 1 + pb_random_below(random, 256);
    for (int rank = 0; rank < n_ranks; rank++) {
        if (rank == root || pb_random_below(random, 256) < in_256) {
            subset[n++] = rank;
        }
    }
    pb_random_shuffle(random, subset, n);
    return n;
}
