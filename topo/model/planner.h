/*
 * The planner of a communicator: how each of its broadcasts is done.
 *
 * Root and bytes in; out come the fallback component, or the kind of tree, the segment size and
 * this rank's role. Choosing and building the role are one call, and no one else does either:
 *
 * - Of a broadcast to all ranks: pb_planner_plan(). The choice (topo/model/choose.h) depends on
 *   what the ranks have agreed on alone, so that all of them plan alike. The plan of the chosen
 *   kind, which the choice often has computed, becomes this rank's role and is dropped.
 *   With a bound on connections, the kinds that may be chosen are further restricted to what the
 *   ledger (topo/model/ledger.h) has or admits, or else to those whose neighbours repeat: a forced
 *   kind yields to these, too. That depends on the sequence of broadcasts that were planned, so all
 *   ranks plan new ones in the same order. What was planned may be planned again at any time.
 * - Of a group of ranks, in an arrival-aware broadcast: its root asks pb_planner_plan_group(), and
 *   the members, to whom the root has announced the kind, ask pb_planner_role(). Groups are not
 *   charged: they are for communicators without a bound on connections.
 *
 * The planner owns what it keeps for later broadcasts: choices by root and size class, profiles
 * of the last roots, roles by kind and root, and tables that make plans for further roots cheaper
 * (topo/trees/tables.h), all together within a bound on memory. Where
 * memory runs out, it gives all of that back and tries once more, so that one failing allocation
 * does not keep a rank from planning what the others plan.
 *
 * With pb_planner_reserve_learning(), what was learnt (topo/model/learning.h) counts more than the
 * choice, in broadcasts that are planned by pb_planner_plan_learnt(): alike on all ranks if they
 * plan all these, and note what was measured, in the same order.
 *
 * Multicast is a candidate, and is planned where it alone may be, only while
 * pb_planner_allow_multicast() says so. Of a broadcast that is planned so, the role is in the tree
 * of repairs, and the segment is a frame. Groups have trees in any case.
 *
 * Short broadcasts need not be planned at all: pb_planner_considers().
 *
 * A role that is computed without the whole plan would replace make_role() in planner.c.
 *
 * Ours. Not thread-safe: a communicator's planner is used under the communicator's lock.
 */
#ifndef PB_PLANNER_H
#define PB_PLANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/model/choose.h"
#include "topo/model/learning.h"
#include "topo/trees/role.h"

typedef struct pb_planner pb_planner_t;

typedef struct pb_planner_options {
    int rank; /**< whose roles are computed */
    pb_choose_options_t choose;
    size_t memory;   /**< bytes that may be kept; the role that was used last is kept in any case */
    size_t min_size; /**< bytes; shorter ones are not considered; 0: see topo/model/threshold.h */
    bool learns_nothing; /**< even if it could: see pb_planner_reserve_learning() */
    int connections; /**< neighbours that any rank may have in all, at least 2; 0: no bound, else
                          pb_planner_reserve() was called */
} pb_planner_options_t;

/** How a broadcast is done. */
typedef struct pb_planned {
    bool is_known;         /**< what follows is, but for the role; else nothing is */
    bool fallback;         /**< by the fallback component; then there is no role, but where it is
                                watched: that is in the tree along which its fold travels */
    bool is_trial;         /**< it is tried whether this is faster than what is in force */
    bool is_new_class;     /**< no broadcast of this size class was planned before */
    bool was_cached;       /**< the role was kept from an earlier broadcast */
    bool begins_to_repeat; /**< it is the first one that the bound on connections restricts */
    pb_kind_t kind;        /**< of tree; where it does not fit, the one that was forced */
    size_t segment_size;   /**< bytes, at least 1, at most those of the message */
    size_t piece_size;     /**< likewise of the pieces inside hosts, where the plan is by leaders
                                (topo/trees/leaders.h); 0: segments go everywhere */
    const pb_role_t *role; /**< of this rank, of multicast in its tree of repairs; borrowed until
                                the planner is asked again */
} pb_planned_t;

