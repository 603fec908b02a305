/*
 * The circulant schedule of Traeff (arXiv 2407.18004) as q = ceil(log2 P) trees.
 *
 * In round i, rank r (counted from the root) receives from r - skip[k] and sends
 * to r + skip[k], k = i mod q, where the skips halve from P down, rounded up.
 * The root sends segment s in round s. In the schedule, a rank receives
 * segments of the same residue modulo q always in rounds of the same k, so
 * always from the same neighbour: each residue is a tree, and each a stream.
 * A rank sends to its children in the order of the rounds after its receipt.
 *
 * Which residue comes in which round is found by a greedy search. Every rank r
 * other than the root has a canonical path of falling skips from 0 to it; the
 * last and least of these skips has the index that is the rank's *base*, the
 * residue that it receives first. In round k, rank r receives the base of some
 * rank between r - skip[k + 1] and r - skip[k] from which the segment reaches r
 * - skip[k] in the rounds before; the nearest such rank whose base is not yet
 * taken is the one. The tests verify the outcome for each P up to a bound.
 *
 * The schedule is one round better than its trees: all its rounds past the last
 * segment repeat that one alone, over other edges than the tree of its residue.
 * With fixed trees at full rate the root can send each segment once only, so
 * that X + ceil(log2(P - 1)) is the least possible; the trees attain it for P a
 * power of two.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "topo/trees/plan.h"

typedef struct search {
    int n_ranks;
    int q;                             /**< rounds of a period */
    int skip[PB_PLAN_MAX_STREAMS + 1]; /**< skip[q] is n_ranks */
    int target;                        /**< the rank, plus n_ranks so that paths do not wrap */
    int nearest;                       /**< only ranks before this one are still of use */
    int round;                         /**< that a base is wanted for */
    int n_free;
    int free_bases[PB_PLAN_MAX_STREAMS +
                   1]; /**< not yet taken, falling; q stands for the own one */
    int base_of_round[PB_PLAN_MAX_STREAMS + 1];
} search_t;

static void prepare_skips(search_t *s)
{
    s->q = 0;
    while ((1 << s->q) < s->n_ranks) {
        s->q++;
    }
    s->skip[s->q] = s->n_ranks;
    for (int k = s->q; k > 0; k--) {
        s->skip[k - 1] = (s->skip[k] + 1) / 2;
    }
}

/** The least skip of the canonical path to rank r, by index. */
static int base_of(const search_t *s, int r)
{
    int k = s->q - 1;
    while (s->skip[k] != r) {
        if (s->skip[k] < r) {
            r -= s->skip[k];
        }
        k--;
    }
    return k;
}

static void take_base(search_t *s, int base)
{
    int kept = 0;
    for (int i = 0; i < s->n_free; i++) {
        if (s->free_bases[i] != base) {
            s->free_bases[kept++] = s->free_bases[i];
        }
    }
    s->n_free = kept;
    s->base_of_round[s->round++] = base;
}

static bool is_free(const search_t *s, int base)
{
    for (int i = 0; i < s->n_free; i++) {
        if (s->free_bases[i] == base) {
            return true;
        }
    }
    return false;
}

/**
 * Searches the canonical paths that go on from rank `from` with skips of index
 * `largest` or less, nearest to the target first, and serves the rounds in
 * turn.
 */
static void search_paths(search_t *s, int from, int largest)
{
    for (int base = largest; base >= 0 && s->round < s->q; base--) {
        const int reached = from + s->skip[base];
        if (!is_free(s, base) || reached > s->target - s->skip[s->round] || reached >= s->nearest) {
            continue;
        }
        if (reached <= s->target - s->skip[s->round + 1]) {
            search_paths(s, reached, base);
            if (s->round == s->q) {
                return;
            }
        }
        /* From here on, `from` itself is too near for the round. */
        if (from > s->target - s->skip[s->round + 1]) {
            return;
        }
        s->nearest = reached;
        take_base(s, base);
    }
}

/** Fills base_of_round for a rank other than the root; q means its own base. */
static void search_rank(search_t *s, int r)
{
    const int own = base_of(s, r);
    s->target = s->n_ranks + r;
    s->nearest = 2 * s->n_ranks;
    s->round = 0;
    s->n_free = 0;
    for (int base = s->q; base >= 0; base--) {
        if (base != own) {
            s->free_bases[s->n_free++] = base;
        }
    }
    search_paths(s, 0, s->q);
    for (int k = 0; k < s->q; k++) {
        s->base_of_round[k] = s->base_of_round[k] == s->q ? own : s->base_of_round[k];
    }
}

static void fill_parents(search_t *s, const pb_view_t *view, pb_plan_t *plan)
{
    for (int r = 1; r < s->n_ranks; r++) {
        search_rank(s, r);
        for (int k = 0; k < s->q; k++) {
            const int sender = (r - s->skip[k] + s->n_ranks) % s->n_ranks;
            pb_stream_t *stream = &plan->streams[s->base_of_round[k]];
            stream->parent[view->order[r]] = view->order[sender];
        }
    }
}

/** The index k of the skip by which the rank at position r receives in this stream. */
static int round_of(const search_t *s, const pb_view_t *view, const pb_stream_t *stream, int r)
{
    const int sender = view->position[stream->parent[view->order[r]]];
    const int skip = (r - sender + s->n_ranks) % s->n_ranks;
    int k = 0;
    while (s->skip[k] != skip) {
        k++;
    }
    return k;
}

/** Children in the order of the rounds that follow the receipt. */
static int link_children(const search_t *s, const pb_view_t *view, pb_plan_t *plan)
{
    int *rank_order = calloc((size_t) plan->n_ranks, sizeof(*rank_order));
    int rc = rank_order != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int i = 0; i < plan->n_streams && rc == PB_SUCCESS; i++) {
        const pb_stream_t *stream = &plan->streams[i];
        for (int r = 1; r < s->n_ranks; r++) {
            const int rank = view->order[r];
            const int sender = view->position[stream->parent[rank]];
            const int received = sender > 0 ? round_of(s, view, stream, sender) : 0;
            rank_order[rank] = (round_of(s, view, stream, r) - received - 1 + 2 * s->q) % s->q;
        }
        rc = pb_plan_link_children(plan, i, view, rank_order);
    }
    free(rank_order);
    return rc;
}

int pb_plan_circulant(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    search_t s = {.n_ranks = view->n_ranks};
    *plan_p = NULL;
    if (view->n_vertices != 1) {
        return PB_ERR_UNFIT;
    }
    prepare_skips(&s);
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_CIRCULANT, s.q > 0 ? s.q : 1);
    if (plan == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    fill_parents(&s, view, plan);
    const int rc = link_children(&s, view, plan);
    if (rc != PB_SUCCESS) {
        pb_plan_free(plan);
        return rc;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}
