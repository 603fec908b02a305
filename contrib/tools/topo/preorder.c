#include "preorder.h"

#include "contrib/tools/common/report.h"

/** The first node of a kind among a node and its siblings behind it; -1: none. */
static int first_of(const pb_network_t *network, int node, pb_node_kind_t kind)
{
    while (node >= 0 && pb_network_node(network, node)->kind != kind) {
        node = pb_network_node(network, node)->next_sibling;
    }
    return node;
}

/** The switch that follows in depth-first order; -1: none. */
static int next_switch(const pb_network_t *network, int node)
{
    int next = first_of(network, pb_network_node(network, node)->first_child, PB_NODE_SWITCH);
    for (; next < 0 && node >= 0; node = pb_network_node(network, node)->parent) {
        next = first_of(network, pb_network_node(network, node)->next_sibling, PB_NODE_SWITCH);
    }
    return next;
}

int *tool_preorder(const pb_network_t *network)
{
    int n = 0, *order = common_alloc((size_t) pb_network_size(network) + 1, sizeof(*order));
    for (int node = pb_network_top(network); node >= 0; node = next_switch(network, node)) {
        order[n++] = node;
        for (int host =
                 first_of(network, pb_network_node(network, node)->first_child, PB_NODE_HOST);
             host >= 0;
             host = first_of(network, pb_network_node(network, host)->next_sibling, PB_NODE_HOST)) {
            order[n++] = host;
        }
    }
    order[n] = -1;
    return order;
}
