/*
 * Two trees on random networks, with links of equal and unequal speed: checkers, near the bound on
 * time, with tables kept across roots.
 */
#include <stdlib.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/check/completion.h"
#include "test/topo/trees/tree_case.h"
#include "topo/network/view_merge.h"
#include "topo/trees/twotree/internal.h"

/* Random networks of each shape. */
static int n_trials;

/* ---- the rule ---- */

/* Two edges a link and a rank; the same again, and with what is kept of other plans. */
static bool is_right(tree_case_t *c, pb_random_t *random, void *context)
{
    pb_tables_t *tables = context;
    const pb_plan_options_t options = {.fanout = 3, .tables = tables};
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        pb_plan_t *plan = tree_case_plan(c, PB_KIND_TWOTREE, 0), *kept = NULL, *again = NULL;
        must(pb_plan_compute(c->view, PB_KIND_TWOTREE, &options, &kept) == PB_SUCCESS &&
             pb_plan_compute(c->view, PB_KIND_TWOTREE, &options, &again) == PB_SUCCESS);
        good = tree_case_judge(c, plan, 2, TREE_CASE_LOAD) && tree_case_same_plan(plan, kept) &&
               tree_case_same_plan(plan, again);
        pb_plan_free(plan);
        pb_plan_free(kept);
        pb_plan_free(again);
        /* Another root among the ranks that take part. */
        pb_view_t *view;
        c->root = c->view->order[pb_random_below(random, c->view->n_ranks)];
        must(pb_view_new(c->placement, c->root, c->members != NULL ? c->view->order : NULL,
                         c->view->n_ranks, &view) == PB_SUCCESS);
        pb_view_free(c->view);
        c->view = view;
    }
    return good;
}

/* Random networks, small and large; many have the same tables. */
static void test_rule(const char *what, int max_speed)
{
    pb_tables_t tables = {0};
    tree_case_hold(what, 83, n_trials, (tree_case_size_t){6, 18, 4, max_speed, true}, is_right,
                   &tables);
    tree_case_hold(what, 84, n_trials / 8, (tree_case_size_t){20, 60, 4, max_speed, true}, is_right,
                   &tables);
    const size_t memory = pb_tables_memory(&tables);
    pb_tables_clear(&tables);
    ok(memory > 0 && pb_tables_memory(&tables) == 0, "%s: %zu bytes are given back", what, memory);
}

/* ---- speeds ---- */

/* Not higher than with equal links, where trunks are slower or faster than hosts. */
static bool is_no_higher(tree_case_t *c, pb_random_t *random, void *context)
{
    tree_case_t used, equal;
    tree_case_with_speeds(&used, c, *(const uint32_t *) context,
                          1 + (uint32_t) pb_random_below(random, 20));
    tree_case_with_speeds(&equal, c, 1, 1);
    pb_plan_t *plan = tree_case_plan(&used, PB_KIND_TWOTREE, 0);
    pb_plan_t *of_equal = tree_case_plan(&equal, PB_KIND_TWOTREE, 0);
    const bool good = tree_case_judge(&used, plan, 2, TREE_CASE_LOAD) &&
                      tree_case_height(plan) <= tree_case_height(of_equal);
    pb_plan_free(plan);
    pb_plan_free(of_equal);
    tree_case_clear(&used);
    tree_case_clear(&equal);
    return good;
}

/* Means over 20 of the papers' clusters, per_switch hosts on each switch on average. */
static void test_paper(int n_hosts, int per_switch, uint32_t trunks, double max_height,
                       double max_above)
{
    enum { N = 20, SEGMENTS = 64 };
    const double bound = SEGMENTS - 1 + tree_case_log2_up(n_hosts);
    double height = 0, above = 0;
    int n_good = 0;
    for (int i = 0; i < N; i++) {
        pb_random_t random = pb_random_seed((uint64_t) (n_hosts + i));
        tree_case_t base = {.root = 0}, c;
        base.network = pb_random_network(&random, PB_SHAPE_PAPER, n_hosts / per_switch, n_hosts, 0);
        base.placement = pb_random_placement(&random, base.network, 1);
        must(pb_view_new(base.placement, 0, NULL, 0, &base.view) == PB_SUCCESS);
        tree_case_with_speeds(&c, &base, 1, trunks);
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_TWOTREE, 0);
        n_good += tree_case_judge(&c, plan, 2, TREE_CASE_LOAD);
        height += (double) tree_case_height(plan) / N;
        above += (completion(c.placement, plan, SEGMENTS) - bound) / N;
        pb_plan_free(plan);
        tree_case_clear(&c);
        tree_case_clear(&base);
    }
    ok(n_good == N && height <= max_height && above <= max_above,
       "%d hosts, %d a switch, trunks x %u: %d are right, mean height %.2f, at most %.2f, and %.2f "
       "segment times above the bound, at most %.2f",
       n_hosts, per_switch, trunks, n_good, height, max_height, above, max_above);
}

/* Close to X - 1 + ceil(log2 P), the bound where a segment takes one time to any host; here it
 * takes one over each link. */
