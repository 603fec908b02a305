/* Finds a tree and a segment size for one root and message size. */
#ifndef ADVISE_FINDER_H
#define ADVISE_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "contrib/adaptive/advice/advice.h"
#include "knowledge.h"

enum advise_method {
    ADVISE_ANNEALED,   /**< the best of clusteredSA's and those that are known without a search */
    ADVISE_MULTILEVEL, /**< MPICH-G2's, static */
    ADVISE_MATEESCU,
};

/**
 * Percent of the other's time that an annealed tree, or one in place of a tree in use, may be
 * predicted to take at most. Predictions are not exact, and a search finds what they are most wrong
 * about. A tree that works is worth something.
 */
#define ADVISE_WORTH_PERCENT 95

struct advise_wish {
    enum advise_method method;
    int root; /**< a node of the matrix */
    uint64_t bytes;
    uint32_t segment;               /**< 0: the fastest as predicted */
    uint64_t seed;                  /**< of the annealing */
    int64_t budget;                 /**< ns for annealing; 0: the paper's numbers of runs */
    int64_t transformations;        /**< in place of the budget, if it is not 0 */
    const pb_advice_tree_t *in_use; /**< the tree so far; NULL: none */
    int64_t (*now)(void *context);  /**< ns; PB_ANNEAL_OVER ends the annealing */
    void *context;
};

struct advise_found {
    int n_streams;                             /**< 1: a tree; more: the trees of a static plan */
    pb_tree_t *streams[PB_ADVICE_MAX_STREAMS]; /**< owned by the caller */
    uint32_t segment;
    int64_t cost;       /**< ns, predicted */
    int64_t multilevel; /**< ns, predicted of the multilevel tree with its best segment size */
    bool kept;          /**< it is the tree in use */
};

/**
 * Finds the tree with the least predicted time for the links as they are: multilevel, static plans
 * of one tree, or the two trees. If clusteredSA's tree is clearly faster than all of these, it is
 * that. The caller gives it back by advise_found_clear(), which takes zeros, too.
 */
int advise_find(const struct advise_network *network, const struct advise_wish *wish,
                struct advise_found *found);
void advise_found_clear(struct advise_found *found);

#endif
