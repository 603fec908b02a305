/*
 * Two contention-free trees: what the steps of the construction share. Not for
 * others; the entry is pb_plan_twotree() in twotree.c.
 *
 * Both trees reach every rank; tree 0 carries the even segments, tree 1 the odd
 * ones. A directed link may carry two edges in all and a rank may send two in
 * all. A subtree of n ranks takes in 2n edges and sends at most 2n, and each
 * tree must enter it, so that each tree enters it exactly once and the two
 * leave it at most twice: a subtree is to its surroundings what a rank is, one
 * entry per tree and at most two edges out. Each vertex with its ranks and
 * child vertices, its *items*, is therefore a problem of its own.
 *
 * An item *gives* edges: what a rank sends, or what leaves a subtree. Roles say
 * how many each item gives in each tree (roles.c). With the roles fixed
 * the trees are independent, and each is filled vertex by vertex
 * (fill.c): a vertex gets one *slot*, a chance to receive from one
 * sender at a certain time, and each item that takes a slot opens as many as it
 * gives. Tables of what a subtree gives back, and when, are made bottom-up
 * (table.c) and replayed top-down (replay.c).
 */
#ifndef PB_TWOTREE_INTERNAL_H
#define PB_TWOTREE_INTERNAL_H

#include <stdbool.h>

#include "topo/trees/plan.h"

/** Later than any time. */
#define PB_TT_NEVER (1 << 28)

/** What an edge costs; the values are in shape.c, with the reason for them. */
typedef struct pb_tt_costs {
    int first;     /**< from a rank's receipt to that of its first child */
    int step;      /**< further delay of the second child */
    double growth; /**< slots multiply by this per unit of time; weighs exports */
} pb_tt_costs_t;

/** What a subtree gives in one tree if its slot comes early enough. */
typedef struct pb_tt_reply {
    int slack;   /**< that the replay is made with */
    int hold[2]; /**< an export takes no slot before this time */
    int out[2];  /**< times after the entry at which the exports leave; NEVER if there is none */
} pb_tt_reply_t;

/** Replies of one subtree in one tree, by slack (deadline less time of entry) from `need` on. */
typedef struct pb_tt_table {
    int need; /**< least slack */
    int n;    /**< replies; more slack than need + n - 1 brings nothing more */
    pb_tt_reply_t *replies;
    pb_tt_reply_t ideal; /**< with boundless slack */
} pb_tt_table_t;

/**
 * Roles of a subtree by what it gives: nothing, one edge in each tree, or two in
 * tree 0. A *turned* role has the trees exchanged, so that two in tree 1 is
 * PB_TT_TWO turned.
 */
typedef enum { PB_TT_NONE, PB_TT_EACH, PB_TT_TWO, PB_TT_ROLES } pb_tt_role_t;

/** A role, turned or not: 2 * role + turned. */
typedef unsigned char pb_tt_option_t;

enum { PB_TT_OPTIONS = 2 * PB_TT_ROLES };

/** The edges that an item of this option gives in a tree. */
static inline int pb_tt_gives(pb_tt_option_t option, int tree)
{
    const int role = option / 2, turned = option % 2;
    return role == PB_TT_TWO ? (tree == turned ? 2 : 0) : role;
}

/** The best that was found for one vertex in one (unturned) role of its own. */
typedef struct pb_tt_config {
    int locals[PB_TT_OPTIONS]; /**< ranks attached to the vertex, by option */
    pb_tt_table_t tables[2];   /**< by tree */
} pb_tt_config_t;

typedef struct pb_tt {
    const pb_view_t *view;
    pb_tt_costs_t costs;
    int *first_child;        /**< by vertex, n_vertices + 1 entries: child vertices are
                                child[first_child[v]] .. */
    int *child;              /**< largest subtree first */
    pb_tt_config_t *configs; /**< by PB_TT_ROLES * vertex + role */
    pb_tt_option_t
        *options; /**< by PB_TT_ROLES * vertex + role of the parent: the vertex's option */
    pb_tt_option_t *option;      /**< by vertex: as chosen in the end */
    pb_tt_option_t *rank_option; /**< by position */
    int *parent[2]; /**< by tree and position: the sender's position, -1 for the root */
    int *time[2];   /**< by tree and position: when the rank receives, by the costs */
    int *order[2];  /**< by tree and position: index among the sender's edges of the tree */
    int span[2];    /**< by tree: least deadline of the root */
} pb_tt_t;

/** The height of the higher tree. */
static inline int pb_tt_height(const pb_plan_t *plan)
{
    const int a = plan->streams[0].height, b = plan->streams[1].height;
    return a > b ? a : b;
}

/** Ranks and child vertices of a vertex, without the root rank. */
static inline int pb_tt_n_locals(const pb_tt_t *tt, int v)
{
    const pb_vertex_t *vertex = &tt->view->vertices[v];
    return vertex->end_local - vertex->first_rank - (v == 0);
}

static inline int pb_tt_n_children(const pb_tt_t *tt, int v)
{
    return tt->first_child[v + 1] - tt->first_child[v];
}

/** The position of the first rank of a vertex that is not the root. */
static inline int pb_tt_first_local(const pb_tt_t *tt, int v)
{
    return tt->view->vertices[v].first_rank + (v == 0);
}

/* ---- shape.c ---- */

/** The costs that all trees are made for. */
pb_tt_costs_t pb_tt_costs(void);

/* ---- fill.c ---- */

