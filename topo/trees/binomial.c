/*
 * A binomial tree by recursive halving of the depth-first order.
 *
 * Each phase cuts every range of two ranks or more in two; its first rank sends to the first of the
 * right part. The transfers of a phase go upwards in disjoint ranges, so no two of them share a
 * directed link (papers 1 and 2, Lemma 3). Each phase is contention-free on any network. Transfers
 * of different phases may share links, so that the tree is not meant for pipelining. The cut of
 * phase k is a fixed power of two behind the first rank, in ceil(log2 P) phases. O(P).
 *
 * Where neighbors are to repeat, the ranges are those of the closed walk. Over all roots a rank's
 * neighbors are at these distances on it, 2 ceil(log2 P) at most.
 */
#include <stdlib.h>

#include "topo/network/walk.h"
#include "topo/trees/plan.h"

typedef struct halving {
    const int *order;
    int *parent; /**< by rank */
    int *phase;  /**< by rank: in which it receives, which orders its parent's sends */
} halving_t;

/** Cuts [first, end) in the phases from `phase` on; depth of recursion: the number of phases. */
static void halve(halving_t *h, int first, int end, int half, int phase)
{
    if (end - first < 2) {
        return;
    }
    int cut = first + half;
    if (cut < end) {
        h->parent[h->order[cut]] = h->order[first];
        h->phase[h->order[cut]] = phase;
        halve(h, cut, end, half / 2, phase + 1);
    } else {
        cut = end; /* nobody is that far: the range waits for the next phase */
    }
    halve(h, first, cut, half / 2, phase + 1);
}

static int build(const pb_view_t *view, const int *order, pb_plan_t *plan)
{
    int *phase = calloc((size_t) plan->n_ranks, sizeof(*phase));
    if (phase == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int half = 1;
    while (2 * half < view->n_ranks) {
        half *= 2;
    }
    halving_t h = {order, plan->streams[0].parent, phase};
    halve(&h, 0, view->n_ranks, half, 0);
    int error = pb_plan_link_children(plan, 0, view, phase);
    free(phase);
    return error;
}

int pb_plan_binomial(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    int *walk = NULL;
    int error = options->repeats ? pb_walk_new(view, &walk) : PB_SUCCESS;
    pb_plan_t *plan = error == PB_SUCCESS ? pb_plan_new(view, PB_KIND_BINOMIAL, 1) : NULL;
    error = plan != NULL ? build(view, walk != NULL ? walk : view->order, plan) : PB_ERR_NO_MEMORY;
    free(walk);
    return pb_plan_end(plan, error, plan_p);
}
