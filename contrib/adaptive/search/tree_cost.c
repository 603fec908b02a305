#include "contrib/adaptive/search/tree_cost.h"

#include <stdbool.h>
#include <stdlib.h>

#include "contrib/adaptive/search/tree_state.h"

static bool is_time(int64_t time)
{
    return time >= 0 && time <= PB_LINK_MATRIX_MAX_NS;
}

static bool is_sound(const pb_link_matrix_t *matrix)
{
    const size_t n = (size_t) matrix->n_nodes;
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        good = good && is_time(matrix->startup[i]);
    }
    for (size_t i = 0; i < n * n; i++) {
        good = good && is_time(matrix->latency[i]) && matrix->bandwidth[i] > 0;
    }
    return good;
}

static void fill(pb_tree_costs_t *costs, uint64_t segment)
{
    const size_t n = (size_t) costs->matrix->n_nodes;
    for (size_t i = 0; i < n * n; i++) {
        costs->transfer[i] = pb_link_time(segment, costs->matrix->bandwidth[i]);
    }
    for (int i = 0; costs->share != NULL && i < costs->share->n_links; i++) {
        const uint64_t capacity = costs->share->capacity[i];
        costs->link_time[i] = capacity > 0 ? pb_link_time(segment, capacity) : 0;
    }
}

int pb_tree_costs_new(const pb_link_matrix_t *matrix, const pb_link_share_t *share, uint64_t bytes,
                      uint64_t segment, pb_tree_costs_t **costs_p)
{
    *costs_p = NULL;
    if (bytes > PB_TREE_COST_MAX_BYTES || !is_sound(matrix) ||
        (share != NULL && share->n_nodes != matrix->n_nodes)) {
        return PB_ERR_INPUT;
    }
    pb_tree_costs_t *costs = calloc(1, sizeof(*costs));
    if (costs == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const size_t n = (size_t) matrix->n_nodes;
    costs->matrix = matrix;
    costs->share = share;
    segment = segment == 0 || segment > bytes ? bytes : segment;
    costs->n_segments = segment > 0 ? (int64_t) ((bytes + segment - 1) / segment) : 1;
    costs->transfer = malloc(n * n * sizeof(*costs->transfer));
    costs->link_time =
        calloc(share != NULL ? (size_t) share->n_links + 1 : 1, sizeof(*costs->link_time));
    if (costs->transfer == NULL || costs->link_time == NULL) {
        pb_tree_costs_free(costs);
        return PB_ERR_NO_MEMORY;
    }
    fill(costs, segment);
    *costs_p = costs;
    return PB_SUCCESS;
}

void pb_tree_costs_free(pb_tree_costs_t *costs)
{
    if (costs != NULL) {
        free(costs->transfer);
        free(costs->link_time);
        free(costs);
    }
}

int pb_tree_cost(const pb_tree_costs_t *costs, pb_tree_t *tree, int64_t *cost_p)
{
    int error = tree->n_nodes == costs->matrix->n_nodes
                    ? pb_tree_check(tree->parent, tree->n_nodes, tree->root)
                    : PB_ERR_INPUT;
    if (error != PB_SUCCESS) {
        return error;
    }
    pb_tree_state_t *state = pb_tree_state_new(costs);
    if (state == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    pb_tree_state_load(state, tree->parent, tree->root);
    pb_tree_state_store(state, tree);
    *cost_p = pb_tree_state_cost(state);
    pb_tree_state_free(state);
    return PB_SUCCESS;
}
