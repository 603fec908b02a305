/* Slurm's files, read while each allocation fails in turn. */
#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/topo/network/in_memory.h"
#include "topo/util/yaml_tree.h"

static int run(const void *context)
{
    const in_memory_t *files = context;
    const pb_topology_files_t access = in_memory_files(files);
    const pb_topology_text_t text = in_memory_text(files, &access);
    const pb_topology_request_t request = {.partition = "p"};
    pb_topology_t topology;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_topology_open_text(&text, &request, &topology, &diag);
    pb_topology_clear(&topology);
    pb_diag_clear(&diag);
    return error;
}

static void test_scenario(const char *what, const in_memory_t *files, int expected)
{
    const failing_memory_t r = failing_memory_run(run, files);
    ok(r.with_memory == expected, "%s: %s", what, pb_error_text(expected));
    ok(r.n_failed > 10 && r.n_wrong == 0, "%s: none of %d lost allocations breaks it", what,
       r.n_failed);
    ok(r.n_reported > r.n_failed / 2, "%s: %d are reported", what, r.n_reported);
}

int main(void)
{
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
    test_scenario("topology.conf", conf, PB_SUCCESS);
    test_scenario("a faulty topology.conf", faulty, PB_SUCCESS);
    if (pb_yaml_is_there()) {
        test_scenario("topology.yaml", yaml, PB_SUCCESS);
    }
    return tap_done();
}
