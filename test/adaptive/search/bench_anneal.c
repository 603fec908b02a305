/*
 * How good annealed trees are, and how fast transformations. Costs are means of
 * those of each network as percents of the best comparison tree's. Not a test:
 * nothing fails.
 *
 * usage: bench_anneal [NODES [NETWORKS [SECONDS [BYTES [SEGMENT [NAME=VALUE ...]]]]]]
 * Without SECONDS (0) the budget is a number of transformations, budget=N.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/anneal.h"
#include "contrib/adaptive/search/tree_multilevel.h"
#include "test/adaptive/search/measured_case.h"

typedef struct bench {
    int n_nodes, n_networks;
    double seconds;
    uint64_t bytes, segment;
    pb_anneal_options_t options;
} bench_t;

typedef struct sums {
    double multilevel, mateescu, fixed; /* of the best comparison tree's cost */
    double annealed;
    double transformations, seconds, slowest;
    int n, n_worse, n_pools;
} sums_t;

static double cost_of(const pb_tree_costs_t *costs, pb_tree_t *tree)
{
    int64_t cost;
    measured_must(pb_tree_cost(costs, tree, &cost));
    return (double) cost;
}

static void measure(const bench_t *bench, const measured_case_t *c, const pb_link_share_t *share,
                    sums_t *sums)
{
    pb_tree_costs_t *costs;
    pb_tree_t *multilevel, *mateescu;
    pb_anneal_result_t result;
    pb_tree_t *trees[MEASURED_PLANS];
    const int n_plans = c->network != NULL ? MEASURED_PLANS : 0;
    if (n_plans > 0) {
        measured_plans(c, trees);
    }
    measured_must(pb_tree_costs_new(c->matrix, share, bench->bytes, bench->segment, &costs));
    measured_must(pb_tree_multilevel(c->matrix, c->root, &multilevel));
    measured_must(pb_tree_mateescu(costs, c->root, &mateescu));
    const int64_t begin = measured_now(NULL);
    measured_must(pb_anneal(costs, c->root, &bench->options, &result));
    const double seconds = (double) (measured_now(NULL) - begin) * 1e-9;
    const double of_multilevel = cost_of(costs, multilevel), of_mateescu = cost_of(costs, mateescu);
    double fixed = 0;
    for (int i = 0; i < n_plans; i++) {
        const double cost = cost_of(costs, trees[i]);
        fixed = fixed == 0 || cost < fixed ? cost : fixed;
        pb_tree_free(trees[i]);
    }
    double start = of_multilevel < of_mateescu ? of_multilevel : of_mateescu;
    start = n_plans > 0 && fixed < start ? fixed : start;
    sums->multilevel += of_multilevel / start;
    sums->mateescu += of_mateescu / start;
    sums->fixed += fixed / start;
    sums->annealed += (double) result.cost / start;
    sums->n_worse += (double) result.cost > start;
    sums->transformations += (double) result.n_transformations;
    sums->seconds += seconds;
    sums->slowest = seconds > sums->slowest ? seconds : sums->slowest;
    sums->n_pools += result.n_pools;
    sums->n++;
    pb_anneal_clear(&result);
    pb_tree_free(multilevel);
    pb_tree_free(mateescu);
    pb_tree_costs_free(costs);
}

static void run(const bench_t *bench, measured_kind_t kind, bool shared)
{
    sums_t s = {.n = 0};
    pb_random_t random = pb_random_seed(9000 + (uint64_t) kind);
    for (int i = 0; i < bench->n_networks; i++) {
        measured_case_t c;
        pb_link_share_t *share = NULL;
        measured_case_init(&c, &random, kind, bench->n_nodes);
        if (shared) {
            measured_must(c.network != NULL ? pb_link_share_network(c.matrix, c.placement, &share)
                                            : pb_link_share_clusters(c.matrix, &share));
        }
        measure(bench, &c, share, &s);
        pb_link_share_free(share);
        measured_case_clear(&c);
    }
    printf("%-8s %-7s %9.1f %9.1f %9.1f %9.2f %6d %7.1f %8.3f %8.3f %9.0f\n",
           measured_kind_name(kind), shared ? "yes" : "no", 100 * s.multilevel / s.n,
           100 * s.mateescu / s.n, 100 * s.fixed / s.n, 100 * s.annealed / s.n, s.n_worse,
           (double) s.n_pools / s.n, s.seconds / s.n, s.slowest, s.transformations / s.seconds);
    fflush(stdout);
}

/* Sets an option by its name in contrib/adaptive/search/anneal.h. */
static bool set_option(pb_anneal_options_t *options, const char *text)
{
    const struct {
        const char *name;
        int *value;
    } all[] = {{"degrees", &options->degrees},
               {"initial_temperature", &options->initial_temperature},
               {"minimum_temperature", &options->minimum_temperature},
               {"cooling_percent", &options->cooling_percent},
               {"transformations", &options->transformations},
               {"accepted", &options->accepted},
               {"good_percent", &options->good_percent},
               {"good_trees", &options->good_trees},
               {"max_pool", &options->max_pool}};
    if (strncmp(text, "budget=", 7) == 0) {
        options->budget = atoll(text + 7);
        return true;
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const size_t length = strlen(all[i].name);
        if (strncmp(text, all[i].name, length) == 0 && text[length] == '=') {
            *all[i].value = atoi(text + length + 1);
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    bench_t bench = {.n_nodes = argc > 1 ? atoi(argv[1]) : 64,
                     .n_networks = argc > 2 ? atoi(argv[2]) : 5,
                     .seconds = argc > 3 ? atof(argv[3]) : 1,
                     .bytes = argc > 4 ? strtoull(argv[4], NULL, 10) : 1 << 20,
                     .segment = argc > 5 ? strtoull(argv[5], NULL, 10) : 8192};
    pb_anneal_defaults(&bench.options);
    if (bench.seconds > 0) {
        bench.options.now = measured_now;
        bench.options.budget = (int64_t) (bench.seconds * 1e9);
    }
    for (int i = 6; i < argc; i++) {
        if (!set_option(&bench.options, argv[i])) {
            fprintf(stderr, "bench_anneal: there is no option '%s'\n", argv[i]);
            return EXIT_FAILURE;
        }
    }
    printf("# %d nodes, %d networks, %g s, %llu bytes in segments of %llu\n", bench.n_nodes,
           bench.n_networks, bench.seconds, (unsigned long long) bench.bytes,
           (unsigned long long) bench.segment);
    printf("%-8s %-7s %9s %9s %9s %9s %6s %7s %8s %8s %9s\n", "links", "sharing", "multilev",
           "mateescu", "static", "annealed", "worse", "pools", "mean s", "max s", "moves/s");
    for (int kind = 0; kind < MEASURED_COUNT; kind++) {
        run(&bench, (measured_kind_t) kind, false);
        run(&bench, (measured_kind_t) kind, true);
    }
    return EXIT_SUCCESS;
}
