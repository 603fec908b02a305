/*
 * The planner of a communicator: how each of its broadcasts is done.
 *
 * Root and bytes in; out come the fallback component, or the kind of tree, the segment size and
 * this rank's role. A broadcast like an earlier one takes one lookup, by root and size class, in
 * the planner's table. Only a miss chooses (topo/model/choose.h), builds this rank's role from the
 * plan of the chosen kind, and keeps both:
 *
 * - Of a broadcast to all ranks: pb_planner_plan(). What is in force (topo/model/learner.h) counts
 *   more than the choice. Ranks that ask alike, and note what was measured alike, plan alike. A
 *   bound on connections restricts the kinds further: to what the ledger (topo/model/ledger.h) has
 *   or admits, or else to those whose neighbors repeat. A forced kind yields to these, too. That
 *   depends on the sequence of broadcasts that were planned, so all ranks plan new ones in the same
 *   order. What was planned may be planned again at any time.
 * - Of a group of ranks, in an arrival-aware broadcast: its root asks pb_planner_plan_group(). The
 *   members, to whom the root has announced the kind, ask pb_planner_role(). Groups are not
 *   charged: they are for communicators without a bound on connections.
 *
 * All that is kept has a bound on memory. Where memory runs out, the planner gives all of it back
 * and tries once more. So one failing allocation does not keep a rank from planning what the others
 * plan.
 *
 * Multicast is a candidate, and is planned where it alone may be, only while
 * pb_planner_allow_multicast() says so. Of a broadcast that is planned so, the role is in the tree
 * of repairs, and the segment is a frame. Groups have trees in any case.
 *
 * Ours. Not thread-safe: a communicator's planner is used under the communicator's lock.
 */
#ifndef PB_PLANNER_H
#define PB_PLANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/model/choose.h"
#include "topo/model/learner.h"
#include "topo/trees/role.h"

typedef struct pb_planner pb_planner_t;

typedef struct pb_planner_options {
    int rank; /**< whose roles are computed */
    pb_choose_options_t choose;
    size_t memory;   /**< bytes that may be kept; the role that was used last is kept in any case */
    int connections; /**< neighbors that any rank may have in all, at least 2; 0: no bound */
} pb_planner_options_t;

/** Decision for a broadcast. */
typedef struct pb_planned {
    bool is_known;    /**< what follows is, but for the role; else nothing is */
    bool fallback;    /**< by the fallback component; then there is no role, unless it is swept:
                           that is in the tree along which the sweep travels */
    bool is_trial;    /**< by another candidate than the one in force */
    bool wants_sweep; /**< how long it takes should be noted: see pb_planner_plan_swept() */
    bool is_new;      /**< it was not in the table */
    bool was_cached;  /**< the role was kept from an earlier broadcast */
    bool begins_to_repeat; /**< it is the first one that the bound on connections restricts */
    pb_kind_t kind;        /**< of tree */
    size_t segment_size;   /**< bytes, at least 1, at most those of the message */
    uint64_t segment;      /**< the candidate's; 0: the message goes whole */
    size_t piece_size;     /**< bytes of the pieces inside hosts, where the plan is by leaders
                                (topo/trees/leaders.h); 0: segments go everywhere */
    const pb_role_t *role; /**< of this rank, of multicast in its tree of repairs; borrowed until
                                the planner is asked again */
} pb_planned_t;

/** Some ranks of an arrival-aware broadcast. */
typedef struct pb_planner_group {
    const int *ranks;   /**< the members, the root among them; NULL: all ranks of the placement */
    int n_ranks;        /**< if not all */
    size_t max_segment; /**< bytes */
} pb_planner_group_t;

/** The candidate used for a broadcast, with predicted nanoseconds for its very size. */
typedef struct pb_planner_report {
    pb_candidate_t best;
    int64_t best_time;     /**< -1: not known, as out of memory */
    int64_t best_measured; /**< what broadcasts of about that size took by it; -1: not known */
} pb_planner_report_t;

/** Result of a note. */
typedef struct pb_lesson {
    pb_outcome_t outcome;
    pb_candidate_t in_force;  /**< where something is; its time is the measured one */
    int64_t time;             /**< of the broadcast, without the root's lateness */
    uint64_t bits_per_second; /**< of links, as they are predicted by now; 0: they were measured */
} pb_lesson_t;

/**
 * Makes a planner for `n_ranks`, which learns or not; pb_planner_begin() comes before all
 * questions. NULL if out of memory.
 */
