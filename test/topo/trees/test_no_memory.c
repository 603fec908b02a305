/*
 * From reading a file to checking a plan and choosing, without memory at each place
 * in turn.
 */
#include <stdlib.h>

#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/topo/network/in_memory.h"
#include "topo/check/checker.h"
#include "topo/model/choose.h"
#include "topo/util/yaml_tree.h"

enum { N_RANKS = 8 };

/* Plans a chain over hosts n1 .. n8, in two orders of children, and checks it. */
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

static int choose(const pb_placement_t *placement)
{
    static const pb_choose_options_t options = {.kind = PB_CHOOSE_ALL, .plan.fanout = 3};
    static pb_model_t model;
    pb_candidate_t choice;
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
    int error = plan_and_check(placement, diag);
    if (error == PB_SUCCESS) {
        error = choose(placement);
    }
    pb_placement_free(placement);
    return error;
}

static int run(const void *context)
{
    const in_memory_t *files = context;
    const pb_topology_files_t access = in_memory_files(files);
    const pb_topology_text_t text = in_memory_text(files, &access);
    const pb_topology_request_t request = {.partition = "p"};
    pb_topology_t topology;
    pb_diag_t diag;
    pb_diag_init(&diag);
    int error = pb_topology_open_text(&text, &request, &topology, &diag);
    if (error == PB_SUCCESS && pb_network_find_host(topology.network, "n8") >= 0) {
        error = place_and_plan(topology.network, &diag);
    }
    pb_topology_clear(&topology);
    pb_diag_clear(&diag);
    return error;
}

static void test_scenario(const char *what, const in_memory_t *files, int expected)
{
    const failing_memory_t r = failing_memory_run(run, files);
    ok(r.with_memory == expected, "%s: %s", what, pb_error_text(expected));
    ok(r.n_failed > 10 && r.n_wrong == 0 && r.n_reported > r.n_failed / 2,
       "%s: none of %d lost allocations breaks it, %d are reported", what, r.n_failed,
       r.n_reported);
}

int main(void)
{
    const in_memory_t hosts[] = {{"topology.conf",
                                  "SwitchName=t Switches=a,b\nSwitchName=a Nodes=n[1-4]\n"
                                  "SwitchName=b Nodes=n[5-90]\n"},
                                 {NULL, NULL}};
    const in_memory_t nothing[] = {
        {"topology.conf", "SwitchName=a,b/ Nodes=n[1-4\nSwitchName=b[1- Nodes=n[\nColour=red\n"},
        {NULL, NULL}};
    const in_memory_t empty[] = {{"topology.conf", "Colour=red\nNodes=n[1-4]\n"}, {NULL, NULL}};
    const in_memory_t cycle[] = {
        {"topology.conf", "SwitchName=t Switches=a\nSwitchName=a Switches=t\n"}, {NULL, NULL}};
    const in_memory_t conf[] = {
        {"d/topology.conf", "Include leaves\nSwitchName=t Level=1 Nodes=n[0-3] Switches=s[0-1]\n"
                            "#pipebcast SwitchName=t Uplinks=2\n"},
        {"d/leaves", "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n"},
        {"d/topology.pipebcast", "SwitchName=t2 Switches=s[0-1]\n"},
        {"d/topology.yaml", ""},
        {NULL, NULL}};
    const in_memory_t yaml[] = {
        {"topology.yaml", "- {topology: a, flat: true}\n- topology: b\n  block:\n    blocks:\n"
                          "      - {block: b0, nodes: n0}\n      - {block: b1, nodes: n1}\n"},
        {"slurm.conf", "PartitionName=DEFAULT Topology=a\nInclude parts\n"},
        {"parts", "PartitionName=p Topology=b\n"},
        {NULL, NULL}};
    const in_memory_t faulty[] = {
        {"topology.conf",
         "SwitchName=t Nodes=n[0-1]\nSwitchName=s0 Nodes=n0\nInclude topology.conf\n"},
        {NULL, NULL}};
    test_scenario("hosts to plan for", hosts, PB_SUCCESS);
    test_scenario("a file of which little can be used", nothing, PB_SUCCESS);
    test_scenario("a cycle", cycle, PB_SUCCESS);
    test_scenario("no switch", empty, PB_ERR_INPUT);
    test_scenario("topology.conf", conf, PB_SUCCESS);
    test_scenario("a faulty topology.conf", faulty, PB_SUCCESS);
    if (pb_yaml_is_there()) {
        test_scenario("topology.yaml", yaml, PB_SUCCESS);
    }
    return tap_done();
}
