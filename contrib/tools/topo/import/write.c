#include "write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/network.h"
#include "topo/network/node_names.h"

/** Names on one line; the reader's longest line has room for names of any length. */
enum { MAX_ON_LINE = 2048 };

/** A host or switch below another switch. */
typedef struct item {
    int above; /* nodes of the names */
    int node;
    int members;
    uint32_t megabits;
} item_t;

typedef struct writer {
    FILE *out;
    pb_network_t *names; /* all nodes, for their names alone */
    int *node_of;        /* by switch */
    item_t *items;
    int n_items;
    bool with_speeds;
} writer_t;

static const pb_node_t *node_of(const writer_t *w, int node)
{
    return pb_network_node(w->names, node);
}

static int add_node(writer_t *w, pb_node_kind_t kind, const char *name, pb_diag_t *diag)
{
    const int node = pb_network_add(w->names, kind, name);
    if (node == PB_ERR_INPUT) {
        pb_diag_fault(diag, NULL, 0,
                      "'%s' is the name of two hosts or switches; give one of them another", name);
    }
    return node;
}

/** Adds all switches that are used, and all hosts. */
static int add_nodes(writer_t *w, const import_fabric_t *fabric, const import_host_t *hosts,
                     int n_hosts, pb_diag_t *diag)
{
    for (int i = 0; i < fabric->switches->n; i++) {
        const char *label = fabric->switches->all[i].label;
        w->node_of[i] = fabric->is_used[i] ? add_node(w, PB_NODE_SWITCH, label, diag) : -1;
        if (fabric->is_used[i] && w->node_of[i] < 0) {
            return w->node_of[i];
        }
    }
    for (int i = 0; i < n_hosts; i++) {
        const int node = add_node(w, PB_NODE_HOST, hosts[i].name, diag);
        if (node < 0) {
            return node;
        }
        w->items[w->n_items++] = (item_t){.above = w->node_of[hosts[i].at],
                                          .node = node,
                                          .members = hosts[i].members,
                                          .megabits = hosts[i].megabits};
        w->with_speeds |= hosts[i].megabits > 0;
    }
    for (int i = 0; i < fabric->n_links; i++) {
        const import_link_t *link = &fabric->links[i];
        w->items[w->n_items++] = (item_t){.above = w->node_of[link->upper],
                                          .node = w->node_of[link->lower],
                                          .members = link->members,
                                          .megabits = link->megabits};
    }
    return PB_SUCCESS;
}

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/** Whether two items belong on one line: 0, or their order. */
static int compare_lines(const writer_t *w, const item_t *a, const item_t *b)
{
    int order = strverscmp(node_of(w, a->above)->name, node_of(w, b->above)->name);
    order =
        order != 0 ? order : compare_numbers(node_of(w, b->node)->kind, node_of(w, a->node)->kind);
    order = order != 0 ? order : compare_numbers(a->megabits, b->megabits);
    return order != 0 ? order : compare_numbers(a->members, b->members);
}

static int compare_items(const void *a, const void *b, void *writer)
{
    const writer_t *w = writer;
    const item_t *left = a, *right = b;
    const int order = compare_lines(w, left, right);
    return order != 0 ? order
                      : strverscmp(node_of(w, left->node)->name, node_of(w, right->node)->name);
}

/** Writes the line of n items; `nodes` has room for their numbers. */
static void write_line(const writer_t *w, const item_t *items, int n, int *nodes)
{
    const bool hosts = node_of(w, items[0].node)->kind == PB_NODE_HOST;
    for (int i = 0; i < n; i++) {
        nodes[i] = items[i].node;
    }
    fprintf(w->out, "SwitchName=%s %s=", node_of(w, items[0].above)->name,
            hosts ? "Nodes" : "Switches");
    pb_node_names_print(w->out, w->names, nodes, n);
    if (items[0].megabits > 0) {
        fprintf(w->out, " LinkSpeed=%" PRIu32, items[0].megabits);
    }
    if (items[0].members > 1) {
        fprintf(w->out, " Uplinks=%d", items[0].members);
    }
    fputc('\n', w->out);
}

static void write_lines(writer_t *w, int *nodes)
{
    for (int i = 0; i < w->n_items && !w->with_speeds; i++) {
        w->items[i].megabits = 0;
    }
    qsort_r(w->items, (size_t) w->n_items, sizeof(*w->items), compare_items, w);
    for (int begin = 0, end; begin < w->n_items; begin = end) {
        for (end = begin + 1; end < w->n_items && end - begin < MAX_ON_LINE &&
                              compare_lines(w, &w->items[begin], &w->items[end]) == 0;
             end++) {
        }
        write_line(w, &w->items[begin], end - begin, nodes);
    }
}

int import_write(const import_fabric_t *fabric, const import_host_t *hosts, int n_hosts, FILE *out,
                 pb_diag_t *diag)
{
    const size_t n_items = (size_t) n_hosts + (size_t) fabric->n_links + 1;
    int *nodes = malloc(MAX_ON_LINE * sizeof(*nodes));
    writer_t w = {.out = out,
                  .names = pb_network_new(),
                  .node_of = calloc((size_t) fabric->switches->n + 1, sizeof(*w.node_of)),
                  .items = calloc(n_items, sizeof(*w.items))};
    int error = PB_ERR_NO_MEMORY;
    if (nodes != NULL && w.names != NULL && w.node_of != NULL && w.items != NULL) {
        error = add_nodes(&w, fabric, hosts, n_hosts, diag);
    }
    if (error == PB_SUCCESS) {
        write_lines(&w, nodes);
    }
    free(nodes);
    pb_network_free(w.names);
    free(w.node_of);
    free(w.items);
    return error;
}
