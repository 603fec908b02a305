#include "test/topo/check/random_network.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/topo/network/given.h"

static int *ints(int n)
{
    return must_have(malloc(((size_t) n + 1) * sizeof(int)));
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

static int find_set(const int *set, int i)
{
    while (set[i] != i) {
        i = set[i];
    }
    return i;
}

/* Paper 2, section 4: draws links; those that close a cycle do not count. */
static void paper_parents(pb_random_t *random, int n_switches, int *parent)
{
    int *set = ints(n_switches), *a = ints(n_switches), *b = ints(n_switches), n_links = 0;
    for (int i = 0; i < n_switches; i++) {
        set[i] = i;
        parent[i] = -1;
    }
    while (n_links < n_switches - 1) {
        const int x = pb_random_below(random, n_switches), y = pb_random_below(random, n_switches);
        if (find_set(set, x) != find_set(set, y)) {
            set[find_set(set, x)] = find_set(set, y);
            a[n_links] = x;
            b[n_links++] = y;
        }
    }
    /* Directs links away from switch 0: each pass those at a switch that is reached. */
    for (int n_reached = 1; n_reached < n_switches;) {
        for (int i = 0; i < n_links; i++) {
            const bool from_a = a[i] == 0 || parent[a[i]] >= 0;
            const bool from_b = b[i] == 0 || parent[b[i]] >= 0;
            if (from_a != from_b) {
                parent[from_a ? b[i] : a[i]] = from_a ? a[i] : b[i];
                n_reached++;
            }
        }
    }
    free(set);
    free(a);
    free(b);
}

static void switch_parents(pb_random_t *random, pb_shape_t shape, int n_switches, int *parent)
{
    if (shape == PB_SHAPE_PAPER) {
        paper_parents(random, n_switches, parent);
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

pb_network_t *pb_random_order_network(pb_random_t *random, const int *parent, int n_switches,
                                      int n_hosts, int max_speed)
{
    const int n = n_switches + n_hosts;
    pb_network_t *network = must_have(pb_network_new());
    int *order = ints(n);
    for (int i = 0; i < n; i++) {
        order[i] = i;
    }
    pb_random_shuffle(random, order, n);
    for (int i = 0; i < n; i++) {
        const bool is_switch = i < n_switches;
        char name[16];
        snprintf(name, sizeof(name), "%c%d", is_switch ? 's' : 'm', is_switch ? i : i - n_switches);
        must(pb_network_add(network, is_switch ? PB_NODE_SWITCH : PB_NODE_HOST, name) >= 0);
    }
    for (int i = 0; i < n; i++) {
        const int node = order[i];
        const uint32_t speed =
            max_speed > 0 ? 1 + (uint32_t) pb_random_below(random, max_speed) : 0;
        must(parent[node] < 0 ||
             pb_network_connect(network, parent[node], node, speed) == PB_SUCCESS);
    }
    given_finish(network);
    free(order);
    return network;
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
    pb_network_t *network = pb_random_order_network(random, parent, n_switches, n_hosts, max_speed);
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
    pb_placement_t *placement = must_have(pb_placement_new(network, n));
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
