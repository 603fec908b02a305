/*
 * Two contention-free trees: what the steps of the construction share. Not for
 * others; the entry is pb_plan_twotree() in twotree.c.
 *
 * Both trees reach every rank; tree 0 carries the even segments, tree 1 the odd ones. A directed
 * link may carry two edges in all and a rank may send two in all. A subtree of n ranks takes in 2n
 * edges and sends at most 2n, and each tree must enter it. So each tree enters it exactly once, and
 * the two leave it at most twice. A subtree is to its surroundings what a rank is: one entry per
 * tree and at most two edges out. Each vertex with its ranks and child vertices, its *items*, is
 * therefore a problem of its own.
 *
 * An item *gives* edges: what a rank sends, or what leaves a subtree. Roles say how many each item
 * gives in each tree (roles.c). With the roles fixed the trees are independent, and each is filled
 * vertex by vertex (fill.c). A vertex gets one *slot*, a chance to receive from one sender at a
 * certain time. Each item that takes a slot opens as many as it gives. Tables of what a subtree
 * gives back, and when, are made bottom-up (table.c) and replayed top-down (replay.c).
 */
#ifndef PB_TWOTREE_INTERNAL_H
#define PB_TWOTREE_INTERNAL_H

#include <stdbool.h>

#include "topo/trees/plan.h"
#include "topo/trees/shapes.h"
#include "topo/trees/tables.h"

/** Later than any time. */
#define PB_TT_NEVER (1 << 28)

/** More than what is lost where costs are computed. */
#define PB_TT_ROUNDING 1e-9

/** Time from a rank's receipt to its first child's, and from there to its second child's; the
 * reason for the values is in table.c. */
enum { PB_TT_FIRST = 7, PB_TT_STEP = 1 };

/** Gifts of a subtree to one tree if its slot comes early enough. */
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
    bool is_even;              /**< both are the same: it may be turned as well */
    pb_tt_option_t *options;   /**< by index among the children, largest subtree first */
} pb_tt_config_t;

/** Later times weigh nothing. */
#define PB_TT_WEIGHTS 256

/** Latest hold that is tried; later ones count as "after everything else". */
#define PB_TT_MAX_HOLD 28

/** A policy: two exports take no slots before these times. */
typedef struct pb_tt_pair {
    int hold[2];
    double weight;
} pb_tt_pair_t;

/**
 * Tables kept across roots: the configs of every shape of a subtree, and tables of times alone. A
 * shape's list is whether it is the root's, the ranks attached to its vertex and the shapes of its
 * children.
 */
typedef struct pb_tt_tables {
    pb_shapes_t shapes;
    pb_tt_config_t *configs;      /**< by PB_TT_ROLES * shape + role; the root's has no role */
    int room;                     /**< shapes that `configs` has room for; zeros behind the last */
    size_t memory;                /**< bytes of the configs' tables and options */
    double weight[PB_TT_WEIGHTS]; /**< by time: what an export then is worth */
    pb_tt_pair_t *pairs[3];       /**< by exports: policies by falling weight */
    int n_pairs[3];
    /* By exports, one of them and a time: the pairs that hold that export no sooner, and no later;
     * bits are in the pairs' order. */
    uint64_t no_sooner[3][2][PB_TT_MAX_HOLD + 1], no_later[3][2][PB_TT_MAX_HOLD + 1];
    int most[PB_TT_WEIGHTS]; /**< by time that is left: items that a slot can lead to at most */
} pb_tt_tables_t;

typedef struct pb_tt {
    const pb_view_t *view;
    int *first_child;            /**< by vertex, n_vertices + 1 entries: child vertices are
                                    child[first_child[v]] .. */
    int *child;                  /**< largest subtree first */
    int *shape;                  /**< by vertex */
    pb_tt_tables_t *tables;      /**< borrowed */
    pb_tt_option_t *option;      /**< by vertex: as chosen in the end */
    pb_tt_option_t *rank_option; /**< by position */
    int *parent[2]; /**< by tree and position: the sender's position, -1 for the root */
    int *order[2];  /**< by tree and position: index among the sender's edges of the tree */
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

static inline pb_tt_config_t *pb_tt_config(const pb_tt_t *tt, int v, int role)
{
    return &tt->tables->configs[PB_TT_ROLES * tt->shape[v] + role];
}

/* ---- kept.c, which has the functions of tables.h, too ---- */

/** Tables without a shape. NULL if out of memory. */
pb_tt_tables_t *pb_tt_tables_new(void);

/**
 * Sets the shape of v, whose children have theirs; *is_new is set if its configs are to be made.
 * `key` has room for two numbers more than v has children. PB_ERR_NO_MEMORY. O(children).
 */
int pb_tt_find_shape(pb_tt_t *tt, int v, int *key, bool *is_new);

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
    int lead_index; /**< in the pool's leads */
    int next_alike; /**< the next guest that gives as much; n_guests: there is none */
} pb_tt_guest_t;

/** Guests of the same lead. */
typedef struct pb_tt_lead {
    int lead;
    int n, n_left;
} pb_tt_lead_t;

/**
 * One vertex in one tree. Items are numbered: first the local ranks, those that
 * give two first, then those that give one, then the others; then the guests.
 */
