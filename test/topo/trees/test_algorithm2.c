/*
 * Algorithm 2 for k children: against the printed algorithm, against all cuts, and by the checker.
 */
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/literal_algorithm2.h"
#include "test/topo/trees/tree_case.h"
#include "topo/util/error.h"

typedef struct tally {
    int n;
    int good;   /* contention-free, children within the fanout */
    int rising; /* higher with a larger fanout */
    int binary; /* the kind binary has the tree of fanout 2 */
    int chain;  /* fanout 1 is a chain in the view's order */
    int flat;   /* fanout P - 1 on one vertex is the flat tree */
} tally_t;

static bool is_in_order(const pb_view_t *view, const pb_plan_t *plan)
{
    for (int i = 1; i < view->n_ranks; i++) {
        if (plan->streams[0].parent[view->order[i]] != view->order[i - 1]) {
            return false;
        }
    }
    return true;
}

static bool has_same_parents(const pb_plan_t *a, const pb_plan_t *b)
{
    return memcmp(a->streams[0].parent, b->streams[0].parent, (size_t) a->n_ranks * sizeof(int)) ==
           0;
}

static void trial(pb_random_t *random, pb_shape_t shape, tally_t *tally)
{
    tree_case_t c;
    tree_case_init(&c, random, shape, (tree_case_size_t){20, 80, 4, 0, true});
    pb_plan_t *binary = tree_case_plan(&c, PB_KIND_BINARY, 0);
    int before = c.view->n_ranks, good = 1;
    for (int fanout = 1; fanout <= 6; fanout++) {
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_KARY, fanout);
        int height = plan->streams[0].height;
        good = good && tree_case_judge(&c, plan, fanout, TREE_CASE_ONE_SENDER);
        tally->rising += height > before;
        tally->chain += fanout == 1 && is_in_order(c.view, plan);
        tally->binary += fanout == 2 && has_same_parents(plan, binary);
        before = height;
        pb_plan_free(plan);
    }
    pb_plan_t *wide = tree_case_plan(&c, PB_KIND_KARY, 1000000);
    tally->flat += c.view->n_vertices > 1 || wide->streams[0].height <= 1;
    tally->good += good && tree_case_judge(&c, wide, c.view->n_ranks, TREE_CASE_ONE_SENDER);
    tally->n++;
    pb_plan_free(wide);
    pb_plan_free(binary);
    tree_case_clear(&c);
}

/* Never higher than the printed algorithm's tree. */
static void compare_literal(pb_shape_t shape, int n_trials, tree_case_size_t size)
{
    pb_random_t random = pb_random_seed(4200 + (uint64_t) shape);
    int n_higher = 0, n_lower = 0;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, size);
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_BINARY, 0);
        int *parent = malloc((size_t) plan->n_ranks * sizeof(int));
        const int height = literal_algorithm2(c.view, parent);
        n_higher += plan->streams[0].height > height;
        n_lower += plan->streams[0].height < height;
        free(parent);
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    ok(n_higher == 0, "%s: lower than the printed algorithm in %d of %d, higher in %d",
       pb_shape_name(shape), n_lower, n_trials, n_higher);
}

/* The lowest k-ary tree over the depth-first order, by trying all cuts. */
typedef struct brute {
    const pb_view_t *view;
    int n, fanout;
} brute_t;

/* Whether the edge i -> k uses the link of v, upwards or downwards. */
static int uses(const pb_view_t *view, int i, int k, int v, int up)
{
    const pb_vertex_t *w = &view->vertices[v];
    int has_i = i >= w->first_rank && i < w->end_rank;
    int has_k = k >= w->first_rank && k < w->end_rank;
    return up ? has_i && !has_k : has_k && !has_i;
}

/* Whether i -> k contends with whatever tree covers p .. q: any such tree uses the
 * links on the way from p to q. */
