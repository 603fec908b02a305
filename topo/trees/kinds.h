/*
 * The kinds of trees: one row for each.
 *
 * A kind is its construction, in a file or directory of its own, its row here and its test. All
 * that is said of a kind anywhere else (parameters, tools, the choice) follows from its row.
 */
#ifndef PB_KINDS_H
#define PB_KINDS_H

#include <stdbool.h>

#include "topo/network/view.h"

struct pb_plan;

/**
 * ROW(enumerator, construction, properties of pb_kind_row_t...). The order is that of listings, and
 * the numbers are what ranks agree on: a new kind goes to the end. Sources:
 *
 * - chain: Algorithm 1 (papers 1 and 2, section 4.1). It ends as far from the root as it can, and
 * of several such ends the root's host picks one (ours): chain.c. O(ranks).
 * - binary_paper: Algorithm 2 as printed (papers 1 and 2, section 4).
 * - binary: the slot method (ours), never higher than Algorithm 2's tree: slot/slot.c.
 * - kary: Algorithm 2 extended to `fanout` children (paper 2, section 4.1.2).
 * - twotree: after the two-tree of Sanders, Speck and Traeff (2009), made for switch trees (ours):
 *   no rank sends more than two edges, and no directed link carries more than two of both trees
 *   together, or 2c if it is c times as fast as the fastest host's uplink. Fast links never make
 *   the trees higher; they are used where that makes the trees lower or sooner: twotree/twotree.c.
 * - circulant: Traeff's circulant schedule (arXiv 2407.18004), for views of one vertex.
 *   O(P log^2 P) and more in the search.
 * - flat: the root sends to all others.
 * - binomial: contention-free in each phase where it can be.
 * - rank_chain, rank_binary: in order of rank, without regard to the network, for comparison.
 * - multicast: switches copy the root's frames for all; its plan is the tree of repairs:
 *   multicast.c.
 * - fourtree: four trees of half the height of two (ours): no rank sends more than four edges, and
 *   no directed link carries more than four of all trees together: fourtree.c. Chosen only where
 *   each host has one rank: with several, its predictions without leaders (leaders.h) count on a
 *   processor for each of them.
 */
#define PB_KINDS(ROW)                                                                              \
    ROW(CHAIN, pb_plan_chain, .name = "chain", .promises = true, .serves_all = true,               \
        .repeats = PB_REPEATS_WALK, .auto_turn = 1, .bound = PB_BOUND_ROOT)                        \
    ROW(BINARY_PAPER, pb_plan_binary_paper, .name = "binary_paper", .promises = true,              \
        .serves_all = true)                                                                        \
    ROW(BINARY, pb_plan_slot, .name = "binary", .promises = true, .serves_all = true,              \
        .auto_turn = 4, .bound = PB_BOUND_ONE_STREAM)                                              \
    ROW(KARY, pb_plan_kary, .name = "kary", .promises = true, .serves_all = true,                  \
        .takes_fanout = true, .auto_turn = 5, .bound = PB_BOUND_ONE_STREAM,                        \
        .is_higher = pb_kary_is_higher)                                                            \
    ROW(TWOTREE, pb_plan_twotree, .name = "twotree", .promises = true, .serves_all = true,         \
        .auto_turn = 6, .several_streams = true, .bound = PB_BOUND_TWO_STREAMS)                    \
    ROW(CIRCULANT, pb_plan_circulant, .name = "circulant", .promises = true, .auto_turn = 8,       \
        .several_streams = true, .unsure = true)                                                   \
    ROW(FLAT, pb_plan_flat, .name = "flat", .serves_all = true, .reaches_all = true,               \
        .auto_turn = 3, .bound = PB_BOUND_ROOT)                                                    \
    ROW(BINOMIAL, pb_plan_binomial, .name = "binomial", .serves_all = true,                        \
        .repeats = PB_REPEATS_POWERS, .auto_turn = 2, .bound = PB_BOUND_PHASES)                    \
    ROW(RANK_CHAIN, pb_plan_rank_chain, .name = "rank_chain", .serves_all = true)                  \
    ROW(RANK_BINARY, pb_plan_rank_binary, .name = "rank_binary", .serves_all = true)               \
    ROW(MULTICAST, pb_plan_multicast, .name = "multicast", .serves_all = true, .auto_turn = 9,     \
        .copies = true)                                                                            \
    ROW(FOURTREE, pb_plan_fourtree, .name = "fourtree", .promises = true, .serves_all = true,      \
        .auto_turn = 7, .several_streams = true, .one_each = true, .bound = PB_BOUND_FOUR_STREAMS, \
        .look_deep = pb_fourtree_look_deep)

#define PB_KIND_ENUMERATOR(enumerator, make, ...) PB_KIND_##enumerator,
typedef enum { PB_KINDS(PB_KIND_ENUMERATOR) PB_KIND_COUNT } pb_kind_t;
#undef PB_KIND_ENUMERATOR

/** What can be set beside the kind. */
typedef struct pb_plan_options {
    int fanout;               /**< children of a rank in a tree that takes it, at least 1 */
    bool leaders;             /**< one rank of each host between hosts, see topo/trees/leaders.h */
    bool repeats;             /**< few neighbours of a rank over all roots, in a kind that can */
    struct pb_tables *tables; /**< kept across roots (tables.h), borrowed; NULL: nothing is */
} pb_plan_options_t;

