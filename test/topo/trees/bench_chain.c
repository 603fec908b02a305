/*
 * Time of view and chain for networks of N hosts, 16 on a switch, the median
 * of 21 runs: bench_chain [N]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "test/topo/check/random_network.h"
#include "topo/trees/plan.h"

enum { N_RUNS = 21, PER_SWITCH = 16 };

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double) time.tv_sec + 1e-6 * (double) time.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, N_RUNS, sizeof(*values), compare_doubles);
    return values[N_RUNS / 2];
}

static void bench(int n_hosts)
{
    pb_random_t random = pb_random_seed(1);
    int n_switches = (n_hosts + PER_SWITCH - 1) / PER_SWITCH;
    pb_network_t *network = pb_random_network(&random, PB_SHAPE_PAPER, n_switches, n_hosts, 0);
    pb_placement_t *placement = pb_random_placement(&random, network, 1);
    double view_ms[N_RUNS], chain_ms[N_RUNS];
    for (int i = 0; i < N_RUNS; i++) {
        pb_view_t *view;
        pb_plan_t *plan;
        double start = now_ms();
        if (pb_view_new(placement, i % n_hosts, NULL, 0, &view) != PB_SUCCESS) {
            abort();
        }
        double middle = now_ms();
        if (pb_plan_compute(view, PB_KIND_CHAIN, NULL, &plan) != PB_SUCCESS) {
            abort();
        }
        view_ms[i] = middle - start;
        chain_ms[i] = now_ms() - middle;
        pb_plan_free(plan);
        pb_view_free(view);
    }
    printf("%8d hosts, %6d switches: view %.3f ms, chain %.3f ms\n", n_hosts, n_switches,
           median(view_ms), median(chain_ms));
    pb_placement_free(placement);
    pb_network_free(network);
}

int main(int argc, char **argv)
{
    static const int usual[] = {100, 1000, 10000, 100000};
    for (int i = 1; i < argc; i++) {
        int n_hosts = atoi(argv[i]);
        if (n_hosts < 1 || n_hosts > PB_NETWORK_MAX_NODES / 2) {
            fprintf(stderr, "bench_chain: %s is not a number of hosts from 1 to %d\n", argv[i],
                    PB_NETWORK_MAX_NODES / 2);
            return EXIT_FAILURE;
        }
        bench(n_hosts);
    }
    for (size_t i = 0; argc == 1 && i < sizeof(usual) / sizeof(usual[0]); i++) {
        bench(usual[i]);
    }
    return EXIT_SUCCESS;
}
