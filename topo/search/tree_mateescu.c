/*
 * Mateescu's tree. Each node keeps the others in the order of L + y from it, so
 * that the next one it would send to is found by going on in that list; of all
 * nodes that have the message the one whose next send arrives first makes it.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "topo/search/tree_cost.h"

typedef struct target {
    int64_t time; /* from the start of the send to its arrival */
    int node;
} target_t;

typedef struct builder {
    const pb_tree_costs_t *costs;
    pb_tree_t *tree;
    target_t *targets; /* by node: all others, in the order of time */
    int *next;         /* by node: its first target that may be without the message */
    int64_t *free_at;  /* by node: when it can start its next send */
} builder_t;

static int compare_targets(const void *a, const void *b)
{
    const target_t *x = a, *y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return x->node < y->node ? -1 : x->node > y->node;
}

static void sort_targets(builder_t *b, int from)
{
    const int n = b->costs->matrix->n_nodes;
    target_t *targets = b->targets + (size_t) from * (size_t) n;
    for (int to = 0; to < n; to++) {
        targets[to] = (target_t){.time = pb_link_latency(b->costs->matrix, from, to) +
                                         pb_tree_costs_transfer(b->costs, from, to),
                                 .node = to};
    }
    qsort(targets, (size_t) n, sizeof(*targets), compare_targets);
    b->next[from] = 0;
}

static bool is_inside(const builder_t *b, int node)
{
    return b->tree->parent[node] != PB_TREE_OUTSIDE;
}

/* The next target of a node; one without the message exists. */
static const target_t *next_target(builder_t *b, int from)
{
    const target_t *targets = b->targets + (size_t) from * (size_t) b->costs->matrix->n_nodes;
    while (is_inside(b, targets[b->next[from]].node)) {
        b->next[from]++;
    }
    return &targets[b->next[from]];
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
        const target_t *target = next_target(b, from);
        const int64_t arrival = b->free_at[from] + matrix->startup[from] + target->time;
        if (arrival < best) {
            best = arrival;
            best_from = from;
            best_to = target->node;
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
        sort_targets(b, from);
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
                   .targets = malloc(n * n * sizeof(target_t)),
                   .next = malloc(n * sizeof(int)),
                   .free_at = calloc(n, sizeof(int64_t))};
    int error = PB_ERR_NO_MEMORY;
    if (b.tree != NULL && b.targets != NULL && b.next != NULL && b.free_at != NULL) {
        error = build(&b);
    }
    if (error == PB_SUCCESS) {
        *tree_p = b.tree;
        b.tree = NULL;
    }
    pb_tree_free(b.tree);
    free(b.targets);
    free(b.next);
    free(b.free_at);
    return error;
}
