/*
 * A plan: who sends what to whom in a broadcast.
 *
 * The message is cut into segments 0, 1, 2, ...; segment s travels in stream
 * s mod n_streams. Each stream is a tree over all ranks with the same root. A
 * chain, binary or k-ary tree is one stream; a two-tree is two; a circulant
 * schedule on P ranks is ceil(log2 P).
 *
 * Children of a rank are kept in the order in which it sends to them.
 */
#ifndef PB_PLAN_H
#define PB_PLAN_H

#include <stdint.h>

#include "topo/network/view.h"

/** Streams that a plan may have. */
#define PB_PLAN_MAX_STREAMS 32

typedef enum {
    PB_KIND_CHAIN,        /**< "chain": Algorithm 1 */
    PB_KIND_BINARY_PAPER, /**< "binary_paper": Algorithm 2 as printed */
    PB_KIND_BINARY,       /**< "binary": the slot method */
    PB_KIND_KARY,         /**< "kary": Algorithm 2 extended to `fanout` children */
    PB_KIND_TWOTREE,      /**< "twotree": two trees, every other segment each */
    PB_KIND_CIRCULANT,    /**< "circulant": round-optimal, on one switch */
    PB_KIND_FLAT,         /**< "flat": the root sends to everyone */
    PB_KIND_BINOMIAL,     /**< "binomial": contention-free in each phase where it can be */
    PB_KIND_RANK_CHAIN,   /**< "rank_chain": by rank, topology-unaware, for comparison */
    PB_KIND_RANK_BINARY,  /**< "rank_binary": complete, by rank, for comparison */
    PB_KIND_COUNT,
} pb_kind_t;

/** What a person can set beside the kind. */
typedef struct pb_plan_options {
    int fanout; /**< children of a rank in a "kary" tree, at least 1 */
} pb_plan_options_t;

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
    pb_stream_t streams[PB_PLAN_MAX_STREAMS];
} pb_plan_t;

/** The name of a kind as parameters and tools spell it; NULL for no kind. */
const char *pb_kind_name(pb_kind_t kind);

/** The kind of this name, or PB_ERR_UNKNOWN. */
int pb_kind_find(const char *name);

/**
 * Computes the plan of a kind on a view. `options` may be NULL for the defaults
 * (fanout 3). The caller frees the plan. PB_ERR_NO_MEMORY, PB_ERR_UNFIT where
 * the kind cannot serve the view.
 */
int pb_plan_compute(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                    pb_plan_t **plan_p);

/**
 * An empty plan for a view: memory for `n_streams` streams, no edges, parents
 * -1. Constructions fill streams[].parent and then child orders, either by
 * pb_plan_link_children() or by themselves.
 */
pb_plan_t *pb_plan_new(const pb_view_t *view, pb_kind_t kind, int n_streams);
void pb_plan_free(pb_plan_t *plan);

/**
 * Fills first_child, child and height of a stream whose parents are set.
 * Children of one parent are ordered by `rank_order` (by rank, lower first;
 * NULL: by position in the view). O(ranks), with an order O(ranks log ranks).
 * PB_ERR_NO_MEMORY.
 */
int pb_plan_link_children(pb_plan_t *plan, int stream, const pb_view_t *view,
                          const int *rank_order);

/** Algorithm 1 (papers 1 and 2, section 4.1): the contention-free chain. O(ranks). */
int pb_plan_chain(const pb_view_t *view, pb_plan_t **plan_p);

#endif
