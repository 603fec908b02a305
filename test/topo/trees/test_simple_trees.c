/* What each row of the table of kinds promises; flat, binomial and rank-order trees. */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/phases.h"
#include "test/topo/trees/tree_case.h"

static int binomial_is_right(const tree_case_t *c)
{
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_BINOMIAL, 0);
    int good = tree_case_judge(c, plan, 32, TREE_CASE_ANY) && phases_are_free(c, plan);
    pb_plan_free(plan);
    return good;
}

static int flat_is_right(const tree_case_t *c)
{
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_FLAT, 0);
    int good = tree_case_judge(c, plan, plan->n_members - 1, TREE_CASE_ONE_SENDER) &&
               plan->streams[0].height == (plan->n_members > 1);
    pb_plan_free(plan);
    return good;
}

/* The k-th member from the root on has the ((k - 1) / fanout)-th as its parent. */
static int rank_order_is_right(const tree_case_t *c, pb_kind_t kind, int fanout)
{
    pb_plan_t *plan = tree_case_plan(c, kind, 0);
    const pb_stream_t *stream = &plan->streams[0];
    int *members = malloc((size_t) plan->n_ranks * sizeof(*members)), n = 0;
    for (int i = 0; i < plan->n_ranks; i++) {
        int rank = (c->root + i) % plan->n_ranks;
        if (c->members == NULL || c->members[rank]) {
            members[n++] = rank;
        }
    }
    int good = tree_case_judge(c, plan, fanout, TREE_CASE_ANY) && n == plan->n_members;
    for (int k = 0; k < n && good; k++) {
        const int *child = &stream->child[stream->first_child[members[k]]];
        int n_children = stream->first_child[members[k] + 1] - stream->first_child[members[k]];
        for (int a = 0; a < n_children; a++) {
            const int place = fanout * k + 1 + a;
            good = good && place < n && child[a] == members[place];
        }
    }
    free(members);
    pb_plan_free(plan);
    return good;
}

static bool are_same(const pb_plan_t *a, const pb_plan_t *b)
{
    bool same = a->n_streams == b->n_streams;
    for (int s = 0; s < a->n_streams && same; s++) {
        same = memcmp(a->streams[s].parent, b->streams[s].parent,
                      (size_t) a->n_ranks * sizeof(int)) == 0;
    }
    return same;
}

/* Whether the plan of a kind is as its row says; 0: it does not fit where the row does not promise.
 */
static int row_is_right(const tree_case_t *c, pb_kind_t kind, bool *fits)
{
    const pb_kind_row_t *row = pb_kind_row(kind);
    const pb_plan_options_t few = {.fanout = 2}, many = {.fanout = 5};
    pb_plan_t *plan = NULL, *other = NULL;
    *fits = pb_plan_compute(c->view, kind, &few, &plan) == PB_SUCCESS;
    if (!*fits) {
        return !row->serves_all;
    }
    int good = pb_plan_compute(c->view, kind, &many, &other) == PB_SUCCESS &&
               tree_case_judge(c, plan, plan->n_ranks * plan->n_streams,
                               row->promises ? TREE_CASE_LOAD : TREE_CASE_ANY);
    good = good && plan->kind == kind && (row->several_streams || plan->n_streams == 1) &&
           (row->takes_fanout || are_same(plan, other));
    const pb_stream_t *stream = &plan->streams[0];
    good = good && (!row->reaches_all ||
                    stream->first_child[plan->root + 1] - stream->first_child[plan->root] ==
                        plan->n_members - 1);
    pb_plan_free(plan);
    pb_plan_free(other);
    return good;
}

static void test_rows(void)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        const pb_kind_row_t *row = pb_kind_row((pb_kind_t) kind);
        int n_right = 0, n_fit = 0, n = 0;
        for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
            pb_random_t random = pb_random_seed(7200 + (uint64_t) shape);
            for (int i = 0; i < 40; i++) {
                tree_case_t c;
                bool fits;
                tree_case_init(&c, &random, (pb_shape_t) shape,
                               (tree_case_size_t){1 + i % 12, 48, 2, 0, true});
                n_right += row_is_right(&c, (pb_kind_t) kind, &fits);
                n_fit += fits;
                n++;
                tree_case_clear(&c);
            }
        }
        ok(n_right == n && n_fit > 0 && (n_fit == n) == row->serves_all,
           "%s is as its row says in %d of %d cases, and fits %d", row->name, n_right, n, n_fit);
    }
}

int main(void)
{
    test_rows();
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        const char *name = pb_shape_name((pb_shape_t) shape);
        pb_random_t random = pb_random_seed(7100 + (uint64_t) shape);
        int n_binomial = 0, n_flat = 0, n_chain = 0, n_binary = 0;
        for (int i = 0; i < 300; i++) {
            tree_case_t c;
            tree_case_init(&c, &random, (pb_shape_t) shape, (tree_case_size_t){20, 80, 4, 0, true});
            n_binomial += binomial_is_right(&c);
            n_flat += flat_is_right(&c);
            n_chain += rank_order_is_right(&c, PB_KIND_RANK_CHAIN, 1);
            n_binary += rank_order_is_right(&c, PB_KIND_RANK_BINARY, 2);
            tree_case_clear(&c);
        }
        ok(n_binomial == 300, "%s: binomial, free in every phase in %d of 300", name, n_binomial);
        ok(n_flat == 300, "%s: flat in %d of 300", name, n_flat);
        ok(n_chain == 300, "%s: rank chain in %d of 300", name, n_chain);
        ok(n_binary == 300, "%s: rank binary in %d of 300", name, n_binary);
    }
    return tap_done();
}
