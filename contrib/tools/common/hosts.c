#include "hosts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "all_good.h"
#include "report.h"
#include "topo/network/addresses.h"
#include "topo/network/hostlist.h"
#include "topology.h"

/* ---- names ---- */

struct given {
    char **names;
    int n, most;
};

static int keep_name(void *context, const char *name)
{
    struct given *given = context;
    if (given->n == given->most) {
        return PB_SUCCESS; /* more than there are ranks */
    }
    given->names[given->n] = strdup(name);
    return given->names[given->n++] != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

void common_hosts_free(char **hosts, int n)
{
    for (int i = 0; hosts != NULL && i < n; i++) {
        free(hosts[i]);
    }
    free(hosts);
}

bool common_hosts_replace(char **hosts, int n, const char *list, char *fault, size_t fault_size)
{
    struct given given = {.most = n};
    snprintf(fault, fault_size, "out of memory");
    given.names = calloc((size_t) n, sizeof *given.names);
    bool good = given.names != NULL &&
                pb_hostlist_expand(list, PB_NETWORK_MAX_NODES, keep_name, &given, fault,
                                   fault_size) == PB_SUCCESS &&
                given.n > 0;
    for (int i = 0; good && i < n; i++) {
        free(hosts[i]);
        hosts[i] = strdup(given.names[i % given.n]);
        good = hosts[i] != NULL;
    }
    common_hosts_free(given.names, given.n);
    return good;
}

/** Rank 0's part. NULL after a message. */
static char **keep_hosts(const char *names, int n, const char *list)
{
    assert(names != NULL);
    char **hosts = calloc((size_t) n, sizeof *hosts);
    bool good = hosts != NULL;
    for (int i = 0; good && i < n; i++) {
        hosts[i] = strdup(names + (size_t) i * MPI_MAX_PROCESSOR_NAME);
        good = hosts[i] != NULL;
    }
    if (!good) {
        common_report("out of memory for %d host names", n);
    }
    if (good && list[0] != '\0') {
        char fault[256];
        good = common_hosts_replace(hosts, n, list, fault, sizeof fault);
        if (!good) {
            common_report("--pretend-hosts: %s", fault);
        }
    }
    if (!good) {
        common_hosts_free(hosts, n);
        return NULL;
    }
    return hosts;
}

bool common_hosts_find(MPI_Comm comm, const char *list, char ***hosts_p)
{
    char own[MPI_MAX_PROCESSOR_NAME] = "", *names = NULL;
    int rank, n_ranks, length;
    *hosts_p = NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    MPI_Get_processor_name(own, &length);
    if (rank == 0) {
        names = calloc((size_t) n_ranks, sizeof own);
    }
    if (!common_all_good(rank != 0 || names != NULL, comm)) {
        free(names);
        return false;
    }
    MPI_Gather(own, sizeof own, MPI_CHAR, names, sizeof own, MPI_CHAR, 0, comm);
    if (rank == 0) {
        *hosts_p = keep_hosts(names, n_ranks, list);
    }
    free(names);
    return common_all_good(rank != 0 || *hosts_p != NULL, comm);
}

/* ---- the network ---- */

static pb_network_t *one_switch(char *const *hosts, int n)
{
    pb_network_t *network = pb_network_one_switch((const char *const *) hosts, n);
    if (network == NULL) {
        common_report("out of memory for a network of %d hosts", n);
    }
    return network;
}

pb_network_t *common_hosts_network(char *const *hosts, int n, const char *topology,
                                   const char *name, bool reports)
{
    bool is_flat;
    if (topology[0] == '\0') {
        return one_switch(hosts, n);
    }
    pb_network_t *network = common_topology_read(topology, name, reports, &is_flat);
    pb_network_t *joined = NULL;
    pb_address_t *addresses = calloc((size_t) n + 1, sizeof(*addresses));
    pb_diag_t warnings;
    pb_diag_init(&warnings);
    for (int i = 0; i < n && addresses != NULL; i++) {
        addresses[i] = (pb_address_t){.host = hosts[i], .node = "", .address = "", .pattern = ""};
    }
    if (network != NULL && addresses != NULL) {
        (void) pb_addresses_join(network, addresses, n, &joined, &warnings);
        if (reports) {
            common_report_faults(&warnings);
        }
    }
    if (joined != NULL) {
        pb_network_free(network);
    }
    pb_diag_clear(&warnings);
    free(addresses);
    return joined != NULL ? joined : network;
}
