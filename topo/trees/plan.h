/*
 * A plan: who sends what to whom in a broadcast.
 *
 * The message is cut into segments 0, 1, 2, ...; segment s travels in stream
 * s mod n_streams. Each stream is a tree over all ranks with the same root. A
 * chain, binary or k-ary tree is one stream; two trees are two streams.
 *
 * Children of a rank are kept in the order in which it sends to them.
 */
#ifndef PB_PLAN_H
#define PB_PLAN_H

#include "topo/trees/kinds.h"

/** Streams that a plan may have. */
#define PB_PLAN_MAX_STREAMS 2

typedef struct pb_stream {
    int *parent;      /**< by rank; -1 for the root and for ranks outside the plan */
    int *first_child; /**< by rank, n_ranks + 1 entries: children are child[first_child[r]] .. */
    int *child;       /**< n_members - 1 ranks */
    int height;       /**< edges from the root to the deepest rank */
} pb_stream_t;

typedef struct pb_plan {
    pb_kind_t kind;
    int n_ranks;   /**< of the communicator */
    int n_members; /**< ranks that take part; the others have no parent and no child */
    int root;
    int n_streams;
    int *leader; /**< by rank: of its host, -1 for ranks outside the plan, where the plan is by
                      leaders (topo/trees/leaders.h); else NULL */
    pb_stream_t streams[PB_PLAN_MAX_STREAMS];
} pb_plan_t;

/**
 * An empty plan for a view: memory for `n_streams` streams, no edges, parents
 * -1. Constructions fill streams[].parent and then child orders, either by
 * pb_plan_link_children() or by themselves.
 */
pb_plan_t *pb_plan_new(const pb_view_t *view, pb_kind_t kind, int n_streams);
void pb_plan_free(pb_plan_t *plan);

/** Hands out the plan that a construction has made; after an error it is freed (NULL: there is
 * none). Returns the error. */
int pb_plan_end(pb_plan_t *plan, int rc, pb_plan_t **plan_p);

/**
 * Fills first_child, child and height of a stream whose parents are set.
 * Children of one parent are ordered by `rank_order` (indexed by rank, lower first;
 * NULL: by position in the view). O(ranks), with an order O(ranks log ranks).
 * PB_ERR_NO_MEMORY.
 */
int pb_plan_link_children(pb_plan_t *plan, int stream, const pb_view_t *view,
                          const int *rank_order);

/** The most neighbors that any rank has: distinct ranks that are its parents or children in any
 * stream. Needs no memory. O(ranks). */
int pb_plan_most_neighbours(const pb_plan_t *plan);

#endif
