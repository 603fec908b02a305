/*
 * Algorithm 2 for k children: against the printed algorithm, against all cuts, and by the checker.
 */
#include <stdlib.h>

#include "test/tap.h"
#include "test/topo/trees/literal_algorithm2.h"
#include "test/topo/trees/tree_case.h"
#include "topo/util/error.h"

static bool is_in_order(const pb_view_t *view, const pb_plan_t *plan)
{
    for (int i = 1; i < view->n_ranks; i++) {
        if (plan->streams[0].parent[view->order[i]] != view->order[i - 1]) {
            return false;
        }
    }
    return true;
}

/* Contention-free, with children within the fanout; more children make it no higher. Fanout 1 is a
 * chain in the view's order, 2 the kind binary, and P - 1 on one vertex the flat tree. */
static bool is_right(tree_case_t *c, pb_random_t *random, void *context)
{
    pb_plan_t *binary = tree_case_plan(c, PB_KIND_BINARY, 0);
    int before = c->view->n_ranks;
    bool good = true;
    (void) random;
    (void) context;
    for (int fanout = 1; fanout <= 6 && good; fanout++) {
        pb_plan_t *plan = tree_case_plan(c, PB_KIND_KARY, fanout);
        const int height = plan->streams[0].height;
        good = tree_case_judge(c, plan, fanout, TREE_CASE_ONE_SENDER) && height <= before &&
               (fanout != 1 || is_in_order(c->view, plan)) &&
               (fanout != 2 || tree_case_same_plan(plan, binary));
        before = height;
        pb_plan_free(plan);
    }
    pb_plan_t *wide = tree_case_plan(c, PB_KIND_KARY, 1000000);
    good = good && (c->view->n_vertices > 1 || wide->streams[0].height <= 1) &&
           tree_case_judge(c, wide, c->view->n_ranks, TREE_CASE_ONE_SENDER);
    pb_plan_free(wide);
    pb_plan_free(binary);
    return good;
}

/* Never higher than the printed algorithm's tree. */
static bool is_no_higher(tree_case_t *c, pb_random_t *random, void *context)
{
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_BINARY, 0);
    int *parent = malloc((size_t) plan->n_ranks * sizeof(int));
    (void) random;
    (void) context;
    const bool good = plan->streams[0].height <= literal_algorithm2(c->view, parent);
    free(parent);
    pb_plan_free(plan);
    return good;
}

/* The lowest k-ary tree over the depth-first order, by trying all cuts. */
typedef struct brute {
    const pb_view_t *view;
    int n, fanout;
} brute_t;

/* Tells whether the edge i -> k uses the link of v, upwards or downwards. */
static int uses(const pb_view_t *view, int i, int k, int v, int up)
{
    const pb_vertex_t *w = &view->vertices[v];
    int has_i = i >= w->first_rank && i < w->end_rank;
    int has_k = k >= w->first_rank && k < w->end_rank;
    return up ? has_i && !has_k : has_k && !has_i;
}

/* Tells whether i -> k contends with whatever tree covers p .. q: any such tree uses the
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

/* As low as cutting in all ways. */
static bool is_lowest(tree_case_t *c, pb_random_t *random, void *context)
{
    bool good = true;
    (void) random;
    (void) context;
    for (int fanout = 2; fanout <= 4 && c->view->n_ranks <= 16; fanout++) {
        pb_plan_t *plan = tree_case_plan(c, PB_KIND_KARY, fanout);
        const brute_t brute = {.view = c->view, .n = c->view->n_ranks, .fanout = fanout};
        int *memo = calloc((size_t) brute.n * (size_t) brute.n, sizeof(*memo));
        good = good && brute_height(&brute, memo, 0, brute.n - 1) == plan->streams[0].height;
        free(memo);
        pb_plan_free(plan);
    }
    return good;
}

int main(void)
{
    tree_case_hold("contention-free, with any fanout", 61, 200,
                   (tree_case_size_t){20, 80, 4, 0, true}, is_right, NULL);
    tree_case_hold("no higher than the printed algorithm", 42, 150,
                   (tree_case_size_t){12, 16, 4, 0, true}, is_no_higher, NULL);
    /* Few ranks on many switches: the printed algorithm's longer ranges can have lower trees. */
    tree_case_hold("nor with few ranks on many switches", 43, 200,
                   (tree_case_size_t){16, 26, 1, 0, false}, is_no_higher, NULL);
    tree_case_hold("as low as cutting in all ways", 62, 60, (tree_case_size_t){8, 10, 2, 0, true},
                   is_lowest, NULL);
    return tap_done();
}
