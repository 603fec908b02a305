/*
 * Two-trees in figures: heights, build times and simulated completion, means
 * over the papers' random clusters, and completion on the five topologies that
 * stand for the papers' own. Times of completion are in segment times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "test/topo/check/completion.h"
#include "test/topo/trees/tree_case.h"
#include "topo/trees/plan.h"

#define N_CLUSTERS 20

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec * 1e3 + (double) time.tv_nsec * 1e-6;
}

static pb_plan_t *plan_of(const pb_placement_t *placement, pb_kind_t kind, double *ms)
{
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    if (pb_view_new(placement, 0, NULL, 0, &view) == PB_SUCCESS) {
        const double start = now_ms();
        pb_plan_compute(view, kind, NULL, &plan);
        *ms += now_ms() - start;
    }
    pb_view_free(view);
    return plan;
}

static void bench_clusters(int hosts, int per_switch)
{
    double height = 0, ms = 0, slot[6] = {0}, links[6] = {0};
    for (int i = 0; i < N_CLUSTERS; i++) {
        pb_random_t random = pb_random_seed((uint64_t) hosts + (uint64_t) i);
        pb_network_t *network =
            pb_random_network(&random, PB_SHAPE_PAPER, hosts / per_switch, hosts, 0);
        pb_placement_t *placement = pb_random_placement(&random, network, 1);
        pb_plan_t *plan = plan_of(placement, PB_KIND_TWOTREE, &ms);
        height += tree_case_height(plan);
        for (int x = 0; x < 6; x++) {
            slot[x] += completion(placement, plan, PB_SIMULATE_SLOT, 16 << x);
            links[x] += completion(placement, plan, PB_SIMULATE_LINKS, 16 << x);
        }
        pb_plan_free(plan);
        pb_placement_free(placement);
        pb_network_free(network);
    }
    printf("%5d/%-2d height %5.2f  %6.2f ms  slot", hosts, per_switch, height / N_CLUSTERS,
           ms / N_CLUSTERS);
    for (int x = 0; x < 6; x++) {
        printf(" %6.1f", slot[x] / N_CLUSTERS);
    }
    printf("  links");
    for (int x = 0; x < 6; x++) {
        printf(" %6.1f", links[x] / N_CLUSTERS);
    }
    printf("\n");
    fflush(stdout);
}

/* The same clusters, 16 hosts a switch, with trunks of several times a host's speed. */
static void bench_trunks(int hosts, uint32_t trunks)
{
    double height = 0, ms = 0, links[2] = {0};
    for (int i = 0; i < N_CLUSTERS; i++) {
        pb_random_t random = pb_random_seed((uint64_t) hosts + (uint64_t) i);
        tree_case_t equal = {.root = 0}, c;
        equal.network = pb_random_network(&random, PB_SHAPE_PAPER, hosts / 16, hosts, 0);
        equal.placement = pb_random_placement(&random, equal.network, 1);
        if (pb_view_new(equal.placement, 0, NULL, 0, &equal.view) != PB_SUCCESS) {
            abort();
        }
        tree_case_with_speeds(&c, &equal, 1, trunks);
        pb_plan_t *plan = plan_of(c.placement, PB_KIND_TWOTREE, &ms);
        height += tree_case_height(plan);
        links[0] += completion(c.placement, plan, PB_SIMULATE_LINKS, 16);
        links[1] += completion(c.placement, plan, PB_SIMULATE_LINKS, 128);
        pb_plan_free(plan);
        tree_case_clear(&c);
        tree_case_clear(&equal);
    }
    printf("%5d/16 trunks x %-2u height %5.2f  %6.2f ms  links %6.1f %6.1f\n", hosts,
           (unsigned) trunks, height / N_CLUSTERS, ms / N_CLUSTERS, links[0] / N_CLUSTERS,
           links[1] / N_CLUSTERS);
    fflush(stdout);
}

/* Topologies (1) to (5): one switch of 16, two of 16, a star of four with 8 each, a line of
 * four with 8 each, the same with host i on switch i mod 4. */
static pb_placement_t *topology(int number, pb_network_t **network_p)
{
    static const int switches[] = {1, 2, 4, 4, 4}, hosts[] = {16, 32, 32, 32, 32};
    const int n_switches = switches[number - 1], n_hosts = hosts[number - 1];
    pb_network_t *network = pb_network_new();
    pb_placement_t *placement = pb_placement_new(network, n_hosts);
    pb_diag_t diag;
    char name[32];
    pb_diag_init(&diag);
    for (int s = 0; s < n_switches; s++) {
        snprintf(name, sizeof(name), "s%d", s);
        pb_network_add(network, PB_NODE_SWITCH, name);
        if (s > 0) {
            pb_network_connect(network, number == 3 ? 0 : s - 1, s, 0);
        }
    }
    for (int h = 0; h < n_hosts; h++) {
        snprintf(name, sizeof(name), "n%d", h);
        placement->host[h] = pb_network_add(network, PB_NODE_HOST, name);
        pb_network_connect(network, number == 5 ? h % 4 : h / (n_hosts / n_switches),
                           placement->host[h], 0);
    }
    pb_network_finish(network, NULL, &diag);
    pb_diag_clear(&diag);
    *network_p = network;
    return placement;
}

static void bench_topology(int number)
{
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_BINARY, PB_KIND_TWOTREE,
                                      PB_KIND_CIRCULANT};
    static const int segments[] = {16, 46, 184, 736};
    pb_network_t *network;
    pb_placement_t *placement = topology(number, &network);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        double ms = 0;
        pb_plan_t *plan = plan_of(placement, kinds[k], &ms);
        if (plan == NULL) {
            continue;
        }
        printf("(%d) %-10s height %2d  slot", number, pb_kind_name(kinds[k]),
               tree_case_height(plan));
        for (size_t x = 0; x < sizeof(segments) / sizeof(segments[0]); x++) {
            printf(" %5.0f", completion(placement, plan, PB_SIMULATE_SLOT, segments[x]));
        }
        printf("  links");
        for (size_t x = 0; x < sizeof(segments) / sizeof(segments[0]); x++) {
            printf(" %5.0f", completion(placement, plan, PB_SIMULATE_LINKS, segments[x]));
        }
        printf("\n");
        pb_plan_free(plan);
    }
    pb_placement_free(placement);
    pb_network_free(network);
}

int main(void)
{
    printf("topologies (1) to (5), X = 16, 46, 184, 736\n");
    for (int number = 1; number <= 5; number++) {
        bench_topology(number);
    }
    printf("random clusters with fast trunks, X = 16, 128\n");
    static const uint32_t trunks[] = {1, 2, 4, 10};
    for (size_t i = 0; i < sizeof(trunks) / sizeof(trunks[0]); i++) {
        bench_trunks(256, trunks[i]);
    }
    for (size_t i = 0; i < sizeof(trunks) / sizeof(trunks[0]); i++) {
        bench_trunks(1024, trunks[i]);
    }
    printf("random clusters, X = 16, 32, 64, 128, 256, 512\n");
    static const int hosts[] = {32, 256, 1024};
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        bench_clusters(hosts[i], 16);
        bench_clusters(hosts[i], 8);
    }
    return EXIT_SUCCESS;
}