static int contends(const pb_view_t *view, int i, int k, int p, int q)
{
    for (int v = 1; v < view->n_vertices; v++) {
        if ((uses(view, i, k, v, 1) && uses(view, p, q, v, 1)) ||
            (uses(view, i, k, v, 0) && uses(view, p, q, v, 0))) {
            return 1;
        }
    }
    return 0;
}

static int brute_height(const brute_t *b, int *memo, int i, int j);

/* The least height of sub-arrays that cover p .. j, with n children at most; those
 * before begin at starts[0 .. n_starts - 1]. */
static int brute_rest(const brute_t *b, int *memo, int i, int j, int p, int *starts, int n_starts)
{
    int best = brute_height(b, memo, p, j);
    starts[n_starts] = p;
    if (n_starts + 1 == b->fanout) {
        return best;
    }
    for (int k = p + 1; k <= j; k++) {
        int fits = 1;
        for (int a = 0; a <= n_starts && fits; a++) {
            int end = a < n_starts ? starts[a + 1] - 1 : k - 1;
            fits = !contends(b->view, i, k, starts[a], end) &&
                   !tree_case_together(b->view->placement, b->view->order[starts[a]],
                                       b->view->order[k], b->view->order[i]);
        }
        if (fits) {
            int left = brute_height(b, memo, p, k - 1);
            int rest = brute_rest(b, memo, i, j, k, starts, n_starts + 1);
            int height = left > rest ? left : rest;
            best = height < best ? height : best;
        }
    }
    return best;
}

static int brute_height(const brute_t *b, int *memo, int i, int j)
{
    int *known = &memo[i * b->n + j], starts[8];
    if (i == j) {
        return 0;
    }
    if (*known == 0) {
        *known = 1 + brute_rest(b, memo, i, j, i + 1, starts, 0);
    }
    return *known;
}

static void compare_brute(pb_shape_t shape)
{
    pb_random_t random = pb_random_seed(6200 + (uint64_t) shape);
    int n_same = 0, n = 0;
    for (int i = 0; i < 60; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, (tree_case_size_t){8, 10, 2, 0, true});
        for (int fanout = 2; fanout <= 4 && c.view->n_ranks <= 16; fanout++) {
            pb_plan_t *plan = tree_case_plan(&c, PB_KIND_KARY, fanout);
            brute_t brute = {.view = c.view, .n = c.view->n_ranks, .fanout = fanout};
            int *memo = calloc((size_t) brute.n * (size_t) brute.n, sizeof(*memo));
            n++;
            n_same += brute_height(&brute, memo, 0, brute.n - 1) == plan->streams[0].height;
            free(memo);
            pb_plan_free(plan);
        }
        tree_case_clear(&c);
    }
    ok(n_same == n, "%s: as low as cutting in all ways in %d of %d", pb_shape_name(shape), n_same,
       n);
}

int main(void)
{
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        const char *name = pb_shape_name((pb_shape_t) shape);
        pb_random_t random = pb_random_seed(6100 + (uint64_t) shape);
        tally_t tally = {0};
        for (int i = 0; i < 200; i++) {
            trial(&random, (pb_shape_t) shape, &tally);
        }
        ok(tally.good == tally.n, "%s: contention-free in %d of %d", name, tally.good, tally.n);
        ok(tally.chain == tally.n, "%s: fanout 1 is a chain in the view's order", name);
        ok(tally.binary == tally.n, "%s: binary is fanout 2", name);
        ok(tally.rising == 0, "%s: more children, never higher", name);
        ok(tally.flat == tally.n, "%s: one vertex and many children: flat", name);
        compare_literal((pb_shape_t) shape, 150, (tree_case_size_t){12, 16, 4, 0, true});
        /* Few ranks on many switches: the printed algorithm's longer ranges can have lower trees.
         */
        compare_literal((pb_shape_t) shape, 200, (tree_case_size_t){16, 26, 1, 0, false});
        compare_brute((pb_shape_t) shape);
    }
    return tap_done();
}
