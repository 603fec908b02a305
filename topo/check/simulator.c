/* Parts of a simulation: the paths of all edges, the speeds of all links, and the result. */
#include "topo/check/simulator.h"

#include <stdlib.h>
#include <string.h>

#include "topo/check/simulate_internal.h"

void pb_simulation_clear(pb_simulation_t *simulation)
{
    free(simulation->rank_done);
    free(simulation->link_busy);
    memset(simulation, 0, sizeof(*simulation));
}

static int prepare_result(const pb_placement_t *placement, pb_simulation_t *result)
{
    memset(result, 0, sizeof(*result));
    result->n_ranks = placement->n_ranks;
    result->n_links = 2 * pb_network_size(placement->network);
    result->rank_done = calloc((size_t) result->n_ranks + 1, sizeof(*result->rank_done));
    result->link_busy = calloc((size_t) result->n_links + 1, sizeof(*result->link_busy));
    return result->rank_done != NULL && result->link_busy != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

/** Ticks of one segment over every directed link, rounded up. */
static int prepare_speeds(pb_sim_t *sim, const pb_network_t *network)
{
    const uint64_t base = pb_network_base_speed(network);
    sim->link_ticks = calloc((size_t) sim->result->n_links + 1, sizeof(*sim->link_ticks));
    if (sim->link_ticks == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int link = 0; link < sim->result->n_links; link++) {
        const uint32_t speed = pb_network_node(network, pb_link_node(link))->speed;
        if (speed > 0) {
            sim->link_ticks[link] = (int64_t) ((base * PB_SIMULATE_UNIT + speed - 1) / speed);
        }
    }
    return PB_SUCCESS;
}

/** The paths of all edges: first their lengths, then the links. */
static int prepare_paths(pb_sim_t *sim, const pb_placement_t *placement)
{
    const pb_network_t *network = placement->network;
    int *path = malloc(((size_t) pb_network_max_path(network) + 1) * sizeof(*path));
    size_t capacity = 4 * (size_t) sim->n_edges + 64;
    sim->first_link = calloc((size_t) sim->n_edges + 1, sizeof(*sim->first_link));
    sim->link = malloc(capacity * sizeof(*sim->link));
    int rc = path != NULL && sim->first_link != NULL && sim->link != NULL ? PB_SUCCESS
                                                                          : PB_ERR_NO_MEMORY;
    for (int edge = 0; edge < sim->n_edges && rc == PB_SUCCESS; edge++) {
        const int parent = pb_sim_parent(sim, edge);
        int length = 0;
        if (parent >= 0) {
            length = pb_placement_path(placement, parent, pb_sim_child(sim, edge), path);
        }
        const size_t end = (size_t) sim->first_link[edge] + (size_t) length;
        if (end > capacity) {
            capacity = 2 * end;
            int *grown = realloc(sim->link, capacity * sizeof(*grown));
            if (grown == NULL) {
                rc = PB_ERR_NO_MEMORY;
                break;
            }
            sim->link = grown;
        }
        memcpy(sim->link + sim->first_link[edge], path, (size_t) length * sizeof(*path));
        sim->first_link[edge + 1] = (int) end;
    }
    free(path);
    return rc;
}

void pb_sim_delivered(pb_sim_t *sim, int edge, int64_t time)
{
    pb_simulation_t *result = sim->result;
    result->n_transfers++;
    result->rank_done[pb_sim_child(sim, edge)] = time;
    if (result->completion < time) {
        result->completion = time;
    }
}

int pb_simulate(const pb_placement_t *placement, const pb_plan_t *plan,
                const pb_simulate_options_t *options, pb_simulation_t *simulation)
{
    int rc = prepare_result(placement, simulation);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    if (options->n_segments < 1 || options->n_segments > PB_SIMULATE_MAX_SEGMENTS ||
        options->memory_ticks < 0) {
        return PB_ERR_INPUT;
    }
    pb_sim_t sim = {.plan = plan,
                    .options = options,
                    .result = simulation,
                    .n_edges = plan->n_streams * plan->n_ranks,
                    .memory_ticks =
                        options->memory_ticks > 0 ? options->memory_ticks : PB_SIMULATE_UNIT};
    rc = prepare_speeds(&sim, placement->network);
    if (rc == PB_SUCCESS) {
        rc = prepare_paths(&sim, placement);
    }
    if (rc == PB_SUCCESS) {
        const pb_kind_row_t *row = pb_kind_row(plan->kind);
        rc = row != NULL && row->copies ? pb_sim_run_copies(&sim, placement)
                                        : pb_sim_run_links(&sim);
    }
    const int64_t expected = (int64_t) options->n_segments * (plan->n_members - 1);
    if (rc == PB_SUCCESS && simulation->n_transfers != expected) {
        rc = PB_ERR_INPUT;
    }
    pb_heap_clear(&sim.heap);
    free(sim.link_ticks);
    free(sim.first_link);
    free(sim.link);
    return rc;
}
