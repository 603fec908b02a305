/*
 * A binomial tree by recursive halving of the depth-first order.
 *
 * In each phase every range of two ranks or more is cut in two. Its first rank sends to the first
 * rank of the right part. The transfers of a phase go upwards in disjoint ranges, so no two of them
 * share a directed link (papers 1 and 2, Lemma 3). Each phase is contention-free on any network and
 * with any number of ranks. Transfers of different phases may share links, so that the tree is not
 * meant for pipelining.
 *
 * There are ceil(log2 P) phases whatever the cut, as long as neither part is larger than half the
 * next power of two. Within that freedom the cut goes to the boundary of subtrees nearest to the
 * root (ours), so that fewer transfers cross trunks. O(P log P).
 *
 * Where neighbors are to repeat, the ranges are those of the closed walk. The cut of phase k is a
 * fixed power of two behind the first rank. So over all roots a rank's neighbors are at these
 * distances on the walk, both ways, 2 ceil(log2 P) at most. O(P).
 */
#include <stdlib.h>

#include "topo/network/walk.h"
#include "topo/trees/order_bounds.h"
#include "topo/trees/plan.h"

typedef struct halving {
    const int *order;
    const pb_order_bounds_t *bounds; /**< NULL: cuts are at fixed distances */
    int *parent;                     /**< by rank */
    int *phase; /**< by rank: in which it receives, which orders its parent's sends */
} halving_t;

/** The cut of [first, end): either part has `half` ranks at most. */
static int find_cut(const halving_t *h, int first, int end, int half)
{
    if (h->bounds == NULL) {
        return first + half;
    }
    int low = end - half > first + 1 ? end - half : first + 1;
    int high = first + half < end - 1 ? first + half : end - 1;
    return pb_order_bounds_cut(h->bounds, low, high);
}

/** Cuts [first, end) in the phases from `phase` on; depth of recursion: the number of phases. */
static void halve(halving_t *h, int first, int end, int half, int phase)
{
    if (end - first < 2) {
        return;
    }
    int cut = find_cut(h, first, end, half);
    if (cut < end) {
        h->parent[h->order[cut]] = h->order[first];
        h->phase[h->order[cut]] = phase;
        halve(h, cut, end, half / 2, phase + 1);
    } else {
        cut = end; /* nobody is that far: the range waits for the next phase */
    }
    halve(h, first, cut, half / 2, phase + 1);
}

static int build(const pb_view_t *view, const int *order, const pb_order_bounds_t *bounds,
                 pb_plan_t *plan)
{
    int *phase = calloc((size_t) plan->n_ranks, sizeof(*phase));
    if (phase == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int half = 1;
    while (2 * half < view->n_ranks) {
        half *= 2;
    }
    halving_t h = {order, bounds, plan->streams[0].parent, phase};
    halve(&h, 0, view->n_ranks, half, 0);
    int error = pb_plan_link_children(plan, 0, view, phase);
    free(phase);
    return error;
}

static int make(const pb_view_t *view, const int *order, const pb_order_bounds_t *bounds,
                pb_plan_t **plan_p)
{
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_BINOMIAL, 1);
    int error = plan != NULL ? build(view, order, bounds, plan) : PB_ERR_NO_MEMORY;
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}

static int make_on_walk(const pb_view_t *view, pb_plan_t **plan_p)
{
    int *walk;
    int error = pb_walk_new(view, &walk);
    if (error == PB_SUCCESS) {
        error = make(view, walk, NULL, plan_p);
        free(walk);
    }
    return error;
}

int pb_plan_binomial(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    pb_order_bounds_t bounds;
    *plan_p = NULL;
    if (options->repeats) {
        return make_on_walk(view, plan_p);
    }
    int error = pb_order_bounds_init(&bounds, view);
    if (error == PB_SUCCESS) {
        error = make(view, view->order, &bounds, plan_p);
        pb_order_bounds_clear(&bounds);
    }
    return error;
}
