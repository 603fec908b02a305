/*
 * pipebcast-fabric: the links and switches of an emulated Ethernet cluster.
 *
 * It owns the far ends of the hosts' virtual links in its network namespace. In real time it moves
 * every frame through the directed links of its path, as fabric_model.h describes. Destinations are
 * known by address: host number i (in the order of the topology file) has the address 02:70:62
 * followed by i in three bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "contrib/testbed/fabric_options.h"
#include "contrib/testbed/fabric_serve.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/topology.h"

static void describe(const pb_network_t *network)
{
    printf("network %d %" PRIu32 "\n", pb_network_size(network), pb_network_base_speed(network));
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *n = pb_network_node(network, node);
        printf("%s %s %s %" PRIu32 " %d %d\n", n->kind == PB_NODE_HOST ? "host" : "switch", n->name,
               n->parent >= 0 ? pb_network_node(network, n->parent)->name : "-", n->speed,
               n->members, n->spines);
    }
}

int main(int argc, char **argv)
{
    fabric_settings_t settings;
    bool is_flat;
    fabric_read_options(argc, argv, &settings);
    pb_network_t *network = common_topology_read(settings.topology, NULL, true, &is_flat);
    if (network != NULL && is_flat) {
        common_report("%s names no hosts", settings.topology);
    }
    if (network == NULL || is_flat) {
        pb_network_free(network);
        return EXIT_FAILURE;
    }
    int status = EXIT_SUCCESS;
    if (settings.describe) {
        describe(network);
    } else {
        status = fabric_serve(&settings, network);
    }
    pb_network_free(network);
    return status;
}
