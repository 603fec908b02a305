/*
 * The planner: what its files share. Not for others; the entry is planner.h.
 *
 * planner.c has the table of decisions, and decides what is kept. A miss asks planner_choice.c,
 * which chooses within the bound on connections, and planner_roles.c for this rank's role.
 * planner_sweep.c tries other candidates, and corrects the speed of links. planner_group.c plans
 * for the groups of arrival-aware broadcasts.
 */
#ifndef PB_PLANNER_INTERNAL_H
#define PB_PLANNER_INTERNAL_H

#include "topo/model/ledger.h"
#include "topo/model/planner.h"
#include "topo/model/role_cache.h"
#include "topo/trees/tables.h"

/** Among which kinds is chosen. */
enum {
    PB_AMONG_ALL,       /**< what the options have, which the ledger may refuse */
    PB_AMONG_REPEATING, /**< those that the ledger never refuses */
    PB_AMONG_TREES,     /**< what the options have but for multicast */
    PB_N_AMONG
};

/** Flags for plans that were used are 2^PB_PLANNER_USED_BITS. */
enum { PB_PLANNER_USED_BITS = 12 };

/** A row of the table: see planner.c. */
typedef struct pb_planner_row pb_planner_row_t;

/** A broadcast whose time will be noted. */
typedef struct pb_planner_swept {
    int root; /**< -1: none */
    uint64_t bytes;
    pb_learner_trial_t trial;
    int64_t time, message; /**< predicted nanoseconds, of it and between two hosts; -1: not known */
} pb_planner_swept_t;

/** The ranks of a group that got a tree. */
typedef struct pb_planner_members {
    int root;
    pb_kind_t kind;
    int n_ranks;
    int *ranks; /**< owned; NULL: out of memory */
} pb_planner_members_t;

struct pb_planner {
    pb_planner_options_t options;
    const pb_placement_t *placement;
    const pb_model_t *given;            /**< as pb_planner_begin() had it */
    const pb_model_t *model;            /**< that plans: the given or the corrected one */
    pb_model_t *corrected;              /**< owned, of links of another speed; NULL: none */
    pb_chooser_t *choosers[PB_N_AMONG]; /**< NULL: nothing was chosen yet, or memory ran out */
    pb_tables_t tables;                 /**< of trees of all ranks */
    pb_role_cache_t roles;              /**< in the trees of all ranks */
    pb_role_t *group_role;              /**< in the tree of the last group; NULL: none */
    pb_planner_members_t group;         /**< which that was */
    pb_ledger_t *ledger;
    bool ledger_is_lost;    /**< a plan was not charged here that the others may have charged */
    bool has_repeated;      /**< a broadcast was restricted to the repeating kinds */
    pb_learner_t *learner;  /**< owned; NULL: nothing is learned */
    uint32_t version;       /**< changes whenever rows of the table may not count any more */
    pb_planner_row_t *rows; /**< the table; NULL: none */
    uint64_t
        used[(1 << PB_PLANNER_USED_BITS) / 64]; /**< a bit for plans that were used, by their keys'
                                         hash. Alike on all ranks, which roles are kept is not */
    uint64_t to_open; /**< key of the last plan, which counts as used from the next broadcast on; 0:
                         there is none */
    pb_planner_swept_t swept; /**< the last one */
    int swept_kind;           /**< of tree, of the last one that was ours; -1: none was */
};

/** A choice, and what it was made for. */
typedef struct pb_planner_made {
    pb_candidate_t choice;
    int among;       /**< which kinds */
    pb_plan_t *plan; /**< as pb_choose_plan() has it, to be freed, also after an error */
} pb_planner_made_t;

/* Memory: planner.c. */

/** Gives back all that is kept. */
void pb_planner_forget(pb_planner_t *planner);

/** Keeps the bound on memory; the newest role stays. */
void pb_planner_trim(pb_planner_t *planner);

/** Drops all rows of the table. O(1). */
void pb_planner_drop_rows(pb_planner_t *planner);