/** Where a slot comes from: ENTRY, or 2 * item + index among the item's slots of the tree. */
#define PB_TT_ENTRY (-1)

typedef struct pb_tt_slot {
    int time;
    int source;
} pb_tt_slot_t;

/** A child vertex as an item. */
typedef struct pb_tt_guest {
    int vertex;
    int gives;
    int lead; /**< its slot must come this long before the deadline */
    const pb_tt_table_t *table;
    bool placed;
} pb_tt_guest_t;

/**
 * One vertex in one tree. Items are numbered: first the local ranks, those that
 * give two first, then those that give one, then the others; then the guests.
 */
typedef struct pb_tt_pool {
    int n_locals;
    int n_giving[3]; /**< locals by what they give */
    int n_guests;
    int n_exports;
    int entry; /**< time of the one slot at the start */
    int first, step;
    pb_tt_guest_t *guests; /**< by falling lead */
    pb_tt_slot_t *heap;    /**< room for all slots */
    int n_heap;
    int *source; /**< by item: the slot it took */
    int *time;   /**< by item: when */
    int export_source[2];
    int export_time[2];
} pb_tt_pool_t;

/**
 * Gives every item a slot so that all ranks of the subtree have received by
 * `deadline`; export i takes no slot before hold[i]. False if this policy
 * cannot. O((items + guests^2) log items).
 */
bool pb_tt_fill(pb_tt_pool_t *pool, int deadline, const int hold[2]);

/* ---- table.c ---- */

/** Replies that a table may have; by then more slack brings next to nothing. */
#define PB_TT_MAX_REPLIES 40

/** Latest hold that is tried; later ones count as "after everything else". */
#define PB_TT_MAX_HOLD 28

typedef struct pb_tt_pair {
    int hold[2];
    double weight;
} pb_tt_pair_t;

/** What making tables needs, beside the pool. */
typedef struct pb_tt_maker {
    const pb_tt_t *tt;
    pb_tt_pool_t pool;
    pb_tt_pair_t *pairs[3]; /**< by exports: policies by falling weight */
    int n_pairs[3];
    int holds[PB_TT_MAX_HOLD]; /**< possible times of exports, rising */
} pb_tt_maker_t;

int pb_tt_maker_init(pb_tt_maker_t *maker, const pb_tt_t *tt);
void pb_tt_maker_clear(pb_tt_maker_t *maker);

/**
 * Loads the pool of v in a tree for v's own role, its ranks as in `locals` and
 * its children with the options that `options` (by index among the children)
 * gives. The children's configs must exist.
 */
void pb_tt_load(pb_tt_maker_t *maker, int tree, int v, pb_tt_role_t role,
                const int locals[PB_TT_OPTIONS], const pb_tt_option_t *options);

/**
 * Begins the table of the loaded pool: the least slack. What the subtree takes
 * from the growth of the surrounding tree, its *cost*, as a logarithm, is at
 * least `bound`. PB_ERR_UNFIT if no slack suffices.
 */
int pb_tt_begin_table(pb_tt_maker_t *maker, pb_tt_table_t *table, double *bound);

/** Fills the replies, for which there must be room, of a table begun; the same pool is loaded. */
void pb_tt_finish_table(pb_tt_maker_t *maker, pb_tt_table_t *table, double *cost);

/* ---- roles.c ---- */

/** Finds configs for every vertex and role, bottom-up, and chooses the options top-down. */
int pb_tt_choose_roles(pb_tt_t *tt, pb_tt_maker_t *maker);

/* ---- replay.c ---- */

/** Times and parents of both trees for the chosen options. */
int pb_tt_replay(pb_tt_t *tt, pb_tt_maker_t *maker);

/* ---- near.c ---- */

/** The view before vertices were merged (topo/network/view_merge.h), and what its links carry. */
typedef struct pb_tt_near {
    const pb_view_t *view;
    int *capacity;    /**< by vertex: edges that its link may carry each way */
    int *overload;    /**< by vertex: set to the edges beyond that, of the worse direction */
    int n_overloaded; /**< vertices with an overload */
    long tries;       /**< exchanges that may still be tried */
} pb_tt_near_t;

/**
 * Exchanges ranks of merged vertices so that few edges cross the links of
 * near->view; heights do not change. Uses the parents, orders and options, and
 * changes the parents and orders. The order of ranks in tt->view must be the
 * one that pb_view_merge() makes. O(ranks * path), times a bounded number of
 * exchanges for each rank.
 */
int pb_tt_settle_near(pb_tt_t *tt, pb_tt_near_t *near);

/* ---- estimate.c ---- */

/**
 * An estimate of how long the two trees take, in ticks that are the same for all plans of
 * a network. PB_ERR_NO_MEMORY. O(nodes + ranks * path).
 */
int pb_tt_estimate(const pb_view_t *view, const pb_plan_t *plan, int64_t *ticks);

/* ---- fast.c ---- */

/**
 * Replaces the plan of a view, which is right for links of any speed, by a
 * lower one if fast trunks allow it. On an error the plan is as it was.
 */
int pb_tt_use_fast_trunks(const pb_view_t *view, pb_plan_t **plan_p);

/* ---- twotree.c ---- */

/**
 * The two trees of a view, in which no link carries more than two edges. If `near` is
 * not NULL, `view` is a merged view of near->view, and the ranks are settled by
 * pb_tt_settle_near().
 */
int pb_tt_make_plan(const pb_view_t *view, pb_tt_near_t *near, pb_plan_t **plan_p);

#endif
