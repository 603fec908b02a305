/*
 * A tree whose cost is kept up to date while nodes are moved. For the annealer;
 * pb_tree_cost() is made of it too.
 *
 * A node's label is the time from its first segment until the last node below it has that. The tail
 * of an edge is the time from the start of its send until then: L + y + label. Children are kept by
 * falling tails (equal ones by number), which is the best order of sends. So the label of v is the
 * largest k * s(v) + tail of its k-th child. A move changes labels only on the way from what it
 * touches to the root, and stops where none changes.
 */
#ifndef PB_TREE_STATE_H
#define PB_TREE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "contrib/adaptive/search/tree_cost.h"

/** An edge is named by its child. -1 stands for none everywhere. */
typedef struct pb_tree_state {
    const pb_tree_costs_t *costs;
    int root;
    uint64_t hash; /**< of root and parents; equal for equal trees */
    int *ints;     /**< memory of all arrays of integers below */

    /* By node: */
    int *parent; /**< as in pb_tree_t */
    int *first_child, *next, *previous;
    int *n_children;
    int *critical; /**< the child for which the label is reached */
    int64_t *y;    /**< time of a segment over the edge into the node, as shared */
    int64_t *tail; /**< of the edge into the node */
    int64_t *label;

    /* Edges that use a link: a list of uses by link. A use is an edge's number times the longest
     * path, plus the link's place in its path. */
    int max_path;
    int *n_edges;   /**< by link */
    int *first_use; /**< by link */
    int *next_use, *previous_use;

    /* The period, only kept if there are several segments. */
    int64_t period;
    int slowest;       /**< the edge whose y it is; else -1 */
    int busiest;       /**< the node whose starts of sends it is; else -1 */
    bool period_stale; /**< it may have fallen */

    /* Changes by a move: */
    int *changed; /**< edges whose y has changed */
    int n_changed;
    bool *is_changed;
    int *queue; /**< a ring of nodes whose label is to be computed anew */
    int queue_head, n_queued;
    bool *is_queued;
} pb_tree_state_t;

/** A state without a tree. NULL if out of memory. */
pb_tree_state_t *pb_tree_state_new(const pb_tree_costs_t *costs);
void pb_tree_state_free(pb_tree_state_t *state);

/**
 * Makes the tree of these parents, which must be one (pb_tree_check()), the
 * state's. Orders of children are not looked at. O(nodes * (path + children)).
 */
void pb_tree_state_load(pb_tree_state_t *state, const int *parent, int root);

/** The state's tree with its orders, into one of as many nodes. O(nodes). */
void pb_tree_state_store(const pb_tree_state_t *state, pb_tree_t *tree);

/**
 * Makes `node`, not the root, a child of `parent`, not below it. Its subtree moves
 * along. Moving it back restores the state. O(what it touches).
 */
void pb_tree_state_move(pb_tree_state_t *state, int node, int parent);

/** Tells whether `node` is `above` or below it. O(height). */
bool pb_tree_state_is_below(const pb_tree_state_t *state, int node, int above);

/** The cost of the tree in ns. O(1), or O(nodes) if the period may have fallen. */
int64_t pb_tree_state_cost(pb_tree_state_t *state);

#endif
