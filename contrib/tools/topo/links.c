#include "links.h"

#include <string.h>

static const char *end_name(const pb_network_t *network, int link, bool below)
{
    const pb_node_t *node = pb_network_node(network, pb_link_node(link));
    return below ? node->name : pb_network_node(network, node->parent)->name;
}

const char *tool_link_from(const pb_network_t *network, int link)
{
    return end_name(network, link, pb_link_is_up(link));
}

const char *tool_link_to(const pb_network_t *network, int link)
{
    return end_name(network, link, !pb_link_is_up(link));
}

bool tool_is_link(const tool_cluster_t *cluster, int link)
{
    int node = pb_link_node(link);
    return cluster->used[node] && pb_network_node(cluster->network, node)->parent >= 0;
}

int tool_name_width(const tool_cluster_t *cluster, const char *heading)
{
    size_t width = strlen(heading);
    for (int node = 0; node < pb_network_size(cluster->network); node++) {
        size_t length = strlen(pb_network_node(cluster->network, node)->name);
        width = cluster->used[node] && length > width ? length : width;
    }
    return (int) width;
}
