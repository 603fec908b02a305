/*
 * Internals that the files of simulator.h share.
 *
 * An edge of the simulation is the edge into a rank in one stream. Its number is stream * n_ranks +
 * rank: numbers of roots and outsiders are unused.
 */
#ifndef PB_SIMULATE_INTERNAL_H
#define PB_SIMULATE_INTERNAL_H

#include "topo/check/simulator.h"
#include "topo/util/heap.h"

/*
 * Events are of the heap's kind: `major` is the segment, `id` the edge, `note` the number of links
 * of the path already passed.
 */

/** The static side of a simulation: edges and the links they use. */
typedef struct pb_sim {
    const pb_plan_t *plan;
    const pb_simulate_options_t *options;
    pb_simulation_t *result; /**< filled by the run */
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

/** Notes that the child of `edge` has one more segment, at `time`. */
void pb_sim_delivered(pb_sim_t *sim, int edge, int64_t time);

int pb_sim_run_links(pb_sim_t *sim);
int pb_sim_run_copies(pb_sim_t *sim, const pb_placement_t *placement);

#endif
