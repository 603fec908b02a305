#include "segment.h"

/** Segment sizes to choose from: whole TCP segments less Open MPI's header, doubled. */
static const uint32_t segment_sizes[] = {1426,  2874,  5770,   11562,  23146,
                                         46314, 92650, 185322, 370666, 741354};

int advise_least_cost(const pb_tree_costs_t *costs, pb_tree_t *const *trees, int n, int64_t *cost_p)
{
    int error = PB_SUCCESS;
    *cost_p = INT64_MAX;
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        int64_t cost;
        error = pb_tree_cost(costs, trees[i], &cost);
        *cost_p = error == PB_SUCCESS && cost < *cost_p ? cost : *cost_p;
    }
    return error;
}

int advise_segment_choose(const struct advise_network *network, uint64_t bytes, uint32_t segment,
                          advise_cost_together_t *cost_together, const struct advise_known *known,
                          int n, uint32_t *segment_p, int64_t *cost_p)
{
    const size_t n_sizes = segment > 0 ? 1 : sizeof segment_sizes / sizeof segment_sizes[0];
    const uint32_t *sizes = segment > 0 ? &segment : segment_sizes;
    int error = PB_SUCCESS;
    *cost_p = INT64_MAX;
    for (size_t i = 0; i < n_sizes && error == PB_SUCCESS && (i == 0 || sizes[i] < bytes); i++) {
        pb_tree_costs_t *costs;
        int64_t cost;
        error = pb_tree_costs_new(network->matrix, network->share, bytes, sizes[i], &costs);
        if (error == PB_SUCCESS) {
            error = cost_together(costs, known->trees, n, &cost);
            pb_tree_costs_free(costs);
        }
        if (error == PB_SUCCESS && cost < *cost_p) {
            *cost_p = cost;
            *segment_p = sizes[i];
        }
    }
    return error;
}
