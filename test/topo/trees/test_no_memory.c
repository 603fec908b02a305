/*
 * From reading a file to checking a plan and choosing, without memory at each place
 * in turn.
 */
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/tap.h"
#include "topo/check/checker.h"
#include "topo/model/choose.h"
#include "topo/network/topology.h"

enum { N_RANKS = 8 };

/* Plans a chain over hosts n1 .. n8, in two ways of ordering children, and
 * checks it. */
static int plan_and_check(const pb_placement_t *placement, pb_diag_t *diag)
{
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    pb_check_t check;
    int error = pb_view_new(placement, 3, NULL, 0, &view);
    if (error == PB_SUCCESS) {
        error = pb_plan_compute(view, PB_KIND_CHAIN, NULL, &plan);
    }
    if (error == PB_SUCCESS) {
        error = pb_plan_link_children(plan, 0, view, (int[N_RANKS]){1, 2, 3, 4, 5, 6, 7, 8});
    }
    if (error == PB_SUCCESS) {
        error = pb_check_plan(placement, plan, NULL, &check, diag);
        pb_check_clear(&check);
    }
    pb_plan_free(plan);
    pb_view_free(view);
    return error;
}

/* Chooses for a short and a long message. */
static int choose(const pb_placement_t *placement)
{
    static const pb_choose_options_t options = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    static pb_model_t model;
    pb_choice_t choice;
    pb_model_assume(0, 0, &model);
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &options);
    int error = chooser == NULL ? PB_ERR_NO_MEMORY : pb_choose(chooser, 1, 64, &choice);
    if (error == PB_SUCCESS) {
        error = pb_choose(chooser, 1, 1 << 20, &choice);
    }
    pb_chooser_free(chooser);
    return error;
}

static int place_and_plan(const pb_network_t *network, pb_diag_t *diag)
{
    pb_placement_t *placement = pb_placement_new(network, N_RANKS);
    if (placement == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int rank = 0; rank < N_RANKS; rank++) {
        char name[] = {'n', (char) ('1' + rank), '\0'};
        placement->host[rank] = pb_network_find(network, name);
    }
    int error = pb_placement_n_hosts(placement) < 0 ? PB_ERR_NO_MEMORY : PB_SUCCESS;
    if (error == PB_SUCCESS) {
        error = plan_and_check(placement, diag);
    }
    if (error == PB_SUCCESS) {
        error = choose(placement);
    }
    pb_placement_free(placement);
    return error;
}

static int run(const void *context)
{
    const char *conf = context;
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    int error = pb_topology_parse(&(pb_topology_text_t){conf, strlen(conf), "conf", ';', NULL},
                                  &network, &diag);
    if (error == PB_SUCCESS) {
        error = place_and_plan(network, &diag);
    }
    pb_network_free(network);
    pb_diag_clear(&diag);
    return error;
}

static void test_scenario(const char *what, const char *conf, int expected)
{
    const failing_memory_t r = failing_memory_run(run, conf);
    ok(r.with_memory == expected, "%s: %s", what, pb_error_text(expected));
    ok(r.n_failed > 10 && r.n_wrong == 0, "%s: none of %d lost allocations breaks it", what,
       r.n_failed);
    ok(expected != PB_SUCCESS || r.n_reported == r.n_failed, "%s: %d are reported", what,
       r.n_reported);
}

int main(void)
{
    test_scenario("a good file",
                  "SwitchName=t Switches=a,b;SwitchName=a Nodes=n[1-4];SwitchName=b Nodes=n[5-90]",
                  PB_SUCCESS);
    test_scenario("a file from which nothing can be used",
                  "SwitchName=a,b/ Nodes=n[1-4;SwitchName=b[1- Nodes=n[;Colour=red", PB_ERR_INPUT);
    test_scenario("a cycle", "SwitchName=t Switches=a;SwitchName=a Switches=t", PB_ERR_INPUT);
    return tap_done();
}
