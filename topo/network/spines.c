#include "topo/network/spines.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/hostlist.h"
#include "topo/network/node_names.h"
#include "topo/network/spines_internal.h"

static const pb_node_t *node_of(const pb_fabric_t *f, int node)
{
    return pb_network_node(f->network, node);
}

/* ---- uplinks by child ---- */

static int compare_uplinks(const void *a, const void *b, void *uplinks)
{
    const pb_uplink_t *left = (const pb_uplink_t *) uplinks + *(const int *) a;
    const pb_uplink_t *right = (const pb_uplink_t *) uplinks + *(const int *) b;
    if (left->child != right->child) {
        return left->child < right->child ? -1 : 1;
    }
    if (left->parent != right->parent) {
        return left->parent < right->parent ? -1 : 1;
    }
    return left < right ? -1 : left > right;
}

static void sort_uplinks(pb_fabric_t *f)
{
    for (int i = 0; i < f->n_uplinks; i++) {
        f->by_child[i] = i;
    }
    qsort_r(f->by_child, (size_t) f->n_uplinks, sizeof(*f->by_child), compare_uplinks,
            (void *) f->uplinks);
    int at = 0;
    for (int node = 0; node <= pb_network_size(f->network); node++) {
        while (at < f->n_uplinks && f->uplinks[f->by_child[at]].child < node) {
            at++;
        }
        f->first_uplink[node] = at;
    }
}

/* An uplink that an earlier one repeats, of the same two switches, and the earlier one. */
typedef struct repeated {
    const pb_uplink_t *uplink, *earlier;
} repeated_t;

static int compare_repeated(const void *a, const void *b)
{
    const repeated_t *left = a, *right = b;
    return left->uplink < right->uplink ? -1 : left->uplink > right->uplink;
}

/* One message for all links of a line that were named before. */
static void report_repeated(const pb_fabric_t *f, const repeated_t *repeated, int n)
{
    for (int i = 0, end; i < n; i = end) {
        const pb_uplink_t *uplink = repeated[i].uplink;
        char others[64] = "", line[PB_DIAG_LINE_SIZE];
        for (end = i + 1; end < n && repeated[end].uplink->line == uplink->line; end++) {
        }
        if (end - i > 1) {
            snprintf(others, sizeof(others), " (names of this list with the same fault: %d)",
                     end - i);
        }
        pb_diag_fault(f->diag, f->file, uplink->line,
                      "switch '%s' is below switch '%s' already (%s); parallel links are "
                      "Uplinks=N%s",
                      node_of(f, uplink->child)->name, node_of(f, uplink->parent)->name,
                      pb_diag_line(line, f->diag, uplink->line, repeated[i].earlier->line), others);
    }
}

static int check_repeated(const pb_fabric_t *f)
{
    int n = 0;
    repeated_t *repeated = malloc(((size_t) f->n_uplinks + 1) * sizeof(*repeated));
    if (repeated == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 1; i < f->n_uplinks; i++) {
        const pb_uplink_t *before = &f->uplinks[f->by_child[i - 1]];
        const pb_uplink_t *uplink = &f->uplinks[f->by_child[i]];
        if (before->child == uplink->child && before->parent == uplink->parent) {
            repeated[n++] = (repeated_t){.uplink = uplink, .earlier = before};
        }
    }
    qsort(repeated, (size_t) n, sizeof(*repeated), compare_repeated);
    report_repeated(f, repeated, n);
    free(repeated);
    return n > 0 ? PB_ERR_INPUT : PB_SUCCESS;
}

/* ---- which switches are one ---- */

static int first_of(pb_fabric_t *f, int node)
{
    while (f->joined[node] != node) {
        f->joined[node] = f->joined[f->joined[node]];
        node = f->joined[node];
    }
    return node;
}

/* Makes two switches one, and then what is above them, and so on upwards. Each step merges two
 * nodes, so that all calls together take no more steps than there are nodes. */
static void join(pb_fabric_t *f, int a, int b)
{
    while (a >= 0 && b >= 0) {
        a = first_of(f, a);
        b = first_of(f, b);
        if (a == b) {
            return;
        }
        const int first = a < b ? a : b, other = a < b ? b : a;
        f->joined[other] = first;
        a = f->above[first];
        b = f->above[other];
        f->above[first] = a >= 0 ? a : b;
    }
}

