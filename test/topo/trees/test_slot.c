/* The slot method: by the checker, against Algorithm 2, and against the optimum. */
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/exact_binary.h"
#include "test/topo/trees/tree_case.h"

static int height_of(const tree_case_t *c, pb_kind_t kind)
{
    pb_plan_t *plan = tree_case_plan(c, kind, 0);
    int height = plan->streams[0].height;
    pb_plan_free(plan);
    return height;
}

typedef struct tally {
    int n;
    int good;   /* contention-free */
    int higher; /* than Algorithm 2 */
    int differ; /* between two runs */
} tally_t;

static int differ(const pb_plan_t *a, const pb_plan_t *b)
{
    size_t n = (size_t) a->n_ranks * sizeof(int);
    return memcmp(a->streams[0].parent, b->streams[0].parent, n) != 0 ||
           memcmp(a->streams[0].first_child, b->streams[0].first_child, n + sizeof(int)) != 0;
}

static void trial(pb_random_t *random, pb_shape_t shape, tree_case_size_t size, tally_t *tally)
{
    tree_case_t c;
    tree_case_init(&c, random, shape, size);
    pb_plan_t *plan = tree_case_plan(&c, PB_KIND_BINARY, 0);
    pb_plan_t *again = tree_case_plan(&c, PB_KIND_BINARY, 0);
    tally->n++;
    tally->good += tree_case_judge(&c, plan, 2, TREE_CASE_ONE_SENDER);
    tally->higher += plan->streams[0].height > height_of(&c, PB_KIND_BINARY_PAPER);
    tally->differ += differ(plan, again);
    pb_plan_free(plan);
    pb_plan_free(again);
    tree_case_clear(&c);
}

static void many(pb_shape_t shape, int n, tree_case_size_t size)
{
    pb_random_t random = pb_random_seed(5100 + (uint64_t) shape);
    tally_t tally = {0};
    for (int i = 0; i < n; i++) {
        trial(&random, shape, size, &tally);
    }
    const char *name = pb_shape_name(shape);
    ok(tally.good == n, "%s, up to %d hosts: contention-free in %d of %d", name, size.max_hosts,
       tally.good, n);
    ok(tally.higher == 0, "%s: higher than Algorithm 2 in %d", name, tally.higher);
    ok(tally.differ == 0, "%s: the same again but for %d", name, tally.differ);
}

/* How far above the optimum, where exact search can tell. */
static void compare_exact(pb_shape_t shape, int n)
{
    pb_random_t random = pb_random_seed(5200 + (uint64_t) shape);
    int n_optimal = 0, n_one_above = 0, n_more = 0, n_unknown = 0, n_paper = 0;
    int n_missed = 0;
    for (int i = 0; i < n; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, (tree_case_size_t){8, 14, 2, 0, false});
        int height = height_of(&c, PB_KIND_BINARY), lower = -1;
        if (c.view->n_ranks <= 24) {
            lower = height == 0 ? 0 : exact_binary_exists(c.view, height - 1, 200000);
        }
        /* The search has to find what the slot method found. */
        n_missed += lower >= 0 && exact_binary_exists(c.view, height, 200000) == 0;
        n_unknown += lower < 0;
        n_optimal += lower == 0;
        n_paper += lower == 0 && height_of(&c, PB_KIND_BINARY_PAPER) == height;
        if (lower == 1) {
            int more = height >= 2 && exact_binary_exists(c.view, height - 2, 200000) == 1;
            n_more += more;
            n_one_above += !more;
        }
        tree_case_clear(&c);
    }
    printf("# %s: optimal %d, one level above %d, more %d, not known %d; Algorithm 2 optimal %d\n",
           pb_shape_name(shape), n_optimal, n_one_above, n_more, n_unknown, n_paper);
    ok(n_missed == 0, "%s: exact search missed %d trees", pb_shape_name(shape), n_missed);
    ok(n_more == 0, "%s: never more than one level above the optimum", pb_shape_name(shape));
    ok(n_optimal + n_unknown >= n - n / 50, "%s: nearly always optimal", pb_shape_name(shape));
}

int main(void)
{
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        many((pb_shape_t) shape, tap_trials(400, 50), (tree_case_size_t){12, 24, 4, 0, true});
        many((pb_shape_t) shape, tap_trials(100, 20), (tree_case_size_t){40, 200, 4, 0, true});
        compare_exact((pb_shape_t) shape, tap_trials(300, 50));
    }
    return tap_done();
}
