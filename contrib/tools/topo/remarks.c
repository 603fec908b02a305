#include "remarks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "cluster.h"

static void print_merged(const pb_network_t *network, FILE *stream)
{
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *at = pb_network_node(network, node);
        if (at->spines > 1) {
            fprintf(stream, "switches %s are one to the plan: each flow takes one of them\n",
                    at->name);
        }
    }
}

static int n_links(const pb_network_t *network)
{
    return pb_network_size(network) - 1;
}

static void print_parallel(const pb_network_t *network, FILE *stream)
{
    int n = 0;
    for (int node = 0; node < pb_network_size(network); node++) {
        n += pb_network_node(network, node)->members > 1;
    }
    if (n > 0) {
        fprintf(stream,
                "%d of %d links %s several in parallel: each flow takes one, and has its speed\n",
                n, n_links(network), n == 1 ? "is" : "are");
    }
}

static void print_speeds(const pb_network_t *network, FILE *stream)
{
    const uint32_t base = pb_network_base_speed(network);
    uint32_t fastest = 0;
    int n_given = 0;
    bool hosts_have = false;
    for (int i = 0; i < pb_network_size(network); i++) {
        const pb_node_t *node = pb_network_node(network, i);
        fastest = node->speed > fastest ? node->speed : fastest;
        n_given += node->speed_given;
        hosts_have |= node->speed_given && node->kind == PB_NODE_HOST;
    }
    if (n_given == 0 || n_given == n_links(network)) {
        return;
    }
    const int n_without = n_links(network) - n_given;
    fprintf(stream, "%d of %d links without LinkSpeed %s taken to have %" PRIu32, n_without,
            n_links(network), n_without == 1 ? "is" : "are", base);
    if (hosts_have) {
        fprintf(stream, ", the lowest that is given\n");
    } else {
        fprintf(stream,
                ": no host's link has one, so that links between switches are up to %" PRIu32
                " times as fast as a host's\n",
                fastest);
    }
}

void tool_print_remarks(const pb_network_t *network, FILE *stream)
{
    print_merged(network, stream);
    print_parallel(network, stream);
    print_speeds(network, stream);
}
