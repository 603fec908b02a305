/* Algorithm 2, fast, against the printed one, and by the checker. */
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/literal_algorithm2.h"
#include "test/topo/trees/tree_case.h"

static int same_edges(const pb_plan_t *plan, const int *parent, int height)
{
    return plan->streams[0].height == height &&
           memcmp(plan->streams[0].parent, parent, (size_t) plan->n_ranks * sizeof(int)) == 0;
}

/* Small networks: the very edges that the printed algorithm picks. */
static void compare(pb_shape_t shape, int n_trials, tree_case_size_t size)
{
    pb_random_t random = pb_random_seed(4200 + (uint64_t) shape);
    int n_same = 0, n_good = 0;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, size);
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_BINARY_PAPER, 0);
        int *parent = malloc((size_t) plan->n_ranks * sizeof(int));
        int height = literal_algorithm2(c.view, parent);
        n_same += same_edges(plan, parent, height);
        n_good += tree_case_judge(&c, plan, 2, TREE_CASE_ONE_SENDER);
        free(parent);
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    ok(n_same == n_trials, "%s: edges as printed in %d of %d", pb_shape_name(shape), n_same,
       n_trials);
    ok(n_good == n_trials, "%s: contention-free in %d of %d", pb_shape_name(shape), n_good,
       n_trials);
}

/* Larger ones: the checker only. */
static void check(pb_shape_t shape)
{
    pb_random_t random = pb_random_seed(4300 + (uint64_t) shape);
    int n_good = 0;
    for (int i = 0; i < 100; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, (tree_case_size_t){40, 300, 4, 0, true});
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_BINARY_PAPER, 0);
        n_good += tree_case_judge(&c, plan, 2, TREE_CASE_ONE_SENDER);
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    ok(n_good == 100, "%s, up to 300 hosts: contention-free in %d of 100", pb_shape_name(shape),
       n_good);
}

int main(void)
{
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        compare((pb_shape_t) shape, 150, (tree_case_size_t){12, 16, 4, 0, true});
        /* Few ranks on many switches: here longer sub-arrays can have lower trees. */
        compare((pb_shape_t) shape, 400, (tree_case_size_t){16, 26, 1, 0, false});
        check((pb_shape_t) shape);
    }
    return tap_done();
}