static void join_parents(pb_fabric_t *f)
{
    for (int node = 0; node < pb_network_size(f->network); node++) {
        f->joined[node] = node;
        f->above[node] = -1;
    }
    for (int i = 0; i < f->n_uplinks; i++) {
        const int child = first_of(f, f->uplinks[i].child);
        if (f->above[child] < 0) {
            f->above[child] = f->uplinks[i].parent;
        } else {
            join(f, f->above[child], f->uplinks[i].parent);
        }
    }
}

/* Reports the first switch that is below one that it is merged with. */
static int check_layers(pb_fabric_t *f)
{
    for (int i = 0; i < f->n_uplinks; i++) {
        const pb_uplink_t *uplink = &f->uplinks[i];
        if (first_of(f, uplink->child) == first_of(f, uplink->parent)) {
            pb_diag_fault(
                f->diag, f->file, uplink->line,
                "switch '%s' is below '%s' here, but a switch below both makes them one layer; "
                "name a switch only below those of the next layer",
                node_of(f, uplink->child)->name, node_of(f, uplink->parent)->name);
            return PB_ERR_INPUT;
        }
    }
    return PB_SUCCESS;
}

/* ---- the tree ---- */

/* The names of the merged switches; NULL if out of memory. The caller frees it. */
static char *merged_name(const pb_fabric_t *f, const int *nodes, int n)
{
    char *name = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&name, &length);
    if (out == NULL) {
        return NULL;
    }
    pb_node_names_print(out, f->network, nodes, n);
    if (fclose(out) != 0) {
        free(name);
        return NULL;
    }
    if (length > PB_HOSTLIST_MAX_NAME) {
        free(name);
        if (asprintf(&name, "%s[+%d]", node_of(f, nodes[0])->name, n - 1) < 0) {
            return NULL;
        }
    }
    return name;
}

/* Puts the nodes that are merged side by side, for each the first first; by_node and
 * first_merged are then by such firsts, not yet by nodes of the tree. */
static void group_nodes(pb_fabric_t *f)
{
    const int n = pb_network_size(f->network);
    int n_groups = 0, at = 0;
    for (int node = 0; node < n; node++) {
        if (first_of(f, node) == node) {
            f->node[node] = n_groups;
            f->first_merged[n_groups++] = 0;
        }
        f->node[node] = f->node[first_of(f, node)];
        f->index[node] = f->first_merged[f->node[node]]++;
    }
    for (int group = 0; group < n_groups; group++) {
        const int size = f->first_merged[group];
        f->first_merged[group] = at;
        at += size;
    }
    f->first_merged[n_groups] = n;
    for (int node = 0; node < n; node++) {
        f->by_node[f->first_merged[f->node[node]] + f->index[node]] = node;
    }
}

