#include "hosts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "all_good.h"
#include "report.h"
#include "topo/util/error.h"

/* ---- names ---- */

bool common_hosts_replace(char **hosts, int n, const char *list, char *why, size_t why_size)
{
    int n_names;
    char **names = common_hostlist(list, &n_names, why, why_size);
    for (int i = 0; names != NULL && i < n; i++) {
        free(hosts[i]);
        hosts[i] = common_copy(names[i % n_names]);
    }
    common_hosts_free(names, n_names);
    return names != NULL;
}

bool common_hosts_find(MPI_Comm comm, const char *list, char ***hosts_p)
{
    char own[MPI_MAX_PROCESSOR_NAME] = "", *names = NULL, why[256];
    int rank, n_ranks, length;
    bool good = true;
    *hosts_p = NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    MPI_Get_processor_name(own, &length);
    if (rank == 0) {
        names = common_alloc((size_t) n_ranks, sizeof own);
    }
    MPI_Gather(own, sizeof own, MPI_CHAR, names, sizeof own, MPI_CHAR, 0, comm);
    if (rank == 0) {
        *hosts_p = common_alloc((size_t) n_ranks, sizeof **hosts_p);
        for (int i = 0; i < n_ranks; i++) {
            (*hosts_p)[i] = common_copy(names + (size_t) i * sizeof own);
        }
        good = list[0] == '\0' || common_hosts_replace(*hosts_p, n_ranks, list, why, sizeof why);
    }
    if (!good) {
        common_report("--pretend-hosts: %s", why);
        common_hosts_free(*hosts_p, n_ranks);
        *hosts_p = NULL;
    }
    free(names);
    return common_all_good(good, comm);
}

/** A rank and its host, to be sorted. */
struct placed {
    const char *host;
    int rank;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const int by_host = strcmp(x->host, y->host);
    return by_host != 0 ? by_host : (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_ranks(const void *a, const void *b)
{
    const int x = *(const int *) a, y = *(const int *) b;
    return (x > y) - (x < y);
}

int *common_hosts_leaders(char *const *hosts, int n, int *n_leaders_p)
{
    struct placed *placed = common_alloc((size_t) n, sizeof *placed);
    int *leaders = common_alloc((size_t) n, sizeof *leaders);
    for (int rank = 0; rank < n; rank++) {
        placed[rank] = (struct placed){hosts[rank], rank};
    }
    qsort(placed, (size_t) n, sizeof *placed, compare_placed);
    *n_leaders_p = 0;
    for (int i = 0; i < n; i++) {
        if (i == 0 || strcmp(placed[i].host, placed[i - 1].host) != 0) {
            leaders[(*n_leaders_p)++] = placed[i].rank;
        }
    }
    qsort(leaders, (size_t) *n_leaders_p, sizeof *leaders, compare_ranks);
    free(placed);
    return leaders;
}

/* ---- the network ---- */

pb_network_t *common_hosts_network(char *const *hosts, int n, const char *topology,
                                   const char *name, bool reports)
{
    bool is_flat;
    pb_diag_t warnings;
    if (topology[0] == '\0') {
        pb_network_t *network = pb_network_one_switch((const char *const *) hosts, n);
        if (network == NULL) {
            common_end_error(PB_ERR_NO_MEMORY);
        }
        return network;
    }
    pb_network_t *network = common_topology_read(topology, name, reports, &is_flat);
    if (network == NULL) {
        if (reports && access(topology, R_OK) != 0) {
            common_report("--topology: %s is read on host '%s', where rank 0 runs", topology,
                          hosts[0]);
        }
        return NULL;
    }
    pb_diag_init(&warnings);
    network = common_topology_join(network, hosts, n, &warnings);
    if (reports) {
        common_report_errors(&warnings);
    }
    pb_diag_clear(&warnings);
    return network;
}

pb_placement_t *common_hosts_place(const pb_network_t *network, char *const *hosts, int n,
                                   const char *topology)
{
    pb_placement_t *placement = pb_placement_new(network, n);
    if (placement == NULL) {
        common_end_error(PB_ERR_NO_MEMORY);
    }
    for (int rank = 0; rank < n; rank++) {
        placement->host[rank] = pb_network_find_host(network, hosts[rank]);
        if (placement->host[rank] < 0) {
            common_report("--topology: %s has no host '%s', on which rank %d runs; add it, or run "
                          "on other hosts",
                          topology, hosts[rank], rank);
            pb_placement_free(placement);
            return NULL;
        }
    }
    return placement;
}
