#include "topo/network/spines.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/hostlist.h"
#include "topo/network/node_names.h"
#include "topo/network/spines_internal.h"
#include "topo/util/kit.h"

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

/* Finds where the uplinks of each node begin in by_child. */
static void find_first_uplinks(pb_fabric_t *f)
{
    int at = 0;
    for (int node = 0; node <= pb_network_size(f->network); node++) {
        while (at < f->n_uplinks && f->uplinks[f->by_child[at]].child < node) {
            at++;
        }
        f->first_uplink[node] = at;
    }
}

static const pb_uplink_t *uplink_at(const pb_fabric_t *f, int at)
{
    return &f->uplinks[f->by_child[at]];
}

/* Sorts the uplinks and drops those that an earlier one repeats, with a warning. */
static void sort_uplinks(pb_fabric_t *f)
{
    int n = 0;
    for (int i = 0; i < f->n_uplinks; i++) {
        f->by_child[i] = i;
    }
    qsort_r(f->by_child, (size_t) f->n_uplinks, sizeof(*f->by_child), compare_uplinks,
            (void *) f->uplinks);
    for (int i = 0; i < f->n_uplinks; i++) {
        const pb_uplink_t *uplink = uplink_at(f, i);
        const pb_uplink_t *before = n > 0 ? uplink_at(f, n - 1) : uplink;
        if (n > 0 && before->child == uplink->child && before->parent == uplink->parent) {
            char line[PB_DIAG_LINE_SIZE];
            pb_diag_error(f->warnings, f->file, uplink->line,
                          "switch '%s' is below switch '%s' already (%s), so this is ignored; "
                          "parallel links are Uplinks=N",
                          node_of(f, uplink->child)->name, node_of(f, uplink->parent)->name,
                          pb_diag_line(line, f->warnings, uplink->line, before->line));
        } else {
            f->by_child[n++] = f->by_child[i];
        }
    }
    f->n_uplinks = n;
    find_first_uplinks(f);
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

/* The switch above the switches of a set, outside it; -1: none. */
static int above_of(pb_fabric_t *f, int first)
{
    const int above = f->above[first];
    return above >= 0 && first_of(f, above) != first_of(f, first) ? above : -1;
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
        const int first = pb_min(a, b), other = pb_max(a, b);
        f->joined[other] = first;
        a = above_of(f, first);
        b = above_of(f, other);
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
        const int child = first_of(f, uplink_at(f, i)->child), parent = uplink_at(f, i)->parent;
        if (above_of(f, child) < 0) {
            f->above[child] = parent;
        } else if (first_of(f, parent) != child) {
            join(f, f->above[child], parent);
        }
    }
}

/* Drops uplinks between switches that are merged, with a warning. Returns whether there are any. */
static bool drop_inside(pb_fabric_t *f)
{
    int n = 0;
    for (int i = 0; i < f->n_uplinks; i++) {
        const pb_uplink_t *uplink = uplink_at(f, i);
        if (first_of(f, uplink->child) != first_of(f, uplink->parent)) {
            f->by_child[n++] = f->by_child[i];
            continue;
        }
        pb_diag_error(f->warnings, f->file, uplink->line,
                      "switch '%s' is below '%s' here, but a switch below both makes them one "
                      "layer; this link is ignored",
                      node_of(f, uplink->child)->name, node_of(f, uplink->parent)->name);
    }
    const bool any = n < f->n_uplinks;
    f->n_uplinks = n;
    find_first_uplinks(f);
    return any;
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

/* Puts merged nodes side by side, for each the first first. by_node and first_merged are then by
 * such firsts, not yet by nodes of the tree. */
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
    f->first_merged[n_groups] = f->first_merged[n_groups + 1] = n; /* a virtual top merges none */
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
        free(name);
        return PB_ERR_INPUT;
    }
    const int added = pb_network_add(f->tree, first->kind, n > 1 ? name : first->name);
    if (added >= 0) {
        pb_network_set_line(f->tree, added, first->line);
        int spines = 0;
        for (int i = 0; i < n; i++) {
            spines += node_of(f, nodes[i])->spines;
        }
        pb_network_set_spines(f->tree, added, spines);
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
            const pb_uplink_t *uplink = uplink_at(f, at);
            all.members += uplink->members;
            all.speed = uplink->speed < all.speed ? uplink->speed : all.speed;
        }
    }
    return all;
}

