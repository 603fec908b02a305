/* The chain on thousands of random networks, judged by the checker. */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/check/random_network.h"
#include "topo/check/check_load.h"
#include "topo/network/topology.h"
#include "topo/trees/plan.h"

/* What one shape's trials found wrong. */
typedef struct tally {
    int faulty;     /* plans that the checker refused */
    int contended;  /* plans with contention */
    int overloaded; /* plans with more than one edge on a link */
    int misshapen;  /* heights other than P - 1, or ranks that send more than once */
    int broken;     /* no view or no plan */
    int roundabout; /* ways over more links between vertices than to the farthest end */
    char first[200];
} tally_t;

static void note(tally_t *tally, int *counter, const pb_diag_t *diag)
{
    (*counter)++;
    if (tally->first[0] == '\0') {
        snprintf(tally->first, sizeof(tally->first), "%s", pb_diag_first(diag));
    }
}

static void judge(const pb_placement_t *placement, const pb_plan_t *plan, const char *members,
                  tally_t *tally)
{
    pb_diag_t diag;
    pb_check_t check;
    pb_diag_init(&diag);
    int error = pb_check_plan(placement, plan, members, &check, &diag);
    if (error != PB_SUCCESS) {
        note(tally, &tally->faulty, &diag);
    }
    if (error != PB_ERR_NO_MEMORY) {
        if (pb_check_load(placement, plan, NULL, &diag) != PB_SUCCESS) {
            note(tally, &tally->contended, &diag);
        }
        tally->overloaded += check.max_edges > 1;
        tally->misshapen += check.height != plan->n_members - 1 || check.max_sends > 1;
        pb_check_clear(&check);
    }
    pb_diag_clear(&diag);
}

/* Links between two vertices of a view. */
static int distance(const pb_view_t *view, int a, int b)
{
    int n = 0;
    for (; a != b; n++) {
        /* In preorder the greater one is no ancestor of the other. */
        if (a > b) {
            a = view->vertices[a].parent;
        } else {
            b = view->vertices[b].parent;
        }
    }
    return n;
}

static int vertex_of(const pb_view_t *view, int rank)
{
    return view->attached[view->position[rank]];
}

/* The rank where a chain ends. */
static int last_of(const pb_plan_t *plan)
{
    const pb_stream_t *chain = &plan->streams[0];
    int rank = plan->root;
    while (chain->first_child[rank] < chain->first_child[rank + 1]) {
        rank = chain->child[chain->first_child[rank]];
    }
    return rank;
}

/* Whether the chain passes each link between vertices there and back, but those to a farthest end.
 */
static int is_shortest(const pb_view_t *view, const pb_plan_t *plan)
{
    int length = 0, farthest = 0;
    for (int v = 0; v < view->n_vertices; v++) {
        const int depth = distance(view, 0, v);
        farthest = depth > farthest ? depth : farthest;
    }
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int parent = plan->streams[0].parent[rank];
        if (parent >= 0) {
            length += distance(view, vertex_of(view, parent), vertex_of(view, rank));
        }
    }
    return length == 2 * (view->n_vertices - 1) - farthest;
}

/* Half of the trials are over a subset of the ranks. */
static void trial(pb_random_t *random, pb_shape_t shape, tally_t *tally)
{
    int n_switches = 1 + pb_random_below(random, 20);
    int n_hosts = 1 + pb_random_below(random, 60);
    pb_network_t *network = pb_random_network(random, shape, n_switches, n_hosts, 0);
    pb_placement_t *placement =
        pb_random_placement(random, network, 1 + pb_random_below(random, 4));
    int n = placement->n_ranks, root = pb_random_below(random, n), n_subset = n;
    int *subset = calloc((size_t) n, sizeof(*subset));
    char *members = calloc((size_t) n, 1);
    int use_subset = pb_random_below(random, 2);
    if (use_subset) {
        n_subset = pb_random_subset(random, n, root, subset);
        for (int i = 0; i < n_subset; i++) {
            members[subset[i]] = 1;
        }
    }
    pb_view_t *view;
    pb_plan_t *plan = NULL;
    if (pb_view_new(placement, root, use_subset ? subset : NULL, n_subset, &view) != PB_SUCCESS ||
        pb_plan_compute(view, PB_KIND_CHAIN, NULL, &plan) != PB_SUCCESS ||
        plan->n_members != n_subset || plan->root != root) {
        tally->broken++;
    } else {
        judge(placement, plan, use_subset ? members : NULL, tally);
        tally->roundabout += !is_shortest(view, plan);
    }
    pb_plan_free(plan);
    pb_view_free(view);
    free(subset);
    free(members);
    pb_placement_free(placement);
    pb_network_free(network);
}

static void test_shape(pb_shape_t shape, int n_trials)
{
    const char *name = pb_shape_name(shape);
    tally_t tally;
    memset(&tally, 0, sizeof(tally));
    for (int seed = 0; seed < n_trials; seed++) {
        pb_random_t random = pb_random_seed((uint64_t) shape * 1000000 + (uint64_t) seed);
        trial(&random, shape, &tally);
    }
    ok(tally.broken == 0, "%s: %d chains of the right members and root", name, n_trials);
    ok(tally.faulty == 0, "%s: each reaches every member once %s", name, tally.first);
    ok(tally.contended == 0, "%s: each is contention-free %s", name, tally.first);
    ok(tally.overloaded == 0, "%s: no link carries two edges", name);
    ok(tally.roundabout == 0, "%s: each ends as far from its root as it can", name);
    ok(tally.misshapen == 0, "%s: heights are P - 1 and ranks send once", name);
}

/* Chains from the hosts of one leaf end on all others. */
static void test_ends(void)
{
    enum { LEAVES = 6, HOSTS = 24, RANKS = 34 };
    static const char text[] = "SwitchName=s0 Nodes=n[0-23]\nSwitchName=s1 Nodes=n[24-25]\n"
                               "SwitchName=s2 Nodes=n[26-27]\nSwitchName=s3 Nodes=n[28-29]\n"
                               "SwitchName=s4 Nodes=n[30-31]\nSwitchName=s5 Nodes=n[32-33]\n"
                               "SwitchName=top Switches=s[0-5]\n";
    pb_network_t *network;
    pb_diag_t diag;
    pb_diag_init(&diag);
    if (pb_topology_parse(&(pb_topology_text_t){text, strlen(text), "text", '\n', NULL}, &network,
                          &diag) != PB_SUCCESS) {
        abort();
    }
    pb_placement_t *placement = pb_placement_new(network, RANKS);
    for (int rank = 0; rank < RANKS; rank++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", rank);
        placement->host[rank] = pb_network_find_host(network, name);
    }
    int n_ends[LEAVES + 1] = {0}, n_used = 0;
    for (int root = 0; root < HOSTS; root++) {
        pb_view_t *view;
        pb_plan_t *plan;
        if (pb_view_new(placement, root, NULL, 0, &view) != PB_SUCCESS ||
            pb_plan_compute(view, PB_KIND_CHAIN, NULL, &plan) != PB_SUCCESS) {
            abort();
        }
        n_ends[vertex_of(view, last_of(plan))]++;
        pb_plan_free(plan);
        pb_view_free(view);
    }
    for (int v = 0; v <= LEAVES; v++) {
        n_used += n_ends[v] > 0;
    }
    ok(n_used == LEAVES - 1, "chains from the hosts of one of six leaves end on %d others", n_used);
    pb_placement_free(placement);
    pb_network_free(network);
    pb_diag_clear(&diag);
}

int main(void)
{
    test_ends();
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        test_shape((pb_shape_t) shape, 2000);
    }
    return tap_done();
}
