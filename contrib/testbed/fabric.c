/*
 * pipebcast-fabric: the links and switches of an emulated Ethernet cluster.
 *
 * It owns the far ends of the hosts' virtual links in its network namespace and moves
 * every frame through the directed links of its path, as fabric_model.h describes, in real
 * time. Destinations are known by address: host number i (in the order of the
 * topology file) has the address 02:70:62 followed by i in three bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "contrib/testbed/fabric_options.h"
#include "contrib/testbed/fabric_serve.h"
#include "topo/network/topology.h"

static void describe(const pb_network_t *network)
{
    printf("network %d %" PRIu32 "\n", pb_network_size(network), pb_network_base_speed(network));
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *n = pb_network_node(network, node);
        printf("%s %s %s %" PRIu32 " %d %d\n", n->kind == PB_NODE_HOST ? "host" : "switch", n->name,
               n->parent >= 0 ? pb_network_node(network, n->parent)->name : "-", n->speed,
               pb_network_members(network, node), pb_network_spines(network, node));
    }
}

static void complain(const char *what)
{
    fprintf(stderr, "pipebcast-fabric: %s\n", what);
}

static int read_topology(const char *path, pb_network_t **network_p)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    int status = pb_topology_read(path, network_p, &diag);
    for (size_t i = 0; i < diag.n_kept; i++) {
        complain(diag.messages[i]);
    }
    if (status != PB_SUCCESS && diag.n_kept == 0) {
        complain(pb_error_text(status));
    }
    pb_diag_clear(&diag);
    return status;
}

int main(int argc, char **argv)
{
    fabric_settings_t settings;
    pb_network_t *network = NULL;
    fabric_read_options(argc, argv, &settings);
    if (read_topology(settings.topology, &network) != PB_SUCCESS) {
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
