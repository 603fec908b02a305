#include "topology.h"

#include <stdlib.h>

#include "report.h"
#include "topo/util/error.h"

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
        common_report_faults(&diag);
        common_report_faults(&topology.warnings);
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
