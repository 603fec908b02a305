#include "preorder.h"

#include <stdlib.h>

typedef struct preorder {
    const pb_network_t *network;
    const char *keep;
    char *on_way; /* by node: above the node that is to come first, or that node */
    int *stack;   /* nodes to come, the next one last */
    int n_stack;
} preorder_t;

enum { ON_WAY, HOST, SWITCH, N_CLASSES };

static int class_of(const preorder_t *p, int node)
{
    if (p->on_way[node]) {
        return ON_WAY;
    }
    return pb_network_node(p->network, node)->kind == PB_NODE_HOST ? HOST : SWITCH;
}

static void reverse(int *values, int n)
{
    for (int i = 0; i < n / 2; i++) {
        int value = values[i];
        values[i] = values[n - 1 - i];
        values[n - 1 - i] = value;
    }
}

static void push_children(preorder_t *p, int parent)
{
    int begin = p->n_stack;
    for (int class = 0; class < N_CLASSES; class ++) {
        for (int node = pb_network_node(p->network, parent)->first_child; node >= 0;
             node = pb_network_node(p->network, node)->next_sibling) {
            if ((p->keep == NULL || p->keep[node]) && class_of(p, node) == class) {
                p->stack[p->n_stack++] = node;
            }
        }
    }
    reverse(p->stack + begin, p->n_stack - begin);
}

static void walk(preorder_t *p, int *order)
{
    int n = 0;
    p->stack[p->n_stack++] = pb_network_top(p->network);
    while (p->n_stack > 0) {
        int node = p->stack[--p->n_stack];
        order[n++] = node;
        push_children(p, node);
    }
    order[n] = -1;
}

int *tool_preorder(const pb_network_t *network, const char *keep, int first)
{
    size_t size = (size_t) pb_network_size(network);
    preorder_t p = {.network = network,
                    .keep = keep,
                    .on_way = calloc(size, 1),
                    .stack = malloc(size * sizeof(*p.stack))};
    int *order = malloc((size + 1) * sizeof(*order));
    if (p.on_way != NULL && p.stack != NULL && order != NULL) {
        for (int node = first; node >= 0; node = pb_network_node(network, node)->parent) {
            p.on_way[node] = 1;
        }
        walk(&p, order);
    } else {
        free(order);
        order = NULL;
    }
    free(p.on_way);
    free(p.stack);
    return order;
}
