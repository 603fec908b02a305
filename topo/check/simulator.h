/*
 * Simulation of a plan: one-ported, store-and-forward, event-driven.
 *
 * Every rank sends one segment at a time and receives one at a time, and forwards a segment when it
 * has all of it. Time is counted in ticks. PB_SIMULATE_UNIT ticks are one segment time, in which a
 * link of the network's lowest speed passes one segment. So speeds of up to 16 times the lowest
 * divide exactly. All segments are of one size.
 *
 * The network is as switches make it. Each directed link passes one segment after the other, in the
 * order in which they came, oldest first. A segment takes one segment time of the link's speed. A
 * path of n links takes n segment times; other segments may use its links meanwhile. A rank sends
 * what arrived first first, to its children in order; its port is free again when the segment has
 * left the first link.
 *
 * Of a kind whose frames switches copy (pb_kind_row_t.copies), a segment is a frame. Each link of
 * the tree from the root to the hosts passes it once. Inside hosts it goes along the plan's tree.
 * Nothing is lost.
 */
#ifndef PB_SIMULATE_H
#define PB_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/placement.h"
#include "topo/trees/plan.h"

/** Ticks of one segment over a link of the lowest speed: a multiple of 1..16. */
#define PB_SIMULATE_UNIT INT64_C(720720)

/** Segments that one simulation may have. */
#define PB_SIMULATE_MAX_SEGMENTS (1 << 24)

typedef struct pb_simulate_options {
    int n_segments;       /**< of the message, at least 1 */
    int64_t memory_ticks; /**< one segment between two ranks of one host; 0: one unit */
} pb_simulate_options_t;

typedef struct pb_simulation {
    int64_t completion; /**< ticks until the last rank has the last segment */
    int n_ranks;
    int64_t *rank_done;  /**< by rank: when it had every segment; 0 for the root and outsiders */
    int n_links;         /**< 2 * pb_network_size() */
    int64_t *link_busy;  /**< by directed link: ticks in which it carried segments */
    int64_t max_wait;    /**< longest time that a segment waited at a link */
    int64_t n_transfers; /**< segments delivered to ranks */
} pb_simulation_t;

/**
 * Runs the plan. The caller clears the result with pb_simulation_clear(), also
 * after an error. PB_ERR_INPUT (n_segments out of range, or a stream that does
 * not reach a member: check the plan first), PB_ERR_NO_MEMORY.
 *
 * O(segments * edges * path * log(edges)) time, O(edges * path + ranks * segments) memory.
 */
int pb_simulate(const pb_placement_t *placement, const pb_plan_t *plan,
                const pb_simulate_options_t *options, pb_simulation_t *simulation);
void pb_simulation_clear(pb_simulation_t *simulation);

/** Ticks as segment times. */
static inline double pb_simulate_units(int64_t ticks)
{
    return (double) ticks / (double) PB_SIMULATE_UNIT;
}

#endif
