/*
 * Least times: what no plan of a kind is faster than, so that a plan need not be made where
 * something else is faster even than this.
 *
 * All follows from how many segments a rank sends for each of a stream (pb_kind_row_t.bound), and
 * from the number of hosts; where all hosts are behind leaf switches, from the number of these; and
 * by a closer look from how far hosts are from the root. Some rank sends as many as any does, which
 * is the least period; and as no rank sends more, the way to the last host is no shorter than in
 * the fullest tree. With more children the period is longer and the way shorter, so there is a
 * *way* for each number of children that the busiest rank may have, and the fastest of them is the
 * bound.
 *
 * Ours. The proofs are in least.c.
 */
#ifndef PB_LEAST_H
#define PB_LEAST_H

#include <stdint.h>

#include "topo/model/model.h"
#include "topo/model/predict.h"
#include "topo/network/placement.h"
#include "topo/trees/kinds.h"

/** Ways of a kind: of 1, 2, 3 children, and of more. */
#define PB_LEAST_MAX_WAYS 4

/** What is known of the hosts. */
typedef struct pb_least_hosts {
    int n_hosts;
    int most_senders;  /**< ranks of one host that may send to other hosts */
    int n_leaves;      /**< switches with ranks, where each has one link to others and all links are
                            alike; else 0 */
    int least_on_leaf; /**< hosts with ranks, on the leaf with the fewest; 1 if some have several */
    int64_t fast;      /**< of a segment over the fastest host's link, by PB_PROFILE_UNIT */
} pb_least_hosts_t;

/** The plans in which the busiest rank sends so much. */
typedef struct pb_least_way {
    int n_streams;
    int load;       /**< segments that the busiest rank sends for one of each stream, at least */
    int forwards;   /**< of them, those that a rank sends which receives as many */
    int of_root;    /**< ranks of other hosts to which the root sends a stream, at most */
    int children;   /**< the same of any other rank */
    int senders;    /**< ranks of a host that send so to others, at most */
    int64_t height; /**< hops to the last host, at least */
    int64_t leaves; /**< hops between leaves on the way to the last leaf, at least */
    int64_t inside; /**< hops inside that leaf after these, at least */
} pb_least_way_t;

/** So many hosts are so far from the root or farther: by `further` of pb_profile_path_t. */
typedef struct pb_least_far {
    int n_hosts;
    int64_t further;
} pb_least_far_t;

#define PB_LEAST_MAX_FAR 4

/** How far the hosts of a view are from its root. */
typedef struct pb_least_distances {
    int n; /**< 0: it was not looked */
    pb_least_far_t far[PB_LEAST_MAX_FAR];
} pb_least_distances_t;

typedef struct pb_least {
    pb_least_hosts_t hosts;
    pb_least_distances_t distances;
    int64_t deep_hops;    /**< some path has so many hops, or more; 0: nothing is known */
    int64_t deep_further; /**< and this, or more: by `further` of pb_profile_path_t */
    int n_ways;           /**< 0: nothing is known */
    pb_least_way_t ways[PB_LEAST_MAX_WAYS];
} pb_least_t;

/**
 * Of a placement with so many hosts, on which as many of a host's ranks may send. PB_ERR_NO_MEMORY.
 * O(nodes + ranks).
 */
int pb_least_hosts(const pb_placement_t *placement, int n_hosts, int most_senders,
                   pb_least_hosts_t *hosts);

/** What is known of plans of a kind with these options. O(hosts). */
pb_least_t pb_least_of(const pb_least_hosts_t *hosts, pb_kind_t kind,
                       const pb_plan_options_t *options);

/**
 * Of the estimate of the fallback component (pb_profile_fallback()), with one rank on each host: in
 * each phase of its binomial tree there is a hop between hosts, which takes as long as over an
 * empty link at least. O(1).
 */
pb_least_t pb_least_of_fallback(const pb_least_hosts_t *hosts);

/** How far hosts are in a view with one rank on each. PB_ERR_NO_MEMORY. O(V log V). */
int pb_least_look_far(const pb_view_t *view, pb_least_distances_t *distances);

/**
 * Adds what is known of the plans for one view with one rank on each host: how far hosts are, as
 * that was found, and what the kind itself knows of its plans without making one. PB_ERR_NO_MEMORY.
 */
int pb_least_look(pb_least_t *least, pb_kind_t kind, const pb_view_t *view,
                  const pb_least_distances_t *distances);

/**
 * No more than pb_predict() says of any such plan, for any costs; 0 where nothing is known. O(ways
 * * log rows).
 */
int64_t pb_least_predict(const pb_least_t *least, const pb_model_t *model,
                         const pb_segment_cost_t *cost, uint64_t bytes);

#endif
