/* Plans of trees over hosts, of random networks and placements, judged by the checker. */
#include <stdlib.h>

#include "contrib/adaptive/advice/host_plan.h"
#include "contrib/adaptive/advice/host_set.h"
#include "test/adaptive/search/measured_case.h"
#include "test/must.h"
#include "test/tap.h"
#include "test/topo/check/random_network.h"
#include "topo/check/checker.h"

enum { MAX_STREAMS = 2 };

typedef struct scene {
    pb_random_t random;
    pb_network_t *network;
    pb_placement_t *placement;
    pb_host_set_t *hosts;
    int *host; /* by rank */
    int root;
    int n_streams;
    pb_tree_t *streams[MAX_STREAMS];
} scene_t;

static pb_tree_t *random_tree(pb_random_t *random, int n_hosts, int root)
{
    pb_tree_t *tree = pb_tree_new(n_hosts, root);
    measured_random_tree(random, root, tree);
    for (int i = 0; i < n_hosts; i++) {
        tree->child_index[i] = pb_random_below(random, 100);
    }
    return tree;
}

static const char *name_of(const scene_t *s, int rank)
{
    return pb_network_node(s->network, s->placement->host[rank])->name;
}

static void scene_init(scene_t *s, uint64_t seed)
{
    s->random = pb_random_seed(seed);
    s->network = pb_random_network(&s->random, (pb_shape_t) (seed % PB_SHAPE_COUNT), 3,
                                   1 + pb_random_below(&s->random, 8), 0);
    s->placement = pb_random_placement(&s->random, s->network, 4);
    const int n = s->placement->n_ranks;
    const char **names = malloc((size_t) n * sizeof(*names));
    s->host = malloc((size_t) n * sizeof(*s->host));
    for (int rank = 0; rank < n; rank++) {
        names[rank] = name_of(s, rank);
    }
    must(pb_host_set_new(names, n, &s->hosts) == PB_SUCCESS);
    for (int rank = 0; rank < n; rank++) {
        s->host[rank] = pb_host_set_find(s->hosts, names[rank]);
    }
    free(names);
    s->root = pb_random_below(&s->random, n);
    s->n_streams = 1 + pb_random_below(&s->random, MAX_STREAMS);
    for (int i = 0; i < s->n_streams; i++) {
        s->streams[i] = random_tree(&s->random, s->hosts->n, s->host[s->root]);
    }
}

static void scene_clear(scene_t *s)
{
    for (int i = 0; i < s->n_streams; i++) {
        pb_tree_free(s->streams[i]);
    }
    free(s->host);
    pb_host_set_free(s->hosts);
    pb_placement_free(s->placement);
    pb_network_free(s->network);
}

static int make_plan(const scene_t *s, pb_plan_t **plan_p)
{
    pb_view_t *view;
    must(pb_view_new(s->placement, s->root, NULL, 0, &view) == PB_SUCCESS);
    const int error = pb_host_plan(view, s->host, s->hosts->n,
                                   (const pb_tree_t *const *) s->streams, s->n_streams, plan_p);
    pb_view_free(view);
    return error;
}

/** Tells whether the edges between hosts are those of the tree, and leaders serve other hosts
 * first. */
static int follows(const scene_t *s, const pb_plan_t *plan, int stream)
{
    const pb_stream_t *of = &plan->streams[stream];
    const pb_tree_t *tree = s->streams[stream];
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int parent = of->parent[rank];
        if (parent >= 0 && s->host[parent] != s->host[rank] &&
            tree->parent[s->host[rank]] != s->host[parent]) {
            return 0;
        }
        for (int i = of->first_child[rank] + 1; i < of->first_child[rank + 1]; i++) {
            const int before = s->host[of->child[i - 1]], now = s->host[of->child[i]];
            if (now != s->host[rank] &&
                (before == s->host[rank] || tree->child_index[before] > tree->child_index[now])) {
                return 0;
            }
        }
    }
    return 1;
}

/** Ranks of a host that are served from other hosts: one, but none on the root's. */
static int one_way_in(const scene_t *s, const pb_plan_t *plan, int stream)
{
    int good = 1;
    for (int h = 0; h < s->hosts->n; h++) {
        int n = 0;
        for (int rank = 0; rank < plan->n_ranks; rank++) {
            const int parent = plan->streams[stream].parent[rank];
            n += s->host[rank] == h && parent >= 0 && s->host[parent] != h;
        }
        good = good && n == (h != s->host[s->root]);
    }
    return good;
}

static void test_random(void)
{
    int n_made = 0, n_checked = 0, n_follow = 0, n_one = 0, n_streams = 0, n_runs = 300;
    for (int seed = 0; seed < n_runs; seed++) {
        scene_t s;
        pb_plan_t *plan;
        pb_check_t check = {0};
        pb_diag_t diag;
        pb_diag_init(&diag);
        scene_init(&s, (uint64_t) seed);
        n_streams += s.n_streams;
        if (make_plan(&s, &plan) == PB_SUCCESS) {
            n_made++;
            n_checked += pb_check_plan(s.placement, plan, NULL, &check, &diag) == PB_SUCCESS;
            for (int i = 0; i < s.n_streams; i++) {
                n_follow += follows(&s, plan, i);
                n_one += one_way_in(&s, plan, i);
            }
        }
        pb_check_clear(&check);
        pb_diag_clear(&diag);
        pb_plan_free(plan);
        scene_clear(&s);
    }
    ok(n_made == n_runs && n_checked == n_runs, "%d plans over all ranks pass the checker", n_runs);
    ok(n_follow == n_streams, "between hosts they follow the trees, in their order");
    ok(n_one == n_streams, "each host is entered once in a stream");
}

static void test_refused(void)
{
    scene_t s;
    pb_plan_t *plan;
    scene_init(&s, 5);
    const int n = s.hosts->n, own = s.host[0];
    ok(n > 2, "there are hosts");
    s.host[0] = n;
    ok(make_plan(&s, &plan) == PB_ERR_INPUT && plan == NULL, "a host that there is not");
    s.host[0] = own;
    s.hosts->n++;
    ok(make_plan(&s, &plan) == PB_ERR_INPUT && plan == NULL, "a host without ranks");
    s.hosts->n = n;
    const int other = s.host[s.root] == 0 ? 1 : 0, parent = s.streams[0]->parent[other];
    s.streams[0]->parent[other] = PB_TREE_OUTSIDE;
    ok(make_plan(&s, &plan) == PB_ERR_INPUT && plan == NULL, "a host outside of the tree");
    s.streams[0]->parent[other] = other;
    ok(make_plan(&s, &plan) == PB_ERR_INPUT && plan == NULL, "a cycle");
    s.streams[0]->parent[other] = parent;
    s.streams[0]->root = other;
    ok(make_plan(&s, &plan) == PB_ERR_INPUT && plan == NULL, "another root");
    scene_clear(&s);
}

int main(void)
{
    test_random();
    test_refused();
    return tap_done();
}
