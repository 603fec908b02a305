#include "test/topo/network/printed.h"

#include <stdio.h>
#include <stdlib.h>

#include "topo/util/error.h"

enum { MAX_PRINTED = 200 };

static void print_tree(const pb_network_t *network, FILE *out)
{
    fprintf(out, "%d switches, %d hosts, base speed %u\n", pb_network_n_switches(network),
            pb_network_n_hosts(network), pb_network_base_speed(network));
    int n_printed = 0;
    for (int at = pb_network_top(network); at >= 0;) {
        if (n_printed++ == MAX_PRINTED) {
            fprintf(out, "and %d more\n", pb_network_size(network) - MAX_PRINTED);
            break;
        }
        const pb_node_t *node = pb_network_node(network, at);
        fprintf(out, "%*s%s %s", 2 * pb_network_depth(network, at), "",
                node->kind == PB_NODE_SWITCH ? "switch" : "host", node->name);
        if (node->parent >= 0) {
            fprintf(out, " speed %u", node->speed);
        }
        if (node->members != 1) {
            fprintf(out, " in %d links", node->members);
        }
        fprintf(out, "%s%s", node->is_virtual ? ", virtual" : "",
                at == pb_network_others(network) ? ", with all other hosts" : "");
        fprintf(out, "\n");
        int next = node->first_child;
        while (next < 0 && at >= 0) {
            next = pb_network_node(network, at)->next_sibling;
            at = pb_network_node(network, at)->parent;
        }
        at = next;
    }
}

static void print_messages(const char *what, const pb_diag_t *diag, FILE *out)
{
    for (size_t i = 0; i < diag->n_kept; i++) {
        fprintf(out, "%s: %s\n", what, diag->messages[i]);
    }
}

/* Properties of a valid topology, in addition to its network. */
static void print_remarks(const pb_topology_t *topology, FILE *out)
{
    if (topology->picked != NULL) {
        fprintf(out, "picked: %s\n", topology->picked);
    }
    print_messages("warning", &topology->warnings, out);
    print_messages("note", &topology->notes, out);
}

static void print_outcome(int error, const pb_topology_t *topology, const pb_diag_t *diag,
                          FILE *out)
{
    const pb_network_t *network = topology->network;
    if (error == PB_SUCCESS && diag->n_errors == 0 && network != NULL) {
        print_tree(network, out);
        print_remarks(topology, out);
        return;
    }
    fprintf(out, "%s\n", pb_error_text(error));
    for (size_t i = 0; i < diag->n_kept; i++) {
        fprintf(out, "%s\n", diag->messages[i]);
    }
    if (diag->n_errors > diag->n_kept) {
        fprintf(out, "and %zu more\n", diag->n_errors - diag->n_kept);
    }
    print_messages("warning", &topology->warnings, out);
    if (network != NULL) {
        fprintf(out, "and yet there is a network\n");
    }
}

/* Uses up topology and diag. */
static char *printed(int error, pb_topology_t *topology, pb_diag_t *diag)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print_outcome(error, topology, diag, out);
    fclose(out);
    pb_diag_clear(diag);
    pb_topology_clear(topology);
    return text;
}

char *printed_file(const char *file)
{
    pb_diag_t diag;
    pb_topology_t topology;
    pb_diag_init(&diag);
    const int error = pb_topology_open(file, NULL, &topology, &diag);
    return printed(error, &topology, &diag);
}

char *printed_text_request(const pb_topology_text_t *text, const pb_topology_request_t *request)
{
    pb_diag_t diag;
    pb_topology_t topology;
    pb_diag_init(&diag);
    const int error = pb_topology_open_text(text, request, &topology, &diag);
    return printed(error, &topology, &diag);
}

char *printed_text(const pb_topology_text_t *text)
{
    return printed_text_request(text, NULL);
}

char *printed_network(int error, pb_network_t *network, pb_diag_t *warnings)
{
    pb_topology_t topology = {.network = network, .warnings = *warnings};
    pb_diag_t none;
    pb_diag_init(&none);
    pb_diag_init(warnings);
    return printed(error, &topology, &none);
}