/* Connects the tree's node for a child, unless it is connected already or merged with the parent.
 */
static int connect_child(pb_fabric_t *f, int parent, int child)
{
    const int group = f->node[child];
    if (pb_network_node(f->tree, group)->parent >= 0 || group == f->node[parent]) {
        return PB_SUCCESS;
    }
    const pb_node_t *as_host = node_of(f, child);
    const pb_uplink_t uplink =
        as_host->kind == PB_NODE_SWITCH
            ? merged_uplink(f, group)
            : (pb_uplink_t){.speed = as_host->speed, .members = as_host->members};
    if (uplink.members == 0) {
        return PB_SUCCESS; /* its links were dropped */
    }
    const int error = pb_network_connect(f->tree, f->node[parent], group, uplink.speed);
    return error == PB_SUCCESS ? pb_network_bundle(f->tree, group, uplink.members) : error;
}

/* Connects nodes in the order of the network, then by uplinks that are no node's first. */
static int connect_nodes(pb_fabric_t *f)
{
    int error = PB_SUCCESS;
    for (int parent = 0; parent < pb_network_size(f->network); parent++) {
        int child = node_of(f, parent)->first_child;
        for (; child >= 0 && error == PB_SUCCESS; child = node_of(f, child)->next_sibling) {
            error = connect_child(f, parent, child);
        }
    }
    for (int i = 0; i < f->n_uplinks && error == PB_SUCCESS; i++) {
        error = connect_child(f, uplink_at(f, i)->parent, uplink_at(f, i)->child);
    }
    return error;
}

/* The finished tree, without regard to distances. PB_ERR_INPUT: there is none. */
static int make_tree(pb_fabric_t *f)
{
    f->tree = pb_network_new();
    if (f->tree == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    group_nodes(f);
    int error = add_nodes(f);
    error = error == PB_SUCCESS ? connect_nodes(f) : error;
    if (error == PB_SUCCESS && pb_network_others(f->network) >= 0) {
        pb_network_set_others(f->tree, f->node[pb_network_others(f->network)]);
    }
    return error == PB_SUCCESS ? pb_network_finish(f->tree, f->file, NULL) : error;
}

/* Each pass drops links; a file of a network has none or a few. */
enum { MAX_PASSES = 16 };

static int merge(pb_fabric_t *f)
{
    int passes = 0, error = PB_ERR_INPUT;
    sort_uplinks(f);
    do {
        join_parents(f);
    } while (drop_inside(f) && ++passes < MAX_PASSES);
    if (passes < MAX_PASSES) {
        error = make_tree(f);
    }
    if (error == PB_ERR_INPUT) {
        pb_diag_error(f->warnings, f->file, 0,
                      "switches with several above them make no tree; of these the first counts");
    }
    return error == PB_SUCCESS ? pb_spines_meet(f) : error;
}

static int *ints(int n)
{
    return malloc(((size_t) n + 1) * sizeof(int));
}

int pb_spines_merge(const pb_network_t *network, const pb_uplink_t *uplinks, int n_uplinks,
                    const char *file, pb_diag_t *warnings, pb_network_t **tree_p)
{
    const int n = pb_network_size(network);
    pb_fabric_t f = {.network = network,
                     .uplinks = uplinks,
                     .n_uplinks = n_uplinks,
                     .by_child = ints(n_uplinks),
                     .first_uplink = ints(n),
                     .file = file,
                     .warnings = warnings,
                     .joined = ints(n),
                     .above = ints(n),
                     .node = ints(n),
                     .index = ints(n),
                     .by_node = ints(n),
                     .first_merged = ints(n + 1)};
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
