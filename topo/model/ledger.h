/*
 * The ledger of a communicator: the number of neighbors that its plans may still give to a rank.
 *
 * Each neighbor of a rank in any plan costs it a connection, and the budget bounds the connections
 * of each rank. Kinds whose neighbors repeat for all roots (pb_kind_row_t.repeats) are paid for
 * once, at the beginning: the chain, and the binomial tree if it fits. Every other plan is charged
 * at its first use with the most neighbors that any rank has in it, new or not. The first plan that
 * does not fit closes the ledger: plans that were charged may be used again, and nothing is charged
 * any more.
 *
 * So an answer depends on the budget and on the plans that were charged before: ranks that agree on
 * these have the same ledger. Answers are final: asking again, in any order, changes nothing.
 *
 * Ours. All memory is allocated beforehand.
 */
#ifndef PB_LEDGER_H
#define PB_LEDGER_H

#include <stdbool.h>

#include "topo/trees/kinds.h"

typedef struct pb_ledger pb_ledger_t;

/**
 * Memory for a ledger of `n_ranks`, 4 bytes for each, freed by free(). It bounds nothing until
 * pb_ledger_begin(). NULL if out of memory.
 */
pb_ledger_t *pb_ledger_new(int n_ranks);

/** An empty ledger with this budget from now on: at least 2, or 0 for no bound. */
void pb_ledger_begin(pb_ledger_t *ledger, int budget);

/** Tells whether there is a bound: not if the budget has room for all other ranks. O(1). */
bool pb_ledger_is_bounding(const pb_ledger_t *ledger);

/** Tells whether the kind is paid for, for all roots. O(1). */
bool pb_ledger_repeats(const pb_ledger_t *ledger, pb_kind_t kind);

/** Tells whether the plan of this kind and root was charged, or repeats. O(plans charged). */
bool pb_ledger_has(const pb_ledger_t *ledger, pb_kind_t kind, int root);

/** Tells whether nothing will be charged any more. O(1). */
bool pb_ledger_is_closed(const pb_ledger_t *ledger);

/** Charges a plan that is not in the ledger yet, with at least 2 neighbors. False: it does not fit,
 * and the ledger is closed. O(1). */
bool pb_ledger_charge(pb_ledger_t *ledger, pb_kind_t kind, int root, int n_neighbours);

/** Tells whether `n_neighbours` more are within the budget, closed or not. O(1). */
bool pb_ledger_has_room(const pb_ledger_t *ledger, int n_neighbours);

/** Charges a tree that is no plan of a kind, at most as much as the budget still has. O(1). */
void pb_ledger_charge_tree(pb_ledger_t *ledger, int n_neighbours);

#endif
