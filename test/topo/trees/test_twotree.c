/* Two-trees on thousands of random networks, judged by the checkers. */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/check/completion.h"
#include "test/topo/check/random_network.h"
#include "topo/check/check_load.h"
#include "topo/trees/plan.h"

/* What one shape's trials found. */
typedef struct tally {
    int n;
    int broken;    /* no view or no plan */
    int faulty;    /* plans that the checker refused */
    int contended; /* plans with contention, or more than two edges on a link or from a rank */
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
        if (pb_check_load(placement, plan, NULL, &diag) != PB_SUCCESS || check.max_edges > 2 ||
            check.max_sends > 2) {
            note(tally, &tally->contended, &diag);
        }
        pb_check_clear(&check);
    }
    pb_diag_clear(&diag);
}

/* Half of the trials are over a subset of the ranks. */
static void trial(pb_random_t *random, pb_shape_t shape, int size, tally_t *tally)
{
    int n_switches = 1 + pb_random_below(random, size);
    int n_hosts = 1 + pb_random_below(random, 3 * size);
    pb_network_t *network = pb_random_network(random, shape, n_switches, n_hosts, 0);
    pb_placement_t *placement =
        pb_random_placement(random, network, 1 + pb_random_below(random, 4));
    int n = placement->n_ranks, root = pb_random_below(random, n), n_subset = n;
    int *subset = calloc((size_t) n, sizeof(*subset));
    char *members = calloc((size_t) n, 1);
    int use_subset = pb_random_below(random, 2);
    if (use_subset) {
        n_subset = pb_random_subset(random, n, root, subset);
    }
    for (int i = 0; i < n_subset; i++) {
        members[use_subset ? subset[i] : i] = 1;
    }
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    tally->n++;
    if (pb_view_new(placement, root, use_subset ? subset : NULL, n_subset, &view) != PB_SUCCESS ||
        pb_plan_compute(view, PB_KIND_TWOTREE, NULL, &plan) != PB_SUCCESS) {
        tally->broken++;
    } else {
        judge(placement, plan, members, tally);
    }
    pb_plan_free(plan);
    pb_view_free(view);
    free(members);
    free(subset);
    pb_placement_free(placement);
    pb_network_free(network);
}

/* Most of the trials are small; every tenth is not. */
static void test_shape(pb_shape_t shape, int n_trials)
{
    tally_t tally = {0};
    for (int i = 0; i < n_trials; i++) {
        pb_random_t random = pb_random_seed((uint64_t) i * PB_SHAPE_COUNT + (uint64_t) shape);
        trial(&random, shape, i % 10 == 0 ? 20 : 6, &tally);
    }
    const char *name = pb_shape_name(shape);
    ok(tally.broken == 0, "%s: %d two-trees are made", name, tally.n);
    ok(tally.faulty == 0, "%s: each tree reaches all: %d do not %s", name, tally.faulty,
       tally.first);
    ok(tally.contended == 0, "%s: two edges a link and a rank: %d exceed %s", name, tally.contended,
       tally.first);
}

/* P hosts on switches in a line, per_switch each; the plan's root is rank 0. */
static pb_plan_t *line_plan(int n_switches, int per_switch, pb_network_t **network_p,
                            pb_placement_t **placement_p)
{
    pb_network_t *network = pb_network_new();
    pb_diag_t diag;
    char name[32];
    pb_diag_init(&diag);
    for (int s = 0; s < n_switches; s++) {
        snprintf(name, sizeof(name), "s%d", s);
        pb_network_add(network, PB_NODE_SWITCH, name);
        if (s > 0) {
            pb_network_connect(network, s - 1, s, 0);
        }
    }
    pb_placement_t *placement = pb_placement_new(network, n_switches * per_switch);
    for (int m = 0; m < n_switches * per_switch; m++) {
        snprintf(name, sizeof(name), "m%d", m);
        placement->host[m] = pb_network_add(network, PB_NODE_HOST, name);
        pb_network_connect(network, m / per_switch, placement->host[m], 0);
    }
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    if (pb_network_finish(network, NULL, &diag) == PB_SUCCESS &&
        pb_view_new(placement, 0, NULL, 0, &view) == PB_SUCCESS) {
        pb_plan_compute(view, PB_KIND_TWOTREE, NULL, &plan);
    }
    pb_view_free(view);
    pb_diag_clear(&diag);
    *network_p = network;
    *placement_p = placement;
    return plan;
}

static int log2_up(int n)
{
    int log = 0;
    while ((1 << log) < n) {
        log++;
    }
    return log;
}

/* Close to X - 1 + ceil(log2 P), the bound where a segment takes one segment time to another host;
 * here it takes one over each link. */
static void test_bound(int n_switches, int per_switch, int above)
{
    pb_network_t *network;
    pb_placement_t *placement;
    pb_plan_t *plan = line_plan(n_switches, per_switch, &network, &placement);
    int n = n_switches * per_switch;
    double worst = 1e9;
    if (plan != NULL) {
        worst = 0;
        for (int x = 16; x <= 512; x *= 2) {
            double over = completion(placement, plan, x) - (x - 1 + log2_up(n));
            worst = over > worst ? over : worst;
        }
    }
    ok(worst <= above, "%d x %d: at most %d segment times above the bound: %.0f", n_switches,
       per_switch, above, worst);
    ok(plan != NULL && plan->streams[0].height <= 7 && plan->streams[1].height <= 7,
       "%d x %d: heights %d and %d", n_switches, per_switch, plan ? plan->streams[0].height : -1,
       plan ? plan->streams[1].height : -1);
    pb_plan_free(plan);
    pb_placement_free(placement);
    pb_network_free(network);
}

/* Means over the papers' clusters; `hosts` on hosts / per_switch switches. */
static void test_paper(int hosts, int per_switch, double max_height, double max_above)
{
    double height = 0, above = 0;
    int n = 20;
    for (int i = 0; i < n; i++) {
        pb_random_t random = pb_random_seed((uint64_t) hosts + (uint64_t) i);
        pb_network_t *network =
            pb_random_network(&random, PB_SHAPE_PAPER, hosts / per_switch, hosts, 0);
        pb_placement_t *placement = pb_random_placement(&random, network, 1);
        pb_view_t *view = NULL;
        pb_plan_t *plan = NULL;
        if (pb_view_new(placement, 0, NULL, 0, &view) == PB_SUCCESS &&
            pb_plan_compute(view, PB_KIND_TWOTREE, NULL, &plan) == PB_SUCCESS) {
            int a = plan->streams[0].height, b = plan->streams[1].height;
            height += a > b ? a : b;
            above += completion(placement, plan, 64) - (64 - 1 + log2_up(hosts));
        } else {
            height += hosts;
        }
        pb_plan_free(plan);
        pb_view_free(view);
        pb_placement_free(placement);
        pb_network_free(network);
    }
    ok(height / n <= max_height, "%d hosts, %d a switch: mean height %.2f, at most %.2f", hosts,
       per_switch, height / n, max_height);
    ok(above / n <= max_above, "%d hosts, %d a switch: %.2f segment times above %d, at most %.2f",
       hosts, per_switch, above / n, 64 - 1 + log2_up(hosts), max_above);
}

int main(void)
{
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        test_shape((pb_shape_t) shape, tap_trials(600, 80));
    }
    test_bound(1, 32, 13);
    test_bound(4, 8, 16);
    test_paper(64, 16, 7.0, 18.1);
    test_paper(256, 16, 9.5, 29.2);
    test_paper(1024, 16, 12.0, 45.2);
    test_paper(1024, 8, 12.7, 52.0);
    return tap_done();
}