/** Index of a key in a table of 2^bits entries. */
static inline unsigned pb_planner_hash(uint64_t key, int bits)
{
    return (unsigned) (key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
}

/** The key of a kind and root, never 0. The fallback component's connections are the same for all
 * roots. */
static inline uint64_t pb_planner_key(int root, int kind)
{
    return kind == PB_KIND_FALLBACK ? 1 : ((uint64_t) root * PB_KIND_COUNT + (uint64_t) kind) + 2;
}

/** Tells whether a plan with this key was used, or one that shares its flag. */
static inline bool pb_planner_is_used(const pb_planner_t *planner, uint64_t key)
{
    const unsigned bit = pb_planner_hash(key, PB_PLANNER_USED_BITS);
    return (planner->used[bit / 64] >> bit % 64 & 1) != 0;
}

/** A plan with this key, if it is not 0, has been used: its connections are open. */
static inline void pb_planner_note_used(pb_planner_t *planner, uint64_t key)
{
    if (key != 0) {
        const unsigned bit = pb_planner_hash(key, PB_PLANNER_USED_BITS);
        planner->used[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    planner->to_open = 0;
}

/** Tells whether `kinds` has a kind's bit, or it is the fallback component. */
static inline bool pb_planner_is_of(uint32_t kinds, int kind)
{
    return kind == PB_KIND_FALLBACK || (kinds >> kind & 1) != 0;
}

static inline bool pb_planner_is_bound(const pb_planner_t *planner)
{
    return pb_ledger_is_bounding(planner->ledger);
}

/* Choosing within the bound on connections: planner_choice.c. */

/** The chooser among these kinds; NULL: out of memory. */
pb_chooser_t *pb_planner_chooser(pb_planner_t *planner, int among);

/** Gives the choosers back. */
void pb_planner_drop_choosers(pb_planner_t *planner);

/**
 * Chooses among `kinds` within the bound on connections; only with `charges` the ledger changes.
 * The choice among all kinds comes first even if the ledger is closed, as it does not depend on the
 * ledger. Charges are final, so a broadcast that was planned keeps its plan. Errors as
 * pb_choose_plan().
 */
int pb_planner_choose(pb_planner_t *planner, int kinds, int root, uint64_t bytes, bool charges,
                      pb_planner_made_t *made);

/** Fills *planned but for role and piece by what was chosen. */
void pb_planner_take_choice(const pb_planner_t *planner, uint64_t bytes,
                            const pb_planner_made_t *made, pb_planned_t *planned);

/** Takes the candidate in force, if it may be used, instead of *candidate; of trees alone with
 * `is_tree`. Returns whether it did. */
bool pb_planner_take_in_force(const pb_planner_t *planner, int root, uint64_t bytes, bool is_tree,
                              pb_candidate_t *candidate);

/** The kinds that may be used: with a bound on connections those that the ledger has. */
uint32_t pb_planner_kinds(const pb_planner_t *planner, int root);

/** Fills *planned, but for role and piece, by a candidate. */
void pb_planner_fill(pb_planned_t *planned, const pb_candidate_t *candidate, uint64_t bytes);

/** The pieces of a message in the tree that was planned among these kinds, all ranks alike. */
size_t pb_planner_piece(const pb_planner_t *planner, int among, const pb_planned_t *planned,
                        uint64_t bytes);

/** Bytes of a message's pieces, by those of its size class's smallest message. If that goes whole,
 * so does this. */
static inline size_t pb_planner_piece_of(size_t piece, uint64_t bytes)
{
    return piece == pb_size_class(bytes) ? (size_t) bytes : piece;
}

/* Roles: planner_roles.c. */

/** The plan of a kind over the ranks (NULL: all), to be freed. Errors as pb_plan_compute(). */
int pb_planner_make_plan(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                         int n_ranks, pb_plan_t **plan_p);

/** Makes this rank's role in the tree of `kind` over the ranks (NULL: all), to be freed. */
int pb_planner_make_role(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                         int n_ranks, pb_role_t **role_p);

/** The role among all ranks: one that is kept, or a new one, from `plan` if that is not NULL. */
int pb_planner_get_role(pb_planner_t *planner, int root, pb_kind_t kind, const pb_plan_t *plan,
                        pb_planned_t *planned);

/** The same over the ranks (NULL: all). */
int pb_planner_find_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                         int n_ranks, pb_planned_t *planned);

/* Groups: planner_group.c. */

/** The role in a group. The last group's role is kept, as the next group often is the same. */
int pb_planner_group_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                          int n_ranks, pb_planned_t *planned);

/** Gives back what is kept of the last group. */
void pb_planner_drop_group(pb_planner_t *planner);

#endif
