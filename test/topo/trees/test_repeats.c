/*
 * Trees whose neighbors repeat for all roots, on random networks, over all ranks or some, also
 * inside hosts: few neighbors, and the kinds' other promises.
 */
#include <stdlib.h>
#include <string.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/trees/phases.h"
#include "topo/network/walk.h"

static const pb_plan_options_t repeating = {.fanout = 3, .repeats = true};

/** Marks which ranks are neighbors in a plan, by rank and rank; see tree_case_most_marked(). */
static void add_plan(char *marks, const pb_plan_t *plan)
{
    const size_t n = (size_t) plan->n_ranks;
    for (int s = 0; s < plan->n_streams; s++) {
        for (size_t rank = 0; rank < n; rank++) {
            const int parent = plan->streams[s].parent[rank];
            if (parent >= 0) {
                marks[rank * n + (size_t) parent] = 1;
                marks[(size_t) parent * n + rank] = 1;
            }
        }
    }
}

static char *no_marks(int n_ranks)
{
    char *marks = must_zeroed((size_t) n_ranks, (size_t) n_ranks);
    return marks;
}

static bool is_right(const tree_case_t *c, const pb_plan_t *plan)
{
    return plan->kind == PB_KIND_CHAIN
               ? tree_case_judge(c, plan, 1, TREE_CASE_ONE_EDGE) &&
                     plan->streams[0].height == plan->n_members - 1
               : tree_case_judge(c, plan, 32, TREE_CASE_ANY) && phases_are_free(c, plan);
}

/** A kind, and cases in which a rank has as many neighbors as it may. */
typedef struct judged {
    pb_kind_t kind;
    int n_exact;
} judged_t;

/** The plans of a kind from every root of the case are right, and give no rank more neighbors than
 * the kind says. */
static bool repeats(tree_case_t *c, pb_random_t *random, void *context)
{
    judged_t *judged = context;
    if (pb_random_below(random, 3) == 0) {
        (void) tree_case_locate(c, random);
    }
    char *marks = no_marks(c->placement->n_ranks);
    bool good = true;
    for (int i = 0; i < c->view->n_ranks && good; i++) {
        tree_case_t at = *c;
        pb_plan_t *plan = NULL;
        at.root = c->view->order[i];
        must(pb_view_new(c->placement, at.root, c->view->order, c->view->n_ranks, &at.view) ==
                 PB_SUCCESS &&
             pb_plan_compute(at.view, judged->kind, &repeating, &plan) == PB_SUCCESS);
        good = plan->root == at.root && is_right(&at, plan);
        add_plan(marks, plan);
        pb_plan_free(plan);
        pb_view_free(at.view);
    }
    const int most = tree_case_most_marked(marks, c->placement->n_ranks),
              may = pb_kind_neighbours(judged->kind, c->view->n_ranks);
    judged->n_exact += most == may;
    free(marks);
    return good && most <= may;
}

/** The neighbors that a rank has in one plan are counted as by marking them. */
static bool are_counted(tree_case_t *c, pb_random_t *random, void *context)
{
    bool good = true;
    (void) random;
    (void) context;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        pb_plan_t *plan = NULL;
        char *marks = no_marks(c->placement->n_ranks);
        must(pb_plan_compute(c->view, (pb_kind_t) kind, NULL, &plan) == PB_SUCCESS);
        add_plan(marks, plan);
        good = good &&
               pb_plan_most_neighbours(plan) == tree_case_most_marked(marks, c->placement->n_ranks);
        pb_plan_free(plan);
        free(marks);
    }
    return good;
}

static void test_kinds(void)
{
    ok(pb_kind_neighbours(PB_KIND_CHAIN, 64) == 2 && pb_kind_neighbours(PB_KIND_CHAIN, 2) == 1 &&
           pb_kind_neighbours(PB_KIND_CHAIN, 1) == 0,
       "a chain that repeats has two neighbours");
    ok(pb_kind_neighbours(PB_KIND_BINOMIAL, 64) == 12 &&
           pb_kind_neighbours(PB_KIND_BINOMIAL, 65) == 14 &&
           pb_kind_neighbours(PB_KIND_BINOMIAL, 4) == 3,
       "a binomial tree that repeats has two for each phase");
    ok(pb_kind_neighbours(PB_KIND_TWOTREE, 64) == 63, "others may come to have all");
}

/** Where the root's host has several ranks, the walk goes round it as it does elsewhere. */
static void test_walk(void)
{
    static const int wanted[] = {3, 4, 5, 0, 1, 2};
    tree_case_t c;
    int *order = NULL;
    tree_case_read(&c, "SwitchName=s Nodes=a,b,c", "a,a,b,b,c,c", 3);
    ok(pb_walk_new(c.view, &order) == PB_SUCCESS && memcmp(order, wanted, sizeof(wanted)) == 0,
       "the walk from rank 3 ends beside it");
    free(order);
    tree_case_clear(&c);
}

int main(void)
{
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_BINOMIAL};
    const int n_trials = tap_trials(100, 30);
    test_walk();
    test_kinds();
    tree_case_hold("neighbours in plans are counted", 77, 30, (tree_case_size_t){8, 40, 3, 0, true},
                   are_counted, NULL);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        judged_t judged = {.kind = kinds[k]};
        const char *name = pb_kind_name(kinds[k]);
        tree_case_hold(name, 42, n_trials, (tree_case_size_t){20, 40, 1, 0, true}, repeats,
                       &judged);
        tree_case_hold(name, 43, n_trials, (tree_case_size_t){6, 10, 8, 0, true}, repeats, &judged);
        ok(judged.n_exact > PB_SHAPE_COUNT * n_trials, "%s: and as many as it may have in %d", name,
           judged.n_exact);
    }
    return tap_done();
}
