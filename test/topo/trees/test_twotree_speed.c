/* Two-trees on links of unequal speed, judged by load against speed. */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/check/check_load.h"
#include "topo/network/view_merge.h"

/* Random networks of each kind. */
static int n_trials;

static bool is_same_plan(const pb_plan_t *a, const pb_plan_t *b)
{
    const size_t bytes = (size_t) a->n_ranks * sizeof(int);
    bool same = a->n_streams == b->n_streams;
    for (int s = 0; s < a->n_streams && same; s++) {
        same = memcmp(a->streams[s].parent, b->streams[s].parent, bytes) == 0 &&
               memcmp(a->streams[s].child, b->streams[s].child,
                      (size_t) (a->n_members - 1) * sizeof(int)) == 0;
    }
    return same;
}

/* The height with equal links. */
static int equal_height(const tree_case_t *c)
{
    tree_case_t equal;
    tree_case_with_speeds(&equal, c, 1, 1);
    pb_plan_t *plan = tree_case_plan(&equal, PB_KIND_TWOTREE, 0);
    int height = tree_case_height(plan);
    pb_plan_free(plan);
    tree_case_clear(&equal);
    return height;
}

/* Random speeds: on all links, or slow and fast trunks between equal hosts. */
static void random_speeds(pb_shape_t shape, int max_speed, uint32_t hosts)
{
    pb_random_t random = pb_random_seed(8300 + (uint64_t) shape);
    int n_good = 0, n_higher = 0, n_lower = 0, n_differ = 0;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t base, c;
        const int size = i % 10 == 0 ? 12 : 5;
        tree_case_init(&base, &random, shape,
                       (tree_case_size_t){size, 3 * size, 4, max_speed, true});
        bool fixed = hosts > 0;
        if (fixed) {
            uint32_t trunks = 1 + (uint32_t) pb_random_below(&random, 20);
            tree_case_with_speeds(&c, &base, hosts, trunks);
        }
        const tree_case_t *used = fixed ? &c : &base;
        pb_plan_t *plan = tree_case_plan(used, PB_KIND_TWOTREE, 0);
        const int equal = equal_height(used), height = tree_case_height(plan);
        n_good += tree_case_judge(used, plan, 2, TREE_CASE_LOAD);
        if (i % 8 == 0) {
            pb_plan_t *again = tree_case_plan(used, PB_KIND_TWOTREE, 0);
            n_differ += !is_same_plan(plan, again);
            pb_plan_free(again);
        }
        n_higher += height > equal;
        n_lower += height < equal;
        pb_plan_free(plan);
        if (fixed) {
            tree_case_clear(&c);
        }
        tree_case_clear(&base);
    }
    const char *name = pb_shape_name(shape), *what = hosts > 0 ? "trunks" : "all links";
    ok(n_good == n_trials, "%s, %s 1 to %d: no link overloaded in %d of %d", name, what, max_speed,
       n_good, n_trials);
    ok(n_higher == 0, "%s, %s 1 to %d: higher than with equal links in %d, lower in %d", name, what,
       max_speed, n_higher, n_lower);
    ok(n_differ == 0, "%s, %s 1 to %d: not the same again in %d", name, what, max_speed, n_differ);
}

/* On the papers' clusters fast trunks make the trees as low as on one switch, or nearly. */
static void fast_trunks(void)
{
    static const uint32_t speeds[] = {1, 2, 4, 10};
    enum { N_SPEEDS = sizeof(speeds) / sizeof(speeds[0]), N = 10 };
    double sum[N_SPEEDS] = {0};
    int n_good = 0;
    for (int i = 0; i < N; i++) {
        pb_random_t random = pb_random_seed(8400 + (uint64_t) i);
        tree_case_t base = {.root = 0};
        base.network = pb_random_network(&random, PB_SHAPE_PAPER, 16, 256, 0);
        base.placement = pb_random_placement(&random, base.network, 1);
        if (pb_view_new(base.placement, 0, NULL, 0, &base.view) != PB_SUCCESS) {
            abort();
        }
        for (int k = 0; k < N_SPEEDS; k++) {
            tree_case_t c;
            tree_case_with_speeds(&c, &base, 1, speeds[k]);
            pb_plan_t *plan = tree_case_plan(&c, PB_KIND_TWOTREE, 0);
            n_good += tree_case_judge(&c, plan, 2, TREE_CASE_LOAD);
            sum[k] += tree_case_height(plan);
            pb_plan_free(plan);
            tree_case_clear(&c);
        }
        tree_case_clear(&base);
    }
    ok(n_good == N * N_SPEEDS, "256 hosts: no link overloaded in %d of %d", n_good, N * N_SPEEDS);
    ok(sum[3] / N <= 8.5 && sum[3] < sum[0],
       "256 hosts: mean heights %.2f, trunks x 2: %.2f, x 4: %.2f, x 10: %.2f", sum[0] / N,
       sum[1] / N, sum[2] / N, sum[3] / N);
}