/** Some ranks of an arrival-aware broadcast. */
typedef struct pb_planner_group {
    const int *ranks;   /**< the members, the root among them; NULL: all ranks of the placement */
    int n_ranks;        /**< if not all */
    double message_ns;  /**< nanoseconds that the message takes from one rank to another */
    size_t max_segment; /**< bytes */
} pb_planner_group_t;

/** What was chosen for a broadcast, over what, with predicted nanoseconds for its very size. */
typedef struct pb_planner_report {
    pb_candidate_t best, next;
    int64_t best_time;     /**< -1: not known, as out of memory */
    int64_t best_measured; /**< what broadcasts of about that size took by it; -1: not known */
    int64_t best_fill;     /**< of that until all ranks have their first segment; -1: likewise */
    int64_t next_time;     /**< -1: not known, or there is no other kind */
} pb_planner_report_t;

/** A planner of which nothing may be asked before pb_planner_begin(). NULL if out of memory. */
pb_planner_t *pb_planner_new(void);

/** Has the memory that a bound on connections among `n_ranks` needs. PB_ERR_NO_MEMORY. */
int pb_planner_reserve(pb_planner_t *planner, int n_ranks);

/** Has the memory that learning needs; it learns from the next pb_planner_begin() on
 * that has nothing against it. PB_ERR_NO_MEMORY. */
int pb_planner_reserve_learning(pb_planner_t *planner);

/**
 * Plans on this network by this model from now on. Both are borrowed and outlive the planner.
 * Needs no memory.
 */
void pb_planner_begin(pb_planner_t *planner, const pb_placement_t *placement,
                      const pb_model_t *model, const pb_planner_options_t *options);

/** Learns on from what was known earlier, where it learns; to be called after pb_planner_begin().
 */
void pb_planner_begin_with(pb_planner_t *planner, const pb_learner_t *kept);

/**
 * From now on multicast is a candidate, with segments of exactly `payload` bytes: those of one
 * frame; 0: it is none, as after pb_planner_begin(). To be called alike on all ranks between the
 * same broadcasts. Choices are made anew, with which pb_choose_may_multicast() has a say. What was
 * learnt of other kinds stays, and all size classes try multicast; what was learnt of multicast is
 * dropped when it is a candidate no more, or with other frames. Where it alone may be chosen, and
 * is no candidate, broadcasts are planned as with PB_CHOOSE_OWN. O(what is kept).
 */
void pb_planner_allow_multicast(pb_planner_t *planner, uint32_t payload);

/** What was learnt; NULL: nothing is. */
const pb_learner_t *pb_planner_learner(const pb_planner_t *planner);

/** NULL: there is none. */
void pb_planner_free(pb_planner_t *planner);

/**
 * Whether a broadcast of `bytes` is to be planned, and not given to the fallback component for its
 * size (topo/model/threshold.h). Alike on all ranks between the same broadcasts. O(1).
 */
bool pb_planner_considers(const pb_planner_t *planner, uint64_t bytes);

/** The same of a blocking broadcast, which this counts: it is asked once for each of them. O(1). */
bool pb_planner_considers_next(pb_planner_t *planner, uint64_t bytes);

/** The same whatever was learnt of sizes. O(1). */
bool pb_planner_may_consider(const pb_planner_t *planner, uint64_t bytes);

/** Bytes: shorter broadcasts are not considered. O(1). */
uint64_t pb_planner_threshold(const pb_planner_t *planner);

/**
 * Plans the broadcast of `bytes` (at least 1) from `root` to all ranks. PB_ERR_UNFIT if a kind is
 * forced that does not fit, alike on all ranks; PB_ERR_NO_MEMORY: then planned->is_known is
 * whether this rank still knows what the others do. O(1) where choice and role are kept; else as
 * pb_choose(), and pb_plan_compute() of one kind.
 */
int pb_planner_plan(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned);

/**
 * The same without multicast, for what cannot go by it, or begins where ranks may not know alike
 * whether it may be used.
 */
int pb_planner_plan_tree(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned);

