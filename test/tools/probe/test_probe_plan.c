/* The matrix that a probe makes of its measurements; test_advisor.sh has what it measures. */
#include "contrib/adaptive/probe/plan.h"

#include <stdlib.h>
#include <string.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/network/given.h"
#include "topo/network/topology.h"

static const char text[] = "SwitchName=c1 Nodes=n[0-1]\nSwitchName=c2 Nodes=n[2-3]\n"
                           "SwitchName=c3 Nodes=n4\nSwitchName=west Switches=c[1-2]\n"
                           "SwitchName=top Switches=west,c3\n";

/** Of a step: bounds that are close. */
static struct probe_result result_of(int step)
{
    return (struct probe_result){.time = 100 + step,
                                 .there = {1000 + step, 1000 + step},
                                 .back = {2000 + step, 2000 + step}};
}

/** Bounds of a link between two nodes, which is the last step. */
static void test_settle(const pb_network_t *network)
{
    char *hosts[] = {"n0", "n4"};
    struct probe_plan plan;
    struct probe_result results[3];
    must(probe_plan_make(&plan, network, hosts, 2) == PB_SUCCESS);
    for (int i = 0; i < 3; i++) {
        results[i] = result_of(i);
    }
    ok(plan.n_steps == 3 && probe_plan_fill(&plan, results) == 0, "all known");
    results[2].there = (struct probe_band){500, PB_LINK_MATRIX_MAX_BANDWIDTH};
    results[2].back = (struct probe_band){3000, 3000};
    ok(probe_plan_fill(&plan, results) == 1 && pb_link_bandwidth(plan.matrix, 0, 1) == 500 &&
           pb_link_bandwidth(plan.matrix, 1, 0) == 3000,
       "a bandwidth that is unknown is the lower bound, the other way is measured");
    probe_plan_clear(&plan);
}

static void test_fill(const pb_network_t *network)
{
    char *hosts[] = {"n0", "n1", "n2", "n4"};
    struct probe_plan plan;
    struct probe_result results[16] = {{.time = 0}};
    must(probe_plan_make(&plan, network, hosts, 4) == PB_SUCCESS);
    for (int i = 0; i < plan.n_steps; i++) {
        results[i] = result_of(i);
    }
    ok(probe_plan_fill(&plan, results) == 0, "filled");
    const pb_link_matrix_t *m = plan.matrix;
    ok(m->startup[3] == 103, "a start-up cost");
    /* Steps: four start-ups, inside c1, then c1 c2, c1 c3, c2 c3. */
    ok(pb_link_bandwidth(m, 0, 1) == 2004 && pb_link_latency(m, 0, 0) == 104, "inside a cluster");
    ok(pb_link_bandwidth(m, 1, 2) == 1005 && pb_link_bandwidth(m, 2, 1) == 2005 &&
           pb_link_latency(m, 2, 0) == 105,
       "between two, each way");
    ok(pb_link_bandwidth(m, 2, 2) == 2007, "a cluster of one node has the best that was found");
    probe_plan_clear(&plan);
}

int main(void)
{
    pb_network_t *network = given_network(text);
    test_settle(network);
    test_fill(network);
    pb_network_free(network);
    return tap_done();
}