pb_planner_t *pb_planner_new(int n_ranks, bool learns);

/**
 * Plans on this network by this model from now on. Both are borrowed and outlive the planner.
 * Needs no memory.
 */
void pb_planner_begin(pb_planner_t *planner, const pb_placement_t *placement,
                      const pb_model_t *model, const pb_planner_options_t *options);

/**
 * From now on multicast is a candidate, with segments of exactly `payload` bytes: those of one
 * frame; 0: it is none, as after pb_planner_begin(). To be called alike on all ranks between the
 * same broadcasts. Choices are made anew, with which pb_choose_may_multicast() has a say. What was
 * measured of other kinds counts on, and all size classes try multicast; what was measured of
 * multicast is dropped. Where it alone may be chosen, and is no candidate, broadcasts are planned
 * as with PB_CHOOSE_OWN. O(what is kept).
 */
void pb_planner_allow_multicast(pb_planner_t *planner, uint32_t payload);

/** Frees a planner, or NULL. */
void pb_planner_free(pb_planner_t *planner);

/**
 * Plans the broadcast of `bytes` (at least 1) from `root` to all ranks, and counts it.
 * PB_ERR_NO_MEMORY: then planned->is_known is whether this rank still knows what the others do.
 * O(1) where it is in the table; else as pb_choose(), and pb_plan_compute() of one kind.
 *
 * With `is_tree` it is planned without multicast and uncounted, as a broadcast that begins at
 * another point of the order on each rank.
 */
int pb_planner_plan(pb_planner_t *planner, int root, uint64_t bytes, bool is_tree,
                    pb_planned_t *planned);

/**
 * The broadcast that was just planned is swept: how long it takes will be noted. *planned may
 * become a trial. PB_ERR_NO_MEMORY: as pb_planner_plan().
 */
int pb_planner_plan_swept(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned);

/** Notes the time of the last swept broadcast; see pb_learner_note(). PB_ERR_NO_MEMORY. */
int pb_planner_note(pb_planner_t *planner, int64_t longest, int64_t least_wait,
                    pb_lesson_t *lesson);

/** The last swept broadcast says nothing of its plan: ranks arrived unevenly, and waited for each
 * other. O(1). */
void pb_planner_pass_over(pb_planner_t *planner);

/** Predicted nanoseconds of the last swept broadcast, and of its message between two hosts, by the
 * speed that is known; -1: nothing, or not known. */
void pb_planner_predicted(const pb_planner_t *planner, int64_t *time_p, int64_t *message_p);

/** Tells whether times of broadcasts change the plans of later ones. O(1). */
bool pb_planner_learns(const pb_planner_t *planner);

/**
 * Plans an arrival-aware broadcast for one group, at its root. The fallback component is never
 * chosen. PB_ERR_NO_MEMORY, PB_ERR_INPUT (the group). O(members^2) at most, as pb_plan_compute().
 */
int pb_planner_plan_group(pb_planner_t *planner, int root, uint64_t bytes,
                          const pb_planner_group_t *group, pb_planned_t *planned);

/**
 * This rank's role, borrowed until the planner is asked again, in the tree of `kind` over the
 * `n_ranks` of `ranks` (NULL: all). PB_ERR_NO_MEMORY, PB_ERR_INPUT (the ranks).
 */
int pb_planner_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks, int n_ranks,
                    pb_planned_t *planned);

/** Tells, without planning, whether a message of `bytes` may be the fallback component's: for ranks
 * that could not plan. O(1). */
bool pb_planner_may_pass(const pb_planner_t *planner, uint64_t bytes);

/** Fills the report on a broadcast to all ranks. A role of an earlier call stays borrowed. Errors
 * as pb_planner_plan(). */
int pb_planner_explain(pb_planner_t *planner, int root, uint64_t bytes,
                       pb_planner_report_t *report);

/** Tells whether a tree from elsewhere with at most `n_neighbours` at a rank is within the bound on
 * connections. Alike on all ranks between the same broadcasts. O(1). */
bool pb_planner_has_room(const pb_planner_t *planner, int n_neighbours);

/** Such a tree is used from now on, on all ranks: it is charged. O(1). */
void pb_planner_charge_tree(pb_planner_t *planner, int n_neighbours);

/** Bytes that are kept. O(1). */
size_t pb_planner_memory(const pb_planner_t *planner);

#endif
