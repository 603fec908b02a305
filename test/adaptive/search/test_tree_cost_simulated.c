/*
 * Costs with sharing and segments against the simulator's links model, on random networks of equal
 * links, where both mean the same. With many segments the period is right for every tree, contended
 * or not, and costs are within a few percent. With few, costs are too high if anything.
 */
#include <stdlib.h>

#include "contrib/adaptive/advice/host_plan.h"
#include "contrib/adaptive/search/tree_cost.h"
#include "test/adaptive/search/given_matrix.h"
#include "test/adaptive/search/measured_case.h"
#include "test/tap.h"
#include "test/topo/check/completion.h"
#include "test/topo/check/random_network.h"

/** ns of a segment over a link; segments have as many bytes at 1 GB/s. */
#define UNIT 1000

enum { N_NODES = 48, N_NETWORKS = 20 };

typedef struct setting {
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    pb_link_matrix_t *matrix;
    pb_link_share_t *share;
} setting_t;

/* The latency is what switches add that store and forward whole segments. */
static void measure(setting_t *s, int from, int to)
{
    const pb_link_share_t *share = s->share;
    const size_t at = (size_t) from * N_NODES + (size_t) to;
    int n;
    pb_link_share_path(share, from, to, &n);
    s->matrix->latency[at] = n > 1 ? (n - 1) * UNIT : 0;
}

static void setting_init(setting_t *s, pb_random_t *random)
{
    s->network = pb_random_network(random, PB_SHAPE_PAPER, N_NODES / 6, N_NODES, 0);
    s->placement = pb_random_placement(random, s->network, 1);
    s->matrix = given_matrix(1, 1, N_NODES, 0, 0, 1000000000);
    must(pb_view_new(s->placement, 0, NULL, 0, &s->view) == PB_SUCCESS);
    must(pb_link_share_network(s->matrix, s->placement, &s->share) == PB_SUCCESS);
    for (int i = 0; i < N_NODES; i++) {
        for (int j = 0; j < N_NODES; j++) {
            measure(s, i, j);
        }
    }
}

static void setting_clear(setting_t *s)
{
    pb_link_share_free(s->share);
    pb_link_matrix_free(s->matrix);
    pb_view_free(s->view);
    pb_placement_free(s->placement);
    pb_network_free(s->network);
}

static pb_tree_t *make_tree(const setting_t *s, pb_random_t *random, pb_kind_t kind)
{
    pb_tree_t *tree;
    pb_plan_t *plan;
    if (kind != PB_KIND_COUNT) {
        must(pb_plan_compute(s->view, kind, NULL, &plan) == PB_SUCCESS);
        must(pb_tree_from_plan(plan, 0, &tree) == PB_SUCCESS);
        pb_plan_free(plan);
        return tree;
    }
    tree = pb_tree_new(N_NODES, 0);
    measured_random_tree(random, 0, tree);
    return tree;
}

/* The cost as a multiple of the simulated time. */
static double ratio(const setting_t *s, pb_tree_t *tree, int n_segments)
{
    pb_tree_costs_t *costs;
    pb_plan_t *plan;
    int64_t cost;
    int host[N_NODES];
    must(pb_tree_costs_new(s->matrix, s->share, (uint64_t) n_segments * UNIT, UNIT, &costs) ==
         PB_SUCCESS);
    must(pb_tree_cost(costs, tree, &cost) == PB_SUCCESS);
    for (int rank = 0; rank < N_NODES; rank++) {
        host[rank] = rank;
    }
    must(pb_host_plan(s->view, host, N_NODES, (const pb_tree_t *const *) &tree, 1, &plan) ==
         PB_SUCCESS);
    const double simulated = completion(s->placement, plan, n_segments);
    pb_plan_free(plan);
    pb_tree_costs_free(costs);
    return (double) cost / UNIT / simulated;
}

static void test_kind(pb_kind_t kind, int n_segments, double low, double high)
{
    pb_random_t random = pb_random_seed(4000);
    double least = 1e9, most = 0;
    for (int i = 0; i < N_NETWORKS; i++) {
        setting_t s;
        setting_init(&s, &random);
        pb_tree_t *tree = make_tree(&s, &random, kind);
        const double r = ratio(&s, tree, n_segments);
        least = r < least ? r : least;
        most = r > most ? r : most;
        pb_tree_free(tree);
        setting_clear(&s);
    }
    ok(least >= low && most <= high, "%s, %d segments: cost / simulated time is %.3f to %.3f",
       kind != PB_KIND_COUNT ? pb_kind_name(kind) : "random trees", n_segments, least, most);
}

int main(void)
{
    /* Few segments: as if all edges shared their links from the first one on; costs rise with the
     * edges that meet. Many: the period is right. */
    static const struct {
        pb_kind_t kind;
        double few, least, most;
    } kinds[] = {{PB_KIND_BINARY, 1.3, 1, 1.014},
                 {PB_KIND_KARY, 1.3, 1, 1.012},
                 {PB_KIND_BINOMIAL, 1.4, 1, 1.013},
                 {PB_KIND_RANK_BINARY, 2.1, 1, 1.025},
                 {PB_KIND_COUNT, 2.2, 0.95, 1.025}};
    test_kind(PB_KIND_CHAIN, 1, 0.999, 1.001);
    test_kind(PB_KIND_CHAIN, 256, 0.999, 1.001);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        test_kind(kinds[i].kind, 4, 1, kinds[i].few);
        test_kind(kinds[i].kind, 256, kinds[i].least, kinds[i].most);
    }
    return tap_done();
}
