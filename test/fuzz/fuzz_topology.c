/* Topology files, read as every format. What can be read must be a network on which a chain can be
 * laid. */
#include "test/fuzz/fuzz.h"
#include "topo/check/check_load.h"
#include "topo/network/topology.h"
#include "topo/network/view.h"
#include "topo/trees/plan.h"

const char fuzz_name[] = "topology";

/* Larger networks are read only, so that most of the time goes into the reader. */
enum { MAX_NODES = 64 };

static pb_placement_t *place_ranks(const pb_network_t *network)
{
    pb_placement_t *placement = must_have(pb_placement_new(network, pb_network_n_hosts(network)));
    int rank = 0;
    for (int node = 0; node < pb_network_size(network); node++) {
        if (pb_network_node(network, node)->kind == PB_NODE_HOST) {
            placement->host[rank++] = node;
        }
    }
    must(rank == placement->n_ranks);
    return placement;
}

static void lay_chain(const pb_placement_t *placement, int root)
{
    pb_view_t *view;
    pb_plan_t *plan;
    pb_check_t check;
    pb_diag_t diag;
    pb_diag_init(&diag);
    must(pb_view_new(placement, root, NULL, 0, &view) == PB_SUCCESS);
    must(pb_plan_compute(view, PB_KIND_CHAIN, NULL, &plan) == PB_SUCCESS);
    must(pb_check_plan(placement, plan, NULL, &check, &diag) == PB_SUCCESS);
    must(pb_check_load(placement, plan, NULL, &diag) == PB_SUCCESS);
    must(diag.n_errors == 0);
    pb_check_clear(&check);
    pb_plan_free(plan);
    pb_view_free(view);
}

static void use_network(const pb_network_t *network)
{
    if (pb_network_size(network) > MAX_NODES) {
        return;
    }
    pb_placement_t *placement = place_ranks(network);
    lay_chain(placement, 0);
    lay_chain(placement, placement->n_ranks - 1);
    pb_placement_free(placement);
}

/* A network or at least one error, never both. */
static void read_as(const pb_topology_format_t *format, const pb_topology_text_t *text)
{
    const pb_topology_request_t request = {.partition = "p"};
    pb_topology_t topology = {.network = NULL};
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = format->parse(text, &request, &topology, &diag);
    if (topology.network != NULL && pb_network_n_hosts(topology.network) > 0) {
        use_network(topology.network);
    }
    fuzz_parsed(error, topology.network != NULL, &diag);
    pb_topology_clear(&topology);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pb_topology_text_t text = {.text = (const char *) bytes, .length = length, .name = "input"};
    for (const pb_topology_format_t *format = pb_topology_formats; format->name != NULL; format++) {
        text.separator = '\0';
        read_as(format, &text);
        text.separator = ';';
        read_as(format, &text);
    }
    return 0;
}
