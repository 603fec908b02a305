#include "topo/check/random_cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int *ints(int n)
{
    return malloc(((size_t) n + 1) * sizeof(int));
}

/* The links a[i] - b[i], and what is needed to draw and to direct them. */
typedef struct links {
    int n_switches;
    int *set; /* by switch: towards the representative of those it is joined with */
    int *a, *b;
    int *first; /* by switch: a half of its last link, -1: none */
    int *next;  /* by half: 2 * link is seen from a, 2 * link + 1 from b */
    int *stack;
} links_t;

static int links_alloc(links_t *l)
{
    l->set = ints(l->n_switches);
    l->a = ints(l->n_switches);
    l->b = ints(l->n_switches);
    l->first = ints(l->n_switches);
    l->next = ints(2 * l->n_switches);
    l->stack = ints(l->n_switches);
    bool all = l->set != NULL && l->a != NULL && l->b != NULL && l->first != NULL &&
               l->next != NULL && l->stack != NULL;
    return all ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static void links_clear(links_t *l)
{
    free(l->set);
    free(l->a);
    free(l->b);
    free(l->first);
    free(l->next);
    free(l->stack);
}

static int find_set(int *set, int i)
{
    while (set[i] != i) {
        set[i] = set[set[i]];
        i = set[i];
    }
    return i;
}

static void draw_links(links_t *l, pb_random_t *random)
{
    for (int i = 0; i < l->n_switches; i++) {
        l->set[i] = i;
    }
    for (int n_links = 0; n_links < l->n_switches - 1;) {
        int x = pb_random_below(random, l->n_switches), y = pb_random_below(random, l->n_switches);
        if (find_set(l->set, x) != find_set(l->set, y)) {
            l->set[find_set(l->set, x)] = find_set(l->set, y);
            l->a[n_links] = x;
            l->b[n_links++] = y;
        }
    }
}

static void direct_links(links_t *l, int *parent)
{
    for (int i = 0; i < l->n_switches; i++) {
        l->first[i] = -1;
        parent[i] = -1;
    }
    for (int link = 0; link < l->n_switches - 1; link++) {
        l->next[2 * link] = l->first[l->a[link]];
        l->first[l->a[link]] = 2 * link;
        l->next[2 * link + 1] = l->first[l->b[link]];
        l->first[l->b[link]] = 2 * link + 1;
    }
    int n = 0;
    l->stack[n++] = 0;
    while (n > 0) {
        int at = l->stack[--n];
        for (int half = l->first[at]; half >= 0; half = l->next[half]) {
            int other = half % 2 == 0 ? l->b[half / 2] : l->a[half / 2];
            if (other != parent[at]) {
                parent[other] = at;
                l->stack[n++] = other;
            }
        }
    }
}

int pb_random_tree(pb_random_t *random, int n_switches, int *parent)
{
    assert(n_switches >= 1);
    links_t links = {.n_switches = n_switches};
    int error = links_alloc(&links);
    if (error == PB_SUCCESS) {
        draw_links(&links, random);
        direct_links(&links, parent);
    }
    links_clear(&links);
    return error;
}

/* Adds n nodes named by a letter and a number. */
static int add_nodes(pb_network_t *network, pb_node_kind_t kind, char letter, int n)
{
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%c%d", letter, i);
        int node = pb_network_add(network, kind, name);
        if (node < 0) {
            return node;
        }
    }
    return PB_SUCCESS;
}

/* Connects the nodes in the given order. */
static int connect_nodes(pb_network_t *network, pb_random_t *random, const int *parent,
                         const int *order, int n, int max_speed)
{
    for (int i = 0; i < n; i++) {
        uint32_t speed = max_speed > 0 ? 1 + (uint32_t) pb_random_below(random, max_speed) : 0;
        if (parent[order[i]] < 0) {
            continue;
        }
        int error = pb_network_connect(network, parent[order[i]], order[i], speed);
        if (error != PB_SUCCESS) {
            return error;
        }
    }
    return PB_SUCCESS;
}

static int finish(pb_network_t *network)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    int error = pb_network_finish(network, NULL, &diag);
    pb_diag_clear(&diag);
    return error;
}

int pb_random_order_network(pb_random_t *random, const int *parent, int n_switches, int n_hosts,
                            int max_speed, pb_network_t **network_p)
{
    *network_p = NULL;
    int n = n_switches + n_hosts, error = PB_ERR_NO_MEMORY;
    pb_network_t *network = pb_network_new();
    int *order = ints(n);
    if (network != NULL && order != NULL) {
        for (int i = 0; i < n; i++) {
            order[i] = i;
        }
        pb_random_shuffle(random, order, n);
        error = add_nodes(network, PB_NODE_SWITCH, 's', n_switches);
        error = error != PB_SUCCESS ? error : add_nodes(network, PB_NODE_HOST, 'm', n_hosts);
        error = error != PB_SUCCESS ? error
                                    : connect_nodes(network, random, parent, order, n, max_speed);
        error = error != PB_SUCCESS ? error : finish(network);
    }
    free(order);
    if (error == PB_SUCCESS) {
        *network_p = network;
    } else {
        pb_network_free(network);
    }
    return error;
}

int pb_random_cluster(pb_random_t *random, int n_switches, int n_hosts, pb_network_t **network_p)
{
    assert(n_switches >= 1 && n_hosts >= 1);
    *network_p = NULL;
    int *parent = ints(n_switches + n_hosts);
    int error = parent == NULL ? PB_ERR_NO_MEMORY : pb_random_tree(random, n_switches, parent);
    if (error == PB_SUCCESS) {
        for (int i = 0; i < n_hosts; i++) {
            parent[n_switches + i] = pb_random_below(random, n_switches);
        }
        error = pb_random_order_network(random, parent, n_switches, n_hosts, 0, network_p);
    }
    free(parent);
    return error;
}
