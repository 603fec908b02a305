/*
 * The kinds of trees: one row for each.
 *
 * A kind is its construction, in a file or directory of its own, its row here and its test. All
 * that is said of a kind anywhere else (parameters, tools, the choice) follows from its row.
 */
#ifndef PB_KINDS_H
#define PB_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/view.h"

struct pb_plan;

/**
 * ROW(enumerator, construction, properties of pb_kind_row_t...). Listings have the same order, and
 * ranks agree on the numbers. Sources:
 *
 * - chain: Algorithm 1 (papers 1 and 2, section 4.1), as far from the root as it can end (ours):
 *   chain.c. O(ranks).
 * - binary: Algorithm 2 (papers 1 and 2, section 4): algorithm2.c.
 * - kary: Algorithm 2 extended to `fanout` children (paper 2, section 4.1.2): algorithm2.c.
 * - twotree: after the two-tree of Sanders, Speck and Traeff (2009), made for switch trees (ours).
 *   No rank sends more than two edges. No directed link carries more than two of both trees
 *   together, or 2c if it is c times as fast as the fastest host's uplink. Fast links never make
 *   the trees higher; they are used where that makes the trees lower or sooner: twotree/twotree.c.
 * - flat: the root sends to all others.
 * - binomial: contention-free in each phase.
 * - rank_chain, rank_binary: in rank order, without regard to the network, for comparison.
 * - multicast: switches copy the root's frames for all; its plan is the tree of repairs:
 *   multicast.c.
 */
#define PB_KINDS(ROW)                                                                              \
    ROW(CHAIN, pb_plan_chain, .name = "chain", .promises = true, .repeats = PB_REPEATS_WALK,       \
        .is_for_short = true, .auto_turn = 1)                                                      \
    ROW(BINARY, pb_plan_binary, .name = "binary", .promises = true, .auto_turn = 4)                \
    ROW(KARY, pb_plan_kary, .name = "kary", .promises = true, .takes_fanout = true,                \
        .is_for_short = true, .auto_turn = 5)                                                      \
    ROW(TWOTREE, pb_plan_twotree, .name = "twotree", .promises = true, .auto_turn = 6,             \
        .several_streams = true)                                                                   \
    ROW(FLAT, pb_plan_flat, .name = "flat", .reaches_all = true, .is_for_short = true,             \
        .auto_turn = 3)                                                                            \
    ROW(BINOMIAL, pb_plan_binomial, .name = "binomial", .repeats = PB_REPEATS_POWERS,              \
        .is_for_short = true, .auto_turn = 2)                                                      \
    ROW(RANK_CHAIN, pb_plan_rank_chain, .name = "rank_chain")                                      \
    ROW(RANK_BINARY, pb_plan_rank_binary, .name = "rank_binary")                                   \
    ROW(MULTICAST, pb_plan_multicast, .name = "multicast", .auto_turn = 7, .copies = true,         \
        .is_for_short = true)

#define PB_KIND_ENUMERATOR(enumerator, make, ...) PB_KIND_##enumerator,
typedef enum { PB_KINDS(PB_KIND_ENUMERATOR) PB_KIND_COUNT } pb_kind_t;
#undef PB_KIND_ENUMERATOR

/** The fanout by default: fastest for short messages of hosts that cost more than their links
 * (doc/design/candidates.md). */
#define PB_DEFAULT_FANOUT 8

/** Options of a plan next to its kind. */
typedef struct pb_plan_options {
    int fanout;               /**< children of a rank in a tree that takes it, at least 1 */
    bool leaders;             /**< one rank of each host between hosts, see topo/trees/leaders.h */
    bool repeats;             /**< few neighbors of a rank over all roots, in a kind that can */
    struct pb_tables *tables; /**< kept across roots (tables.h), borrowed; NULL: nothing is */
} pb_plan_options_t;

/**
 * A construction: makes the whole plan of any view, which the caller frees. Deterministic.
 * PB_ERR_NO_MEMORY. Options are never NULL.
 */
typedef int pb_plan_make_t(const pb_view_t *view, const pb_plan_options_t *options,
                           struct pb_plan **plan_p);

/** Neighbors of a rank in the plans of all roots, with pb_plan_options_t.repeats. */
typedef enum {
    PB_REPEATS_NOT,
    PB_REPEATS_WALK,   /**< the two next to it on the closed walk (topo/network/walk.h) */
    PB_REPEATS_POWERS, /**< those at distances 2^k on it, which include the two next to it */
} pb_repeats_t;

typedef struct pb_kind_row {
    pb_plan_make_t *make;
    const char *name; /**< as parameters and tools spell it */
    bool promises; /**< contention-free: each directed link has one sender, or the streams together
                            load it once (topo/check/check_load.h) */
    bool takes_fanout;    /**< its plan depends on the fanout */
    bool several_streams; /**< its plan may have more than one stream */
    bool reaches_all;     /**< the root sends to every other rank */
    bool is_for_short;    /**< may be fastest without pipelining */
    bool copies; /**< switches copy its frames, so that each link carries the message once for any
                      receivers; its plan is the tree of repairs */
    pb_repeats_t repeats; /**< whether its neighbors can */
    int auto_turn;        /**< from 1 on, the simpler ones first, which win ties; 0: never chosen */
} pb_kind_row_t;

#define PB_KIND_PROTOTYPE(enumerator, make, ...) pb_plan_make_t make;
PB_KINDS(PB_KIND_PROTOTYPE)
#undef PB_KIND_PROTOTYPE

/** The row of a kind; NULL for no kind. */
const pb_kind_row_t *pb_kind_row(pb_kind_t kind);

/** The name of a kind; NULL for no kind. */
const char *pb_kind_name(pb_kind_t kind);

/** The kind of this name, or PB_ERR_UNKNOWN. */
int pb_kind_find(const char *name);

/** Writes the kinds that may be chosen, without those whose bits `excluded` has, in the order of
 * their turns; returns how many they are. */
int pb_kinds_by_turn(uint32_t excluded, pb_kind_t kinds[PB_KIND_COUNT]);

/** Most neighbors of a rank in the plans of all roots among n_ranks, with
 * pb_plan_options_t.repeats; n_ranks - 1 for a kind that does not repeat. */
int pb_kind_neighbours(pb_kind_t kind, int n_ranks);

/** Tells whether plans of the kind may be by leaders (topo/trees/leaders.h). */
bool pb_kind_has_leaders(pb_kind_t kind);

/**
 * Computes the plan of a kind on a view. `options` may be NULL for the defaults
 * (PB_DEFAULT_FANOUT). The plan is by leaders where they are wanted and apply. The caller frees the
 * plan. PB_ERR_NO_MEMORY; PB_ERR_UNFIT: there is no such kind.
 */
int pb_plan_compute(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                    struct pb_plan **plan_p);

#endif