/**
 * As pb_planner_plan(), by what is learnt; `is_watched`: how long it takes will be noted, unless
 * another one is watched before, so that a candidate may be tried. Without learning as
 * pb_planner_plan().
 */
int pb_planner_plan_learnt(pb_planner_t *planner, int root, uint64_t bytes, bool is_watched,
                           pb_planned_t *planned);

/** Whether broadcasts are planned by what is learnt, if pb_planner_plan_learnt() is asked. */
bool pb_planner_learns(const pb_planner_t *planner);

/** Whether broadcasts of `bytes` should be watched often, as candidates are tried, or as one is
 * planned that would not be for its size. O(1). */
bool pb_planner_is_eager(const pb_planner_t *planner, uint64_t bytes);

/** Whether it is known how fast links are, where it learns; see topo/model/learner.h. O(1). */
bool pb_planner_knows_links(const pb_planner_t *planner);

/** How long the last watched broadcast took; see pb_learner_note(). Where it learns. */
pb_lesson_t pb_planner_note(pb_planner_t *planner, int64_t longest, int64_t least_wait);

/** What is predicted of it by the model that was given, at its root; -1: nothing, or not known. */
void pb_planner_watched(const pb_planner_t *planner, int64_t *time_p, int64_t *fill_p);

/**
 * What predictions alone would have chosen for it, over what, as pb_planner_explain(): without what
 * is learnt. Errors as there; PB_ERR_UNKNOWN if none was watched.
 */
int pb_planner_explain_prior(pb_planner_t *planner, pb_planner_report_t *report);

/**
 * Plans it for one group, at the root: never by the fallback component, and where a forced kind
 * does not fit the group, by a chain. PB_ERR_UNFIT if it does not fit all ranks either,
 * PB_ERR_NO_MEMORY, PB_ERR_INPUT (the group). O(members^2) at most, as
 * pb_plan_compute().
 */
int pb_planner_plan_group(pb_planner_t *planner, int root, uint64_t bytes,
                          const pb_planner_group_t *group, pb_planned_t *planned);

/**
 * This rank's role, borrowed until the planner is asked again, in the tree of `kind` over the
 * `n_ranks` of `ranks` (NULL: all). PB_ERR_NO_MEMORY, PB_ERR_UNFIT, PB_ERR_INPUT (the ranks).
 */
int pb_planner_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks, int n_ranks,
                    pb_planned_t *planned);

/**
 * This rank's role, borrowed likewise, for a broadcast that has to be done without having been
 * chosen: in a tree of all ranks whose neighbours repeat, the binomial tree if the bound on
 * connections, which there is, has it. No segment size. PB_ERR_NO_MEMORY.
 */
int pb_planner_stand_in(pb_planner_t *planner, int root, pb_planned_t *planned);

/**
 * Whether a message of `bytes` may be the fallback component's, or not fit, as far as that is
 * known without planning: for who could not. O(1).
 */
bool pb_planner_may_pass(const pb_planner_t *planner, uint64_t bytes);

/** The same of pb_planner_plan_learnt(). O(1). */
bool pb_planner_may_pass_learnt(const pb_planner_t *planner, uint64_t bytes, bool is_watched);

/** What a report of a broadcast says. A role stays borrowed. Errors as pb_planner_plan(). */
int pb_planner_explain(pb_planner_t *planner, int root, uint64_t bytes,
                       pb_planner_report_t *report);

/**
 * Whether a tree that is not the planner's, in which a rank has at most so many neighbours, is
 * within the bound on connections. Alike on all ranks between the same broadcasts. O(1).
 */
bool pb_planner_has_room(const pb_planner_t *planner, int n_neighbours);

/** Such a tree is used from now on, on all ranks: it is charged. O(1). */
void pb_planner_charge_tree(pb_planner_t *planner, int n_neighbours);

/** Neighbours that the plans of this rank's communicator may give it; 0 without a bound. O(1). */
int pb_planner_connections(const pb_planner_t *planner);

/** Bytes that are kept. O(1). */
size_t pb_planner_memory(const pb_planner_t *planner);

#endif
