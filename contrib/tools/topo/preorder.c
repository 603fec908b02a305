#include "preorder.h"

#include <stdlib.h>

/** Puts the children of a kind on the stack, the first one on top. */
static int push_children(const pb_network_t *network, int parent, pb_node_kind_t kind, int *stack,
                         int n)
{
    const int begin = n;
    for (int node = pb_network_node(network, parent)->first_child; node >= 0;
         node = pb_network_node(network, node)->next_sibling) {
        if (pb_network_node(network, node)->kind == kind) {
            stack[n++] = node;
        }
    }
    for (int i = begin, j = n - 1; i < j; i++, j--) {
        const int node = stack[i];
        stack[i] = stack[j];
        stack[j] = node;
    }
    return n;
}

int *tool_preorder(const pb_network_t *network)
{
    const size_t size = (size_t) pb_network_size(network);
    int *stack = malloc(size * sizeof(*stack)), *order = malloc((size + 1) * sizeof(*order));
    int n = 0, n_stack = 1;
    if (stack == NULL || order == NULL) {
        free(stack);
        free(order);
        return NULL;
    }
    stack[0] = pb_network_top(network);
    while (n_stack > 0) {
        const int node = stack[--n_stack];
        order[n++] = node;
        n_stack = push_children(network, node, PB_NODE_SWITCH, stack, n_stack);
        n_stack = push_children(network, node, PB_NODE_HOST, stack, n_stack);
    }
    order[n] = -1;
    free(stack);
    return order;
}
