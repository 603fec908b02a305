/*
 * The checker: judges any plan against the rule, independently of how the plan
 * was made. It walks the physical path of every edge in the network itself and
 * shares no code with views or constructions.
 *
 * A stream carries 1/n_streams of the message. The load of a directed link is the number of edges
 * over it, in all streams, divided by n_streams. A link of load 1 carries the message once. Loads
 * are kept as edge counts, so that they are exact.
 */
#ifndef PB_CHECK_H
#define PB_CHECK_H

#include <stdint.h>

#include "topo/network/placement.h"
#include "topo/trees/plan.h"
#include "topo/util/diag.h"

typedef struct pb_link_load {
    int edges;   /**< edges of all streams over the link */
    int senders; /**< distinct ranks that send over it */
} pb_link_load_t;

typedef struct pb_check {
    int n_links;           /**< 2 * pb_network_size() */
    pb_link_load_t *links; /**< by directed link, see topo/network/network.h */
    int *sends;            /**< by rank: edges out, all streams */
    int max_edges;         /**< over all links between nodes */
    int max_sends;         /**< over all ranks */
    int height;            /**< of the highest stream, recomputed */
} pb_check_t;

/**
 * Walks the plan. `members` flags the ranks that must be reached (NULL: all). Every stream must
 * reach each of them exactly once from the root, without cycles; parents, children and heights must
 * agree. Each violation is an error in `diag` and PB_ERR_INPUT is returned. PB_ERR_NO_MEMORY. The
 * counters are filled in all other cases; free them with pb_check_clear(). O(edges * path length).
 */
int pb_check_plan(const pb_placement_t *placement, const pb_plan_t *plan, const char *members,
                  pb_check_t *check, pb_diag_t *diag);
void pb_check_clear(pb_check_t *check);

#endif
