/*
 * Prints the processor time that planning takes on a random network: of the first root and of 20
 * further ones. Decides nothing. Usage: bench_planning [HOSTS [PER_SWITCH]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "test/topo/check/random_network.h"
#include "topo/model/planner.h"

enum { FURTHER_ROOTS = 20, BYTES = 65536 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/** Plans for one root; returns the milliseconds. */
static double plan(pb_planner_t *planner, int root)
{
    pb_planned_t planned;
    const double start = seconds();
    if (pb_planner_plan(planner, root, BYTES, &planned) != PB_SUCCESS) {
        abort();
    }
    return 1e3 * (seconds() - start);
}

int main(int argc, char **argv)
{
    const int n_hosts = argc > 1 ? atoi(argv[1]) : 1024;
    const int per_switch = argc > 2 ? atoi(argv[2]) : 16;
    const pb_planner_options_t options = {.choose = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3},
                                          .memory = (size_t) 1 << 30};
    static pb_model_t model;
    pb_random_t random = pb_random_seed(1);
    double further = 0;
    if (n_hosts < 2 || per_switch < 1) {
        fprintf(stderr, "bench_planning: give two hosts or more\n");
        return EXIT_FAILURE;
    }
    pb_network_t *network = pb_random_network(&random, PB_SHAPE_PAPER,
                                              (n_hosts + per_switch - 1) / per_switch, n_hosts, 0);
    pb_placement_t *placement = pb_random_placement(&random, network, 1);
    pb_planner_t *planner = pb_planner_new();
    if (planner == NULL) {
        abort();
    }
    pb_model_assume(0, 0, &model);
    model.measured = true;
    pb_planner_begin(planner, placement, &model, &options);
    const double first = plan(planner, 0);
    for (int i = 0; i < FURTHER_ROOTS; i++) {
        further += plan(planner, pb_random_below(&random, n_hosts));
    }
    printf("%d hosts, %d per switch: first root %.2f ms, further ones %.2f ms, %zu KB kept\n",
           n_hosts, per_switch, first, further / FURTHER_ROOTS, pb_planner_memory(planner) / 1024);
    pb_planner_free(planner);
    pb_placement_free(placement);
    pb_network_free(network);
    return EXIT_SUCCESS;
}
