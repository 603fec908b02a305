/* Prints how long choices take; decides nothing. Usage: bench_choose [HOSTS [PER_SWITCH]] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "test/topo/check/random_network.h"
#include "topo/model/choose.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/** Chooses for every size class from 1 KiB to 16 MiB; prints the time of one choice. */
static void choose_all(pb_chooser_t *chooser, const char *what)
{
    pb_choice_t choice;
    int n = 0;
    const double start = seconds();
    for (uint64_t bytes = 1024; bytes < 1 << 24; bytes += bytes / 8) {
        if (pb_choose(chooser, 0, bytes, &choice) != PB_SUCCESS) {
            abort();
        }
        n++;
    }
    printf("%-40s %10.2f us\n", what, 1e6 * (seconds() - start) / n);
}

int main(int argc, char **argv)
{
    const int n_hosts = argc > 1 ? atoi(argv[1]) : 1024;
    const int per_switch = argc > 2 ? atoi(argv[2]) : 16;
    static const pb_choose_options_t options = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    static pb_model_t model;
    pb_random_t random = pb_random_seed(1);
    pb_choice_t choice;
    if (n_hosts < 1 || per_switch < 1) {
        fprintf(stderr, "bench_choose: numbers from 1 are needed\n");
        return EXIT_FAILURE;
    }
    pb_network_t *network = pb_random_network(&random, PB_SHAPE_PAPER,
                                              (n_hosts + per_switch - 1) / per_switch, n_hosts, 0);
    pb_placement_t *placement = pb_random_placement(&random, network, 1);
    pb_model_assume(0, 0, &model);
    model.measured = true;
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &options);
    double start = seconds();
    if (chooser == NULL || pb_choose(chooser, 0, 1000, &choice) != PB_SUCCESS) {
        abort();
    }
    printf("%-40s %10.2f us (%s)\n", "first choice, small message", 1e6 * (seconds() - start),
           pb_candidate_name(&choice.best));
    start = seconds();
    if (pb_choose(chooser, 0, 1 << 25, &choice) != PB_SUCCESS) {
        abort();
    }
    printf("%-40s %10.2f us (%s)\n", "first choice, large message", 1e6 * (seconds() - start),
           pb_candidate_name(&choice.best));
    choose_all(chooser, "a new size class");
    choose_all(chooser, "a size class that was chosen for");
    pb_chooser_free(chooser);
    model.measured = false;
    chooser = pb_chooser_new(placement, &model, &options);
    if (chooser == NULL || pb_choose(chooser, 0, 1 << 25, &choice) != PB_SUCCESS) {
        abort();
    }
    choose_all(chooser, "a new size class, without measurements");
    pb_chooser_free(chooser);
    pb_placement_free(placement);
    pb_network_free(network);
    return EXIT_SUCCESS;
}