static int add_merged(pb_fabric_t *f, const int *nodes, int n)
{
    const pb_node_t *first = node_of(f, nodes[0]);
    char *name = n > 1 ? merged_name(f, nodes, n) : NULL;
    if (n > 1 && name == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (n > PB_SPINES_MAX) {
        pb_diag_fault(f->diag, f->file, first->line,
                      "%d switches above the same ones, %s, would be merged; %d can be", n, name,
                      PB_SPINES_MAX);
    }
    const int added = pb_network_add(f->tree, first->kind, n > 1 ? name : first->name);
    if (added >= 0) {
        pb_network_set_line(f->tree, added, first->line);
        pb_network_set_spines(f->tree, added, n);
    }
    free(name);
    return added >= 0 ? PB_SUCCESS : added;
}

/* A node of the tree for each group, of the same number. */
static int add_nodes(pb_fabric_t *f)
{
    const int n = pb_network_size(f->network);
    int error = PB_SUCCESS;
    for (int group = 0; f->first_merged[group] < n && error == PB_SUCCESS; group++) {
        error = add_merged(f, f->by_node + f->first_merged[group],
                           f->first_merged[group + 1] - f->first_merged[group]);
    }
    return error;
}

/* The uplink of a node of the tree: all links up from what is merged in it. */
static pb_uplink_t merged_uplink(const pb_fabric_t *f, int group)
{
    pb_uplink_t all = {.speed = UINT32_MAX};
    for (int i = f->first_merged[group]; i < f->first_merged[group + 1]; i++) {
        const int node = f->by_node[i];
        for (int at = f->first_uplink[node]; at < f->first_uplink[node + 1]; at++) {
            const pb_uplink_t *uplink = &f->uplinks[f->by_child[at]];
            all.members += uplink->members;
            all.speed = uplink->speed < all.speed ? uplink->speed : all.speed;
        }
    }
    return all;
}

/* Connects the tree's node for a node's child, unless it is connected already. */
static int connect_child(pb_fabric_t *f, int parent, int child)
{
    const int group = f->node[child];
    if (pb_network_node(f->tree, group)->parent >= 0) {
        return PB_SUCCESS;
    }
    const pb_node_t *as_host = node_of(f, child);
    const pb_uplink_t uplink =
        as_host->kind == PB_NODE_SWITCH
            ? merged_uplink(f, group)
            : (pb_uplink_t){.speed = as_host->speed, .members = as_host->members};
    const int error = pb_network_connect(f->tree, f->node[parent], group, uplink.speed);
    return error == PB_SUCCESS ? pb_network_bundle(f->tree, group, uplink.members) : error;
}

static int connect_nodes(pb_fabric_t *f)
{
    int error = PB_SUCCESS;
    for (int parent = 0; parent < pb_network_size(f->network); parent++) {
        int child = node_of(f, parent)->first_child;
        for (; child >= 0 && error == PB_SUCCESS; child = node_of(f, child)->next_sibling) {
            error = connect_child(f, parent, child);
        }
    }
    return error;
}

/* The finished tree, without regard to distances. */
static int make_tree(pb_fabric_t *f)
{
    f->tree = pb_network_new();
    if (f->tree == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const size_t n_before = f->diag->n_faults;
    group_nodes(f);
    int error = add_nodes(f);
    error = error == PB_SUCCESS ? connect_nodes(f) : error;
    error = error == PB_SUCCESS ? pb_network_finish(f->tree, f->file, f->diag) : error;
    return error == PB_SUCCESS && f->diag->n_faults > n_before ? PB_ERR_INPUT : error;
}

static int merge(pb_fabric_t *f)
{
    sort_uplinks(f);
    int error = check_repeated(f);
    if (error != PB_SUCCESS) {
        return error;
    }
    join_parents(f);
    error = check_layers(f);
    error = error == PB_SUCCESS ? make_tree(f) : error;
    return error == PB_SUCCESS ? pb_spines_meet(f) : error;
}

static int *ints(int n)
{
    return malloc(((size_t) n + 1) * sizeof(int));
}

int pb_spines_merge(const pb_network_t *network, const pb_uplink_t *uplinks, int n_uplinks,
                    const char *file, pb_diag_t *diag, pb_network_t **tree_p)
{
    const int n = pb_network_size(network);
    pb_fabric_t f = {.network = network,
                     .uplinks = uplinks,
                     .n_uplinks = n_uplinks,
                     .by_child = ints(n_uplinks),
                     .first_uplink = ints(n),
                     .file = file,
                     .diag = diag,
                     .joined = ints(n),
                     .above = ints(n),
                     .node = ints(n),
                     .index = ints(n),
                     .by_node = ints(n),
                     .first_merged = ints(n)};
    int error = PB_ERR_NO_MEMORY;
    if (f.by_child != NULL && f.first_uplink != NULL && f.joined != NULL && f.above != NULL &&
        f.node != NULL && f.index != NULL && f.by_node != NULL && f.first_merged != NULL) {
        error = merge(&f);
    }
    if (error != PB_SUCCESS) {
        pb_network_free(f.tree);
        f.tree = NULL;
    }
    *tree_p = f.tree;
    free(f.by_child);
    free(f.first_uplink);
    free(f.joined);
    free(f.above);
    free(f.node);
    free(f.index);
    free(f.by_node);
    free(f.first_merged);
    return error;
}
