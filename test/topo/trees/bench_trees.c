/*
 * Heights of trees and the time to make them, on networks as paper 2 (section
 * 4.1.2) generates them. Times include the view. Not a test: nothing fails.
 *
 * usage: bench_trees [KIND [MAX_HOSTS [TOPOLOGIES]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test/topo/check/random_network.h"
#include "topo/trees/plan.h"

typedef struct result {
    double heights;
    int highest;
    double seconds;
    double slowest;
} result_t;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* The height of the plan of a kind from a random root, and its time. */
static void measure(const pb_placement_t *placement, int root, pb_kind_t kind, result_t *result)
{
    double begin = now();
    pb_view_t *view;
    pb_plan_t *plan;
    if (pb_view_new(placement, root, NULL, 0, &view) != PB_SUCCESS) {
        exit(EXIT_FAILURE);
    }
    if (pb_plan_compute(view, kind, NULL, &plan) != PB_SUCCESS) {
        printf("# no plan of kind %s\n", pb_kind_name(kind));
        exit(EXIT_FAILURE);
    }
    double seconds = now() - begin;
    result->heights += plan->streams[0].height;
    if (plan->streams[0].height > result->highest) {
        result->highest = plan->streams[0].height;
    }
    result->seconds += seconds;
    result->slowest = seconds > result->slowest ? seconds : result->slowest;
    pb_plan_free(plan);
    pb_view_free(view);
}

static void run(int n_hosts, int per_switch, const int *kinds, int n_kinds, int n_topologies)
{
    result_t results[PB_KIND_COUNT] = {0};
    pb_random_t random = pb_random_seed((uint64_t) n_hosts * 31 + (uint64_t) per_switch);
    for (int i = 0; i < n_topologies; i++) {
        pb_network_t *network =
            pb_random_network(&random, PB_SHAPE_PAPER, n_hosts / per_switch, n_hosts, 0);
        pb_placement_t *placement = pb_random_placement(&random, network, 1);
        int root = pb_random_below(&random, n_hosts);
        for (int k = 0; k < n_kinds; k++) {
            measure(placement, root, (pb_kind_t) kinds[k], &results[kinds[k]]);
        }
        pb_placement_free(placement);
        pb_network_free(network);
    }
    int complete = 0;
    while ((2 << complete) - 1 < n_hosts) {
        complete++;
    }
    for (int k = 0; k < n_kinds; k++) {
        const result_t *r = &results[kinds[k]];
        printf("%6d %4d  %-13s %4d %8.2f %5d %10.3f %10.3f\n", n_hosts, per_switch,
               pb_kind_name((pb_kind_t) kinds[k]), complete, r->heights / n_topologies, r->highest,
               1e3 * r->seconds / n_topologies, 1e3 * r->slowest);
    }
}

int main(int argc, char **argv)
{
    int kinds[] = {PB_KIND_CHAIN, PB_KIND_BINARY_PAPER, PB_KIND_BINARY,     PB_KIND_KARY,
                   PB_KIND_FLAT,  PB_KIND_BINOMIAL,     PB_KIND_RANK_CHAIN, PB_KIND_RANK_BINARY};
    int n_kinds = (int) (sizeof(kinds) / sizeof(kinds[0]));
    if (argc > 1 && strcmp(argv[1], "all") != 0) {
        kinds[0] = pb_kind_find(argv[1]);
        n_kinds = 1;
        if (kinds[0] < 0) {
            fprintf(stderr, "no kind of tree is called %s\n", argv[1]);
            return EXIT_FAILURE;
        }
    }
    int most = argc > 2 ? atoi(argv[2]) : 8192;
    int n_topologies = argc > 3 && atoi(argv[3]) > 0 ? atoi(argv[3]) : 20;
    printf("# hosts, per switch, kind, complete binary tree, mean height, highest, "
           "mean ms, slowest ms\n");
    for (int n = 64; n <= most; n *= 2) {
        run(n, 16, kinds, n_kinds, n_topologies);
        run(n, 8, kinds, n_kinds, n_topologies);
    }
    return EXIT_SUCCESS;
}
