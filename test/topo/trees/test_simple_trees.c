/* Flat, binomial and rank-order trees. */
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

int main(void)
{
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
