/*
 * Mateescu's tree. Each node keeps the others in the order of L + y from it, and finds its next
 * receiver by going on there. Of all nodes that have the message, the one whose next send arrives
 * first makes it.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "contrib/adaptive/search/trees.h"

typedef struct receiver {
    int64_t time; /* from the start of the send to its arrival */
    int node;
} receiver_t;

typedef struct builder {
    const pb_tree_costs_t *costs;
    pb_tree_t *tree;
    receiver_t *receivers; /* by node: all others, in the order of time */
    int *next;             /* by node: its first receiver that may be without the message */
    int64_t *free_at;      /* by node: when it can start its next send */
} builder_t;

static int compare_receivers(const void *a, const void *b)
{
    const receiver_t *x = a, *y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return x->node < y->node ? -1 : x->node > y->node;
}

static void sort_receivers(builder_t *b, int from)
{
    const int n = b->costs->matrix->n_nodes;
    receiver_t *receivers = b->receivers + (size_t) from * (size_t) n;
    for (int to = 0; to < n; to++) {
        receivers[to] = (receiver_t){.time = pb_link_latency(b->costs->matrix, from, to) +
                                             pb_tree_costs_transfer(b->costs, from, to),
                                     .node = to};
    }
    qsort(receivers, (size_t) n, sizeof(*receivers), compare_receivers);
    b->next[from] = 0;
}

static bool is_inside(const builder_t *b, int node)
{
    return b->tree->parent[node] != PB_TREE_OUTSIDE;
}

/* The next receiver of a node; one without the message exists. */
static const receiver_t *next_receiver(builder_t *b, int from)
{
    const receiver_t *receivers = b->receivers + (size_t) from * (size_t) b->costs->matrix->n_nodes;
    while (is_inside(b, receivers[b->next[from]].node)) {
        b->next[from]++;
    }
    return &receivers[b->next[from]];
}

/* The earliest arrival there can be next; lower numbers first among equal ones. */
static void add_one(builder_t *b)
{
    const pb_link_matrix_t *matrix = b->costs->matrix;
    int best_from = -1, best_to = -1;
    int64_t best = INT64_MAX;
    for (int from = 0; from < matrix->n_nodes; from++) {
        if (!is_inside(b, from)) {
            continue;
        }
        const receiver_t *receiver = next_receiver(b, from);
        const int64_t arrival = b->free_at[from] + matrix->startup[from] + receiver->time;
        if (arrival < best) {
            best = arrival;
            best_from = from;
            best_to = receiver->node;
        }
    }
    b->tree->parent[best_to] = best_from;
    b->free_at[best_from] += matrix->startup[best_from];
    b->free_at[best_to] = best;
}

static int build(builder_t *b)
{
    int64_t cost;
    for (int from = 0; from < b->costs->matrix->n_nodes; from++) {
        sort_receivers(b, from);
    }
    for (int i = 1; i < b->costs->matrix->n_nodes; i++) {
        add_one(b);
    }
    return pb_tree_cost(b->costs, b->tree, &cost);
}

int pb_tree_mateescu(const pb_tree_costs_t *costs, int root, pb_tree_t **tree_p)
{
    const int n_nodes = costs->matrix->n_nodes;
    const size_t n = (size_t) n_nodes;
    *tree_p = NULL;
    if (root < 0 || root >= n_nodes) {
        return PB_ERR_INPUT;
    }
    builder_t b = {.costs = costs,
                   .tree = pb_tree_new(n_nodes, root),
                   .receivers = malloc(n * n * sizeof(receiver_t)),
                   .next = malloc(n * sizeof(int)),
                   .free_at = calloc(n, sizeof(int64_t))};
    int error = PB_ERR_NO_MEMORY;
    if (b.tree != NULL && b.receivers != NULL && b.next != NULL && b.free_at != NULL) {
        error = build(&b);
    }
    if (error == PB_SUCCESS) {
        *tree_p = b.tree;
        b.tree = NULL;
    }
    pb_tree_free(b.tree);
    free(b.receivers);
    free(b.next);
    free(b.free_at);
    return error;
}