typedef struct pb_tt_pool {
    int n_locals;
    int n_giving[3]; /**< locals by what they give */
    int n_guests;
    int n_exports;
    int entry;             /**< time of the one slot at the start */
    pb_tt_guest_t *guests; /**< by falling lead */
    int first_giving[3];   /**< the first guest that gives so much; n_guests: there is none */
    pb_tt_lead_t *leads;   /**< falling */
    int n_leads;
    int *n_open;        /**< by time: open slots, none between fillings */
    uint64_t *times;    /**< bit t % 64 of entry t / 64 is set where a slot is open at time t */
    int latest;         /**< `n_open` and `times` have room for times up to this one */
    pb_tt_slot_t *heap; /**< of the open slots where sources are kept; room for all */
    int n_heap;
    int *source;                  /**< by item: the slot it took */
    int *time;                    /**< by item: when */
    const pb_tt_tables_t *tables; /**< those that are kept */
    int export_source[2];
    int export_time[2];
    int hold_end[2]; /**< holds from those that were asked for up to these change nothing */
} pb_tt_pool_t;

/**
 * Gives every item a slot so that all ranks of the subtree have received by `deadline` <=
 * pool->latest; export i takes no slot before hold[i]. False if this policy cannot. Sets the times
 * of the exports alone, and the ends of holds, also where it cannot. O(items), where ranks that
 * take slots of one time count once.
 */
bool pb_tt_fill(pb_tt_pool_t *pool, int deadline, const int hold[2]);

/** The same, and sets all sources and times. O(items log items). */
bool pb_tt_fill_sources(pb_tt_pool_t *pool, int deadline, const int hold[2]);

/* ---- table.c ---- */

/** Replies that a table may have; by then more slack brings next to nothing. */
#define PB_TT_MAX_REPLIES 40

/** Memory for making tables, in addition to the tables that are kept. */
typedef struct pb_tt_maker {
    const pb_tt_t *tt;
    pb_tt_pool_t pool;
    int n_ranks;         /**< of the loaded vertex's subtree */
    double latest_value; /**< no less than what exports of the loaded pool are worth after all
                              items */
} pb_tt_maker_t;

int pb_tt_maker_init(pb_tt_maker_t *maker, const pb_tt_t *tt);
void pb_tt_maker_clear(pb_tt_maker_t *maker);

/** Reserves room for deadlines up to this one. PB_ERR_NO_MEMORY. */
int pb_tt_reserve(pb_tt_maker_t *maker, int deadline);

/** Makes the policies and weights. PB_ERR_NO_MEMORY. */
int pb_tt_prepare(pb_tt_tables_t *tables);

/**
 * Loads the pool of v in a tree for v's own role. Its ranks are as in `locals`, its children have
 * the options that `options` (by index among the children) gives. The children's configs must
 * exist.
 */
void pb_tt_load(pb_tt_maker_t *maker, int tree, int v, pb_tt_role_t role,
                const int locals[PB_TT_OPTIONS], const pb_tt_option_t *options);

/** A table before its replies are made. */
typedef struct pb_tt_draft {
    int need;            /**< least slack */
    int late_out[2];     /**< with it, the exports after all items */
    pb_tt_reply_t ideal; /**< with boundless slack */
    double ideal_loss;   /**< what is lost with it, a logarithm */
    double cost; /**< what the subtree takes from the growth of the surrounding tree, a logarithm;
                      at least this, until the table is judged */
} pb_tt_draft_t;

/**
 * Begins the table of the loaded pool: the least slack, and a bound on the cost. PB_ERR_UNFIT if no
 * slack suffices, PB_ERR_NO_MEMORY.
 */
int pb_tt_begin_table(pb_tt_maker_t *maker, pb_tt_draft_t *draft);

/** Finds the cost of a table begun, with the same pool loaded. False if it is not below `limit`. */
bool pb_tt_judge_table(pb_tt_maker_t *maker, pb_tt_draft_t *draft, double limit);

/** Makes the table of a draft, with the same pool loaded. PB_ERR_NO_MEMORY. */
int pb_tt_make_table(pb_tt_maker_t *maker, const pb_tt_draft_t *draft, pb_tt_table_t *table);

/* ---- roles.c ---- */

/** Finds configs for every vertex and role, bottom-up, and chooses the options top-down. */
int pb_tt_choose_roles(pb_tt_t *tt, pb_tt_maker_t *maker);

/* ---- replay.c ---- */

/** Times and parents of both trees for the chosen options. */
int pb_tt_replay(pb_tt_t *tt, pb_tt_maker_t *maker);

/* ---- near.c ---- */

/**
 * Gives slots to ranks of merged vertices so that parents and children are near each other; heights
 * do not change. Uses the parents, orders and options, and changes the parents and orders. The
 * order of ranks in tt->view must be the one that pb_view_merge() makes. O(ranks).
 */
int pb_tt_settle_near(pb_tt_t *tt);

/* ---- fast.c ---- */

/**
 * Replaces the plan of a view, which is right for links of any speed, by a
 * lower one if fast trunks allow it. On an error the plan is as it was.
 */
int pb_tt_use_fast_trunks(const pb_view_t *view, pb_tables_t *tables, pb_plan_t **plan_p);

/* ---- twotree.c ---- */

/**
 * The two trees of a view, in which no link carries more than two edges, with the tables that
 * are kept. Of a merged view, ranks are settled by pb_tt_settle_near().
 */
int pb_tt_make_plan(const pb_view_t *view, bool is_merged, pb_tables_t *tables, pb_plan_t **plan_p);

#endif
