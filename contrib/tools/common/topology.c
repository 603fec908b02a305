#include "topology.h"

#include <stdlib.h>

#include "report.h"
#include "topo/network/addresses.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"

pb_topology_request_t common_topology_request(const char *name)
{
    return (pb_topology_request_t){.name = name, .partition = getenv("SLURM_JOB_PARTITION")};
}

pb_network_t *common_topology_read(const char *path, const char *name, bool reports,
                                   bool *is_flat_p)
{
    pb_diag_t diag;
    pb_topology_t topology;
    const pb_topology_request_t request = common_topology_request(name);
    pb_diag_init(&diag);
    const int code = pb_topology_open(path, &request, &topology, &diag);
    if (reports) {
        common_report_errors(&diag);
        common_report_errors(&topology.warnings);
    }
    if (reports && code != PB_SUCCESS && diag.n_kept == 0) {
        common_report("--topology: %s: %s; 'pipebcast check' reports more", path,
                      pb_error_text(code));
    }
    pb_network_t *network = topology.network;
    *is_flat_p = network != NULL && pb_network_n_hosts(network) == 0;
    topology.network = NULL;
    pb_topology_clear(&topology);
    pb_diag_clear(&diag);
    return network;
}

pb_network_t *common_topology_joined(const pb_network_t *network, char *const *hosts, int n,
                                     pb_diag_t *warnings)
{
    pb_network_t *joined = NULL;
    pb_address_t *addresses = common_alloc((size_t) n, sizeof *addresses);
    for (int i = 0; i < n; i++) {
        addresses[i] = (pb_address_t){.host = hosts[i], .node = "", .address = "", .pattern = ""};
    }
    if (pb_addresses_join(network, addresses, n, &joined, warnings) == PB_ERR_NO_MEMORY) {
        common_end_error(PB_ERR_NO_MEMORY);
    }
    free(addresses);
    return joined;
}

pb_network_t *common_topology_join(pb_network_t *network, char *const *hosts, int n,
                                   pb_diag_t *warnings)
{
    pb_network_t *joined = common_topology_joined(network, hosts, n, warnings);
    if (joined != NULL) {
        pb_network_free(network);
    }
    return joined != NULL ? joined : network;
}

struct listed {
    char **names;
    int n, capacity;
};

static int keep_name(void *context, const char *name)
{
    struct listed *listed = context;
    char **names = pb_grow(listed->names, listed->n, &listed->capacity, sizeof *names);
    if (names == NULL) {
        common_end_error(PB_ERR_NO_MEMORY);
    }
    listed->names = names;
    names[listed->n++] = common_copy(name);
    return PB_SUCCESS;
}

char **common_hostlist(const char *list, int *n_p, char *why, size_t why_size)
{
    struct listed listed = {.n = 0};
    const int code =
        pb_hostlist_expand(list, PB_NETWORK_MAX_NODES, keep_name, &listed, why, why_size);
    if (code == PB_ERR_NO_MEMORY) {
        common_end_error(code);
    }
    *n_p = listed.n;
    return listed.names;
}

void common_hosts_free(char **hosts, int n)
{
    for (int i = 0; hosts != NULL && i < n; i++) {
        free(hosts[i]);
    }
    free(hosts);
}
