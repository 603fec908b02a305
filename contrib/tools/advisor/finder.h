/* Finds a tree and a segment size for one root and message size. */
#ifndef ADVISE_FINDER_H
#define ADVISE_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "knowledge.h"
#include "topo/advice/advice.h"

enum advise_method {
    ADVISE_ANNEALED,   /**< this project's: clusteredSA, and more */
    ADVISE_MULTILEVEL, /**< MPICH-G2's, static */
    ADVISE_MATEESCU,
};

/**
 * A tree in use is left only for one that is predicted to take this percent of its time or less:
 * predictions are not exact, and a tree that works is worth something. And the multilevel tree is
 * taken if it is nearly as good: it crosses slow links no more often one after the other than must
 * be, and what each crossing costs beyond the model is not known. So is, next to it, one in which
 * a single cluster passes nothing on.
 */
#define ADVISE_WORTH_PERCENT 95
#define ADVISE_PLAIN_PERCENT 90

struct advise_wish {
    enum advise_method method;
    int root; /**< a node of the matrix */
    uint64_t bytes;
    uint32_t segment;               /**< 0: the fastest as predicted */
    uint64_t seed;                  /**< of the annealing */
    int64_t budget;                 /**< ns for annealing; 0: the paper's numbers of runs */
    const pb_advice_tree_t *in_use; /**< the tree so far; NULL: none */
    int64_t (*now)(void *context);  /**< ns; a great value ends the annealing at once */
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
 * Finds the fastest tree as predicted. Annealed trees are of one stream; where the
 * two trees of the static plans are predicted to be clearly faster by the links as they are, they
 * are found instead. The caller gives it back by advise_found_clear(), which takes zeros and what
 * an error has left, too. Errors: PB_ERR_NO_MEMORY, PB_ERR_INPUT (no such root). */
int advise_find(const struct advise_network *network, const struct advise_wish *wish,
                struct advise_found *found);
void advise_found_clear(struct advise_found *found);

#endif
