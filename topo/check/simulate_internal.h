/*
 * What the models of simulator.h share. Not for others.
 *
 * An edge of the simulation is the edge into a rank in one stream; its number
 * is stream * n_ranks + rank, so that numbers of roots and outsiders are unused.
 */
#ifndef PB_SIMULATE_INTERNAL_H
#define PB_SIMULATE_INTERNAL_H

#include "topo/check/simulator.h"
#include "topo/util/heap.h"

/*
 * Events are of the heap's kind: `major` is the segment, `minor` the order among equal segments,
 * `id` the edge. `note` is, in the links model, the number of links of the path already passed, in
 * the slot model the resource that offered itself.
 */

/** The static side of a simulation: edges and the links they use. */
typedef struct pb_sim {
    const pb_plan_t *plan;
    const pb_simulate_options_t *options;
    pb_simulation_t *result; /**< filled by the model */
    int n_edges;             /**< edge numbers: n_streams * n_ranks */
    int *first_link;      /**< by edge, n_edges + 1 entries: its links are link[first_link[e]] .. */
    int *link;            /**< directed links of all paths, in order of travel */
    int64_t *link_ticks;  /**< by directed link: ticks of one segment */
    int64_t memory_ticks; /**< between ranks of one host */
    pb_heap_t heap;
} pb_sim_t;

static inline int pb_sim_stream(const pb_sim_t *sim, int edge)
{
    return edge / sim->plan->n_ranks;
}

static inline int pb_sim_child(const pb_sim_t *sim, int edge)
{
    return edge % sim->plan->n_ranks;
}

static inline int pb_sim_parent(const pb_sim_t *sim, int edge)
{
    return sim->plan->streams[pb_sim_stream(sim, edge)].parent[pb_sim_child(sim, edge)];
}

/** Segments that a stream carries in all. */
static inline int pb_sim_stream_segments(const pb_sim_t *sim, int stream)
{
    const int n_streams = sim->plan->n_streams;
    return (sim->options->n_segments - stream + n_streams - 1) / n_streams;
}

/** What a segment costs in the wire model. */
static inline const pb_simulate_cost_t *pb_sim_cost(const pb_sim_t *sim, int segment)
{
    const bool is_last = segment == sim->options->n_segments - 1;
    return is_last ? &sim->options->rest : &sim->options->cost;
}

/** Wire model: the time on a link of what takes `time` on one of the lowest speed. */
static inline int64_t pb_sim_scaled(const pb_sim_t *sim, int link, int64_t time)
{
    return time * sim->link_ticks[link] / sim->options->cost.link;
}

/** Wire model: of a directed link, in ns. */
static inline int64_t pb_sim_latency(const pb_sim_t *sim, int link)
{
    return sim->options->links != NULL ? sim->options->links[link].latency : 0;
}

/** Notes that the child of `edge` has one more segment, at `time`. */
void pb_sim_delivered(pb_sim_t *sim, int edge, int64_t time);

int pb_sim_run_slot(pb_sim_t *sim);
int pb_sim_run_links(pb_sim_t *sim);
int pb_sim_run_wire(pb_sim_t *sim);
int pb_sim_run_copies(pb_sim_t *sim, const pb_placement_t *placement);

#endif
