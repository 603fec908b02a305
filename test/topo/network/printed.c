#include "test/topo/network/printed.h"

#include <stdio.h>
#include <stdlib.h>

#include "topo/util/error.h"

static void print_tree(const pb_network_t *network, FILE *out)
{
    fprintf(out, "%d switches, %d hosts, base speed %u\n", pb_network_n_switches(network),
            pb_network_n_hosts(network), pb_network_base_speed(network));
    for (int at = pb_network_top(network); at >= 0;) {
        const pb_node_t *node = pb_network_node(network, at);
        fprintf(out, "%*s%s %s", 2 * pb_network_depth(network, at), "",
                node->kind == PB_NODE_SWITCH ? "switch" : "host", node->name);
        if (node->parent >= 0) {
            fprintf(out, " speed %u", node->speed);
        }
        if (node->members != 1) {
            fprintf(out, " in %d links", node->members);
        }
        fprintf(out, "\n");
        int next = node->first_child;
        while (next < 0 && at >= 0) {
            next = pb_network_node(network, at)->next_sibling;
            at = pb_network_node(network, at)->parent;
        }
        at = next;
    }
}

static void print_outcome(int error, const pb_network_t *network, const pb_diag_t *diag, FILE *out)
{
    if (error == PB_SUCCESS && diag->n_faults == 0 && network != NULL) {
        print_tree(network, out);
        return;
    }
    fprintf(out, "%s\n", pb_error_text(error));
    for (size_t i = 0; i < diag->n_kept; i++) {
        fprintf(out, "%s\n", diag->messages[i]);
    }
    if (diag->n_faults > diag->n_kept) {
        fprintf(out, "and %zu more\n", diag->n_faults - diag->n_kept);
    }
    if (network != NULL) {
        fprintf(out, "and yet there is a network\n");
    }
}

char *printed_network(int error, pb_network_t *network, pb_diag_t *diag)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print_outcome(error, network, diag, out);
    fclose(out);
    pb_diag_clear(diag);
    pb_network_free(network);
    return text;
}

char *printed_file(const char *file)
{
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    const int error = pb_topology_read(file, &network, &diag);
    return printed_network(error, network, &diag);
}

char *printed_text(const pb_topology_text_t *topology)
{
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    const int error = pb_topology_parse(topology, &network, &diag);
    return printed_network(error, network, &diag);
}
