/*
 * A binomial tree by recursive halving of the depth-first order.
 *
 * In each phase every range of two ranks or more is cut in two, and its first
 * rank sends to the first rank of the right part. The transfers of a phase go
 * upwards in disjoint ranges, so that no two of them share a directed link
 * (papers 1 and 2, Lemma 3): each phase is contention-free on any network and
 * with any number of ranks. Transfers of different phases may share links, so
 * that the tree is not meant for pipelining.
 *
 * There are ceil(log2 P) phases whatever the cut, as long as neither part is
 * larger than half the next power of two. Within that freedom the cut goes to
 * the boundary of subtrees nearest to the root (ours), so that fewer transfers
 * cross trunks. O(P log P).
 */
#include <stdlib.h>

#include "topo/trees/order_bounds.h"
#include "topo/trees/plan.h"

typedef struct halving {
    const pb_view_t *view;
    const pb_order_bounds_t *bounds;
    int *parent; /* by rank */
    int *phase;  /* by rank: in which it receives, which orders its parent's sends */
} halving_t;

/* Cuts [first, end) in the phases from `phase` on; `half` bounds both parts of
 * the first cut. Depth of recursion: the number of phases. */
static void halve(halving_t *h, int first, int end, int half, int phase)
{
    if (end - first < 2) {
        return;
    }
    int low = end - half > first + 1 ? end - half : first + 1;
    int high = first + half < end - 1 ? first + half : end - 1;
    int cut = pb_order_bounds_cut(h->bounds, low, high);
    h->parent[h->view->order[cut]] = h->view->order[first];
    h->phase[h->view->order[cut]] = phase;
    halve(h, first, cut, half / 2, phase + 1);
    halve(h, cut, end, half / 2, phase + 1);
}

static int build(const pb_view_t *view, const pb_order_bounds_t *bounds, pb_plan_t *plan)
{
    int *phase = calloc((size_t) plan->n_ranks, sizeof(*phase));
    if (phase == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int half = 1;
    while (2 * half < view->n_ranks) {
        half *= 2;
    }
    halving_t h = {view, bounds, plan->streams[0].parent, phase};
    halve(&h, 0, view->n_ranks, half, 0);
    int error = pb_plan_link_children(plan, 0, view, phase);
    free(phase);
    return error;
}

int pb_plan_binomial(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    *plan_p = NULL;
    pb_order_bounds_t bounds;
    int error = pb_order_bounds_init(&bounds, view);
    if (error != PB_SUCCESS) {
        return error;
    }
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_BINOMIAL, 1);
    error = plan != NULL ? build(view, &bounds, plan) : PB_ERR_NO_MEMORY;
    pb_order_bounds_clear(&bounds);
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}
