/*
 * One vertex of the slot method (slot.c): fills the slots of a switch, or of a
 * host with several ranks, level by level.
 *
 * A slot at level t means: some rank at depth t - 1 may have a child here, at
 * depth t. A rank makes a pair of slots. Levels are counted from the level at
 * which the vertex is entered. A slot may wait: its child is then less deep than
 * planned, which never hurts.
 *
 * Slots cross the uplink of a vertex in groups, each from one sender: a single
 * slot, or 1, 2 or 4 pairs. A way in or out is the number of slots: 1, 2, 4, 8
 * in; 0, 1, 2, 4, 8 out.
 */
#ifndef PB_SLOT_FILL_H
#define PB_SLOT_FILL_H

#include <stdbool.h>
#include <stdint.h>

#define PB_SLOT_WAYS_IN 4
#define PB_SLOT_WAYS_OUT 5
#define PB_SLOT_MAX_GROUPS 4

/** Slots that way `in` brings. */
static inline int pb_slot_in(int in)
{
    return 1 << in;
}
/** Slots that way `out` gives. */
static inline int pb_slot_out(int out)
{
    return out == 0 ? 0 : 1 << (out - 1);
}
/** Groups, and so senders, that n slots cross a link in. */
static inline int pb_slot_groups(int n)
{
    return n <= 1 ? n : n / 2;
}

/**
 * Entered with `levels` levels left or more, a vertex can give its exports
 * `delay` levels after, by `policy`.
 */
typedef struct pb_slot_entry {
    int levels;
    int delay;
    int policy;
} pb_slot_entry_t;

/** What a vertex can do for one way in and out: more levels, less delay. */
typedef struct pb_slot_ways {
    pb_slot_entry_t *entries; /**< levels rising, delays falling */
    int n;                    /**< 0: impossible */
} pb_slot_ways_t;

typedef pb_slot_ways_t pb_slot_table_t[PB_SLOT_WAYS_IN][PB_SLOT_WAYS_OUT];

/** What is to be filled, and how. */
typedef struct pb_slot_demand {
    int levels;       /**< that are left: everything goes to levels 0 .. levels */
    int in;           /**< way in; -1: the root's vertex, whose first rank is at level 0 */
    int out;          /**< way out */
    int export_level; /**< at which the exports are due */
    int policy;       /**< 0 .. pb_slot_n_policies() - 1 */
} pb_slot_demand_t;

typedef enum {
    PB_SLOT_IMPORTED_SINGLE, /**< imported slots can not leave again */
    PB_SLOT_IMPORTED_PAIR,
    PB_SLOT_SINGLE,
    PB_SLOT_PAIR,
    PB_SLOT_KINDS,
    PB_SLOT_NONE = -1,
} pb_slot_kind_t;

typedef enum { PB_SLOT_LOCAL, PB_SLOT_CHILD, PB_SLOT_EXPORT } pb_slot_act_t;

/** What is done with slots, in order. */
typedef struct pb_slot_step {
    pb_slot_act_t act;
    int level;
    int n_local; /**< LOCAL: ranks placed */
    int child;   /**< CHILD: the vertex entered */
    int in, out;
    const pb_slot_entry_t *entry; /**< CHILD: of the table that is used */
} pb_slot_step_t;

/** A vertex and memory for filling it. */
typedef struct pb_slot_vertex {
    int n_local;
    int n_children;
    const int *children;              /**< vertices */
    pb_slot_table_t *const *tables;   /**< by vertex; those of the children are complete */
    struct pb_slot_pending *pending;  /**< room for n_children */
    struct pb_slot_arrival *arrivals; /**< room for n_children */
} pb_slot_vertex_t;

struct pb_slot_pending {
    int child;
    int due;      /**< level at which it has to be entered */
    int in;       /**< way in, when due */
    int early_in; /**< way in if entered at this level already; -1: not */
    int64_t rank; /**< how much the policy wants that */
};

struct pb_slot_arrival {
    int level;
    int singles;
    int pairs;
};

int pb_slot_n_policies(void);

/**
 * Whether the demand can be met by its policy. If `steps` is not NULL it gets
 * what to do, and *n_steps_p the number; it has room for n_children + n_local + 1.
 * O(children * log(children) * levels at which something happens).
 */
bool pb_slot_fill(const pb_slot_vertex_t *vertex, const pb_slot_demand_t *demand,
                  pb_slot_step_t *steps, int *n_steps_p);

/** Slots by kind. */
typedef struct pb_slot_pool {
    int count[PB_SLOT_KINDS];
} pb_slot_pool_t;

/**
 * Takes one slot, of which kind is returned; taking half of a pair leaves a
 * single. Imported slots go first, unless `own` asks for others.
 */
pb_slot_kind_t pb_slot_take_single(pb_slot_pool_t *pool, bool own);
/** Takes a pair. */
pb_slot_kind_t pb_slot_take_pair(pb_slot_pool_t *pool, bool own);

#endif