/* Two chains over n0 .. n3 on s0 and n4 .. n7 on s1, where hosts have speed 2;
 * each crosses the trunk downwards n_crossing times. Once they cross it from
 * different ranks. */
static int crossing(uint32_t trunk, int n_crossing)
{
    pb_network_t *network = pb_network_new();
    pb_diag_t diag;
    pb_view_t *view;
    pb_diag_init(&diag);
    int s0 = pb_network_add(network, PB_NODE_SWITCH, "s0");
    int s1 = pb_network_add(network, PB_NODE_SWITCH, "s1");
    pb_network_connect(network, s0, s1, trunk);
    for (int i = 0; i < 8; i++) {
        char name[] = {'n', (char) ('0' + i), '\0'};
        pb_network_connect(network, i < 4 ? s0 : s1, pb_network_add(network, PB_NODE_HOST, name),
                           2);
    }
    pb_placement_t *placement = pb_placement_new(network, 8);
    for (int i = 0; i < 8; i++) {
        placement->host[i] = 2 + i;
    }
    if (pb_network_finish(network, "test", &diag) != PB_SUCCESS ||
        pb_view_new(placement, 0, NULL, 0, &view) != PB_SUCCESS) {
        abort();
    }
    static const int chains[3][2][8] = {
        {{0, 4, 5, 6, 7, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}},
        {{0, 4, 5, 1, 6, 7, 2, 3}, {0, 4, 5, 1, 6, 7, 2, 3}},
        {{0, 4, 1, 5, 2, 6, 7, 3}, {0, 4, 1, 5, 2, 6, 7, 3}},
    };
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_TWOTREE, 2);
    for (int s = 0; s < 2; s++) {
        const int *chain = chains[n_crossing - 1][s];
        for (int i = 1; i < 8; i++) {
            plan->streams[s].parent[chain[i]] = chain[i - 1];
        }
        pb_plan_link_children(plan, s, view, NULL);
    }
    int error = pb_check_load(placement, plan, NULL, &diag);
    pb_plan_free(plan);
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
    pb_diag_clear(&diag);
    return error;
}

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

static void merged_views(pb_shape_t shape)
{
    pb_random_t random = pb_random_seed(8500 + (uint64_t) shape);
    int n_good = 0, n_counted = 0;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, (tree_case_size_t){20, 60, 4, 0, true});
        const int n = c.view->n_vertices;
        bool *joined = calloc((size_t) n, sizeof(*joined));
        int n_joined = 0;
        for (int v = 1; v < n; v++) {
            joined[v] = pb_random_below(&random, 2) == 1;
            n_joined += joined[v];
        }
        pb_view_t *merged;
        if (pb_view_merge(c.view, joined, &merged) != PB_SUCCESS) {
            abort();
        }
        n_good += is_sound(merged, c.view);
        n_counted += merged->n_vertices == n - n_joined;
        pb_view_free(merged);
        free(joined);
        tree_case_clear(&c);
    }
    ok(n_good == n_trials && n_counted == n_trials, "%s: %d of %d merged views are sound, %d whole",
       pb_shape_name(shape), n_good, n_trials, n_counted);
}

int main(void)
{
    n_trials = tap_trials(200, 30);
    ok(crossing(1, 1) == PB_SUCCESS, "the message once over a slow trunk is no fault");
    ok(crossing(2, 2) == PB_ERR_INPUT, "twice over a trunk as fast as a host is one");
    ok(crossing(3, 2) == PB_ERR_INPUT, "so it is if the trunk is half as fast again");
    ok(crossing(4, 2) == PB_SUCCESS, "twice over a trunk twice as fast is none");
    ok(crossing(4, 3) == PB_ERR_INPUT, "three times over it is one");
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        merged_views((pb_shape_t) shape);
        random_speeds((pb_shape_t) shape, 20, 0);
        random_speeds((pb_shape_t) shape, 20, 1);
        random_speeds((pb_shape_t) shape, 20, 6);
    }
    fast_trunks();
    return tap_done();
}