/**
 * A construction: makes the whole plan of a view, which the caller frees. Deterministic.
 * PB_ERR_NO_MEMORY; PB_ERR_UNFIT where it cannot serve the view, or with a fanout that it takes and
 * that is less than 1. Options are never NULL.
 */
typedef int pb_plan_make_t(const pb_view_t *view, const pb_plan_options_t *options,
                           struct pb_plan **plan_p);

/**
 * Sets *is_higher_p to whether all plans of a kind in which ranks have at most `children` (2 or
 * more) children are higher than `height`; in less time than it takes to make one.
 * PB_ERR_NO_MEMORY.
 */
typedef int pb_is_higher_t(const pb_view_t *view, int children, int height, bool *is_higher_p);

/**
 * Finds a vertex that has to be reached by many hops in the first stream of the kind's plan for a
 * view with one rank on each host: some rank in its subtree is so many hops from the root, or more.
 * In less time than it takes to make the plan. PB_ERR_NO_MEMORY.
 */
typedef int pb_look_deep_t(const pb_view_t *view, int *vertex_p, int *hops_p);

/** What is known of a kind's plans without making them: least times follow (topo/model/least.h). */
typedef enum {
    PB_BOUND_NONE,
    PB_BOUND_ONE_STREAM, /**< one stream, which each rank sends to two others at most, or to as many
                              as its fanout, and one rank over each directed link */
    PB_BOUND_ROOT,   /**< with one rank on each host: one stream, which the root sends to all others
                          where it reaches all, and else each rank to one: a chain */
    PB_BOUND_PHASES, /**< with one rank on each host: one stream, in which a rank receives in one of
                          ceil(log2 P) phases, and sends to one rank at most in each of those behind
                          it */
    PB_BOUND_TWO_STREAMS,  /**< two streams, of which each rank sends two segments in all */
    PB_BOUND_FOUR_STREAMS, /**< with one rank on each host: likewise, four */
} pb_bound_t;

/** The neighbours of a rank in the plans of all roots, with pb_plan_options_t.repeats. */
typedef enum {
    PB_REPEATS_NOT,
    PB_REPEATS_WALK,   /**< the two beside it on the closed walk (topo/network/walk.h) */
    PB_REPEATS_POWERS, /**< those at distances 2^k on it, the two beside it among them */
} pb_repeats_t;

typedef struct pb_kind_row {
    pb_plan_make_t *make;
    const char *name; /**< as parameters and tools spell it */
    bool promises; /**< contention-free: each directed link has one sender, or the streams together
                            load it once (topo/check/check_load.h) */
    bool serves_all;      /**< fits every view, with a fanout of at least 1 if it takes one */
    bool takes_fanout;    /**< its plan depends on the fanout */
    bool several_streams; /**< its plan may have more than one stream */
    bool reaches_all;     /**< the root sends to every other rank */
    bool copies; /**< switches copy its frames, so that each link carries the message once, whoever
                      the receivers are; its plan is that of repairs */
    pb_repeats_t repeats; /**< whether its neighbours can */
    int auto_turn;        /**< from 1 on, the simpler ones first, which win ties; 0: never chosen */
    bool one_each;        /**< chosen only where no host has several ranks */
    bool unsure;          /**< takes longer than predicted more often: see PB_CHOOSE_UNSURE */
    pb_bound_t bound;     /**< for what takes long to make */
    pb_is_higher_t *is_higher; /**< NULL: that cannot be known without making a plan */
    pb_look_deep_t *look_deep; /**< likewise */
} pb_kind_row_t;

pb_is_higher_t pb_kary_is_higher;
pb_look_deep_t pb_fourtree_look_deep;

#define PB_KIND_PROTOTYPE(enumerator, make, ...) pb_plan_make_t make;
PB_KINDS(PB_KIND_PROTOTYPE)
#undef PB_KIND_PROTOTYPE

/** The row of a kind; NULL for no kind. */
const pb_kind_row_t *pb_kind_row(pb_kind_t kind);

/** The name of a kind; NULL for no kind. */
const char *pb_kind_name(pb_kind_t kind);

/** The kind of this name, or PB_ERR_UNKNOWN. */
int pb_kind_find(const char *name);

/** Writes the kinds that may be chosen in the order of their turns; returns how many they are. */
int pb_kinds_by_turn(pb_kind_t kinds[PB_KIND_COUNT]);

/**
 * How many neighbours a rank has at most in the plans of all roots among n_ranks, with
 * pb_plan_options_t.repeats; all others, where they do not repeat.
 */
int pb_kind_neighbours(pb_kind_t kind, int n_ranks);

/** Whether plans of the kind are by leaders (topo/trees/leaders.h) where that is wanted. */
bool pb_kind_has_leaders(pb_kind_t kind);

/** Whether the kind fits every view with these options. */
bool pb_kind_always_fits(pb_kind_t kind, const pb_plan_options_t *options);

/**
 * Computes the plan of a kind on a view. `options` may be NULL for the defaults
 * (fanout 3). The plan is by leaders where they are wanted and apply. The caller frees the plan.
 * PB_ERR_NO_MEMORY, PB_ERR_UNFIT where the kind cannot serve the view.
 */
int pb_plan_compute(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                    struct pb_plan **plan_p);

#endif
