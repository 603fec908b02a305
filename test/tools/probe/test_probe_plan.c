/* The measurements of a probe, its messages, and the matrix that it makes. */
#include "contrib/adaptive/probe/plan.h"

#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "topo/network/topology.h"

static const char text[] = "SwitchName=c1 Nodes=n[0-1]\nSwitchName=c2 Nodes=n[2-3]\n"
                           "SwitchName=c3 Nodes=n4\nSwitchName=west Switches=c[1-2]\n"
                           "SwitchName=top Switches=west,c3\n";

static pb_network_t *make_network(void)
{
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    if (pb_topology_parse(&(pb_topology_text_t){text, strlen(text), "inline", '\n', NULL}, &network,
                          &diag) != PB_SUCCESS) {
        abort();
    }
    pb_diag_clear(&diag);
    return network;
}

static int count_links(const struct probe_plan *plan)
{
    int n = 0;
    for (int i = 0; i < plan->n_steps; i++) {
        n += plan->steps[i].kind == PROBE_LINK;
    }
    return n;
}

static void test_plan(const pb_network_t *network)
{
    char *hosts[] = {"n4", "n0", "n0", "n1", "n2", "n3"};
    struct probe_plan plan;
    int unknown = -1;
    int64_t between;
    ok(probe_plan_make(&plan, network, hosts, 6, &unknown) == PB_SUCCESS &&
           plan.matrix->n_nodes == 5 && plan.matrix->n_clusters == 3 && plan.matrix->n_sites == 2,
       "six ranks on five hosts, three clusters, two sites");
    ok(strcmp(plan.matrix->node[0], "n4") == 0 && plan.rank[0] == 0 && plan.rank[1] == 1 &&
           plan.rank[2] == 3,
       "the first rank on a host stands for it");
    ok(strcmp(plan.matrix->site[plan.matrix->cluster_site[plan.matrix->node_cluster[1]]], "west") ==
               0 &&
           strcmp(plan.matrix->site[0], "c3") == 0,
       "clusters of one site, and one that is a site of its own");
    ok(plan.n_steps == 5 + 5 && count_links(&plan) == 2 + 3,
       "a start-up of each host, two insides, three pairs of clusters");
    const int64_t all = probe_plan_bytes(&plan, 65536, &between);
    const int64_t link = 2 * (6 * 64 + 65536), startup = 11 * 64;
    ok(all == 5 * link + 5 * startup && between == 3 * link + startup, "bytes: %lld, %lld between",
       (long long) all, (long long) between);
    probe_plan_clear(&plan);
}

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
    int unknown, step;
    if (probe_plan_make(&plan, network, hosts, 2, &unknown) != PB_SUCCESS) {
        abort();
    }
    for (int i = 0; i < 3; i++) {
        results[i] = result_of(i);
    }
    ok(plan.n_steps == 3 && probe_plan_settle(&plan, results) == 0, "all known");
    results[2].there = (struct probe_band){500, PB_LINK_MATRIX_MAX_BANDWIDTH};
    results[2].back = (struct probe_band){3000, 3000};
    ok(probe_plan_settle(&plan, results) == 1 &&
           probe_plan_fill(&plan, results, &step) == PB_SUCCESS &&
           pb_link_bandwidth(plan.matrix, 0, 1) == 500 &&
           pb_link_bandwidth(plan.matrix, 1, 0) == 3000,
       "a bandwidth that is unknown is the lower bound, the other way is measured");
    probe_plan_clear(&plan);
}

static void test_fill(const pb_network_t *network)
{
    char *hosts[] = {"n0", "n1", "n2", "n4"};
    struct probe_plan plan;
    struct probe_result results[16] = {{.time = 0}};
    int unknown, step;
    if (probe_plan_make(&plan, network, hosts, 4, &unknown) != PB_SUCCESS) {
        abort();
    }
    for (int i = 0; i < plan.n_steps; i++) {
        results[i] = result_of(i);
    }
    ok(probe_plan_fill(&plan, results, &step) == PB_SUCCESS, "filled");
    const pb_link_matrix_t *m = plan.matrix;
    ok(m->startup[3] == 103, "a start-up cost");
    /* Steps: four start-ups, inside c1, then c1 c2, c1 c3, c2 c3. */
    ok(pb_link_bandwidth(m, 0, 1) == 2004 && pb_link_latency(m, 0, 0) == 104, "inside a cluster");
    ok(pb_link_bandwidth(m, 1, 2) == 1005 && pb_link_bandwidth(m, 2, 1) == 2005 &&
           pb_link_latency(m, 2, 0) == 105,
       "between two, each way");
    ok(pb_link_bandwidth(m, 2, 2) == 2007, "a cluster of one node has the best that was found");
    results[6].back.most = 0;
    ok(probe_plan_fill(&plan, results, &step) == PB_ERR_INPUT && step == 6,
       "a step without result is named");
    probe_plan_clear(&plan);
}

static void test_faults(const pb_network_t *network)
{
    char *strange[] = {"n0", "zebra"}, *alone[] = {"n0", "n0"};
    struct probe_plan plan;
    int unknown = -1;
    ok(probe_plan_make(&plan, network, strange, 2, &unknown) == PB_ERR_UNKNOWN && unknown == 1,
       "a host that the network lacks");
    probe_plan_clear(&plan);
    ok(probe_plan_make(&plan, network, alone, 2, &unknown) == PB_ERR_INPUT, "one host alone");
    probe_plan_clear(&plan);
}

int main(void)
{
    pb_network_t *network = make_network();
    test_plan(network);
    test_settle(network);
    test_fill(network);
    test_faults(network);
    pb_network_free(network);
    return tap_done();
}