static void test_bound(int n_switches, int per_switch, int above)
{
    tree_case_t c;
    double worst = 0;
    tree_case_line(&c, n_switches, per_switch, 0, 0);
    pb_plan_t *plan = tree_case_plan(&c, PB_KIND_TWOTREE, 0);
    for (int x = 16; x <= 512; x *= 2) {
        const double over =
            completion(c.placement, plan, x) - (x - 1 + tree_case_log2_up(n_switches * per_switch));
        worst = over > worst ? over : worst;
    }
    ok(worst <= above && tree_case_height(plan) <= 7,
       "%d x %d: %.0f segment times above the bound, at most %d; height %d", n_switches, per_switch,
       worst, above, tree_case_height(plan));
    pb_plan_free(plan);
    tree_case_clear(&c);
}

/* ---- merged views ---- */

/* A merged view is a view: ranges nest, every rank is in its vertex's range. */
static bool is_sound(const pb_view_t *merged, const pb_view_t *view)
{
    bool sound =
        merged->order[0] == view->order[0] && merged->vertices[0].end_rank == view->n_ranks;
    for (int p = 0; p < view->n_ranks && sound; p++) {
        const pb_vertex_t *vertex = &merged->vertices[merged->attached[p]];
        const int rank = merged->order[p];
        sound = merged->position[rank] == p && vertex->first_rank <= p && p < vertex->end_local &&
                merged->speed[p] == view->speed[view->position[rank]];
    }
    for (int v = 1; v < merged->n_vertices && sound; v++) {
        const pb_vertex_t *vertex = &merged->vertices[v];
        const pb_vertex_t *parent = &merged->vertices[vertex->parent];
        sound = vertex->parent < v && vertex->end <= parent->end && vertex->end > v &&
                parent->end_local <= vertex->first_rank && vertex->end_rank <= parent->end_rank;
    }
    return sound;
}

static bool merges(tree_case_t *c, pb_random_t *random, void *context)
{
    const int n = c->view->n_vertices;
    bool *joined = calloc((size_t) n, sizeof(*joined));
    int n_joined = 0;
    (void) context;
    for (int v = 1; v < n; v++) {
        joined[v] = pb_random_below(random, 2) == 1;
        n_joined += joined[v];
    }
    pb_view_t *merged;
    must(pb_view_merge(c->view, joined, &merged) == PB_SUCCESS);
    const bool good = is_sound(merged, c->view) && merged->n_vertices == n - n_joined;
    pb_view_free(merged);
    free(joined);
    return good;
}

/* ---- tables ---- */

static int n_made(const pb_view_t *view, pb_tables_t *tables)
{
    const pb_plan_options_t options = {.fanout = 3, .tables = tables};
    const int before = tables->twotree != NULL ? tables->twotree->shapes.n : 0;
    pb_plan_t *plan;
    must(pb_plan_compute(view, PB_KIND_TWOTREE, &options, &plan) == PB_SUCCESS);
    pb_plan_free(plan);
    return tables->twotree->shapes.n - before;
}

/* Another root's subtrees hang from other links only between both roots: at most a table for each
 * link on the way is made. */
static bool costs_the_way(tree_case_t *c, pb_random_t *random, void *context)
{
    pb_tables_t tables = {0};
    bool good = n_made(c->view, &tables) <= c->view->n_vertices;
    (void) context;
    for (int i = 0; i < 20 && good; i++) {
        const int root = pb_random_below(random, c->placement->n_ranks);
        pb_view_t *view;
        int n_links = 0;
        for (int v = c->view->attached[c->view->position[root]]; v > 0;
             v = c->view->vertices[v].parent) {
            n_links++;
        }
        must(pb_view_new(c->placement, root, NULL, 0, &view) == PB_SUCCESS);
        /* With the root's own vertex; that is known too if both sit at one switch. */
        good = n_made(view, &tables) <= (n_links > 0 ? n_links + 1 : 0);
        pb_view_free(c->view);
        c->view = view;
    }
    good = good && tables.twotree->shapes.n <= 3 * c->view->n_vertices - 2;
    pb_tables_clear(&tables);
    return good;
}

int main(void)
{
    uint32_t slow = 1, fast = 6;
    n_trials = tap_trials(200, 40);
    test_rule("equal links", 0);
    test_rule("links of any speed", 20);
    tree_case_hold("trunks of 1 to 20 times a host's speed", 85, n_trials,
                   (tree_case_size_t){6, 18, 4, 0, true}, is_no_higher, &slow);
    tree_case_hold("trunks of 1/6 to 3 times a host's speed", 86, n_trials,
                   (tree_case_size_t){6, 18, 4, 0, true}, is_no_higher, &fast);
    tree_case_hold("merged views", 87, n_trials, (tree_case_size_t){20, 60, 4, 0, true}, merges,
                   NULL);
    tree_case_hold("further roots cost the way", 88, n_trials / 4,
                   (tree_case_size_t){12, 60, 1, 0, false}, costs_the_way, NULL);
    test_bound(1, 32, 13);
    test_bound(4, 8, 16);
    test_paper(64, 16, 1, 7.0, 18.1);
    test_paper(256, 16, 1, 9.5, 29.2);
    test_paper(256, 16, 10, 8.5, 24);
    test_paper(1024, 16, 1, 12.0, 45.2);
    test_paper(1024, 8, 1, 12.7, 52.0);
    return tap_done();
}
