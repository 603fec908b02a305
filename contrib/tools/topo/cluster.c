#include "cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/report.h"
#include "contrib/tools/common/topology.h"
#include "message.h"
#include "topo/util/error.h"

const char *tool_file_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

bool tool_topology_read(const tool_options_t *options, pb_topology_t *topology, pb_diag_t *diag)
{
    const char *file = options->file, *name = tool_file_name(file);
    const pb_topology_request_t request = common_topology_request(options->topology_name);
    pb_diag_init(diag);
    const int error = strcmp(file, "-") == 0
                          ? pb_topology_open_stream(stdin, name, &request, topology, diag)
                          : pb_topology_open(file, &request, topology, diag);
    if (error == PB_ERR_IO) {
        tool_print_errors(stderr, diag);
        exit(COMMON_EXIT_FAILED);
    }
    if (error != PB_SUCCESS && error != PB_ERR_INPUT) {
        common_end_error(error);
    }
    return error == PB_SUCCESS;
}

pb_network_t *tool_network_read(const tool_options_t *options)
{
    pb_topology_t topology;
    pb_diag_t diag;
    const bool good = tool_topology_read(options, &topology, &diag);
    tool_print_errors(stderr, &diag);
    tool_print_warnings(stderr, &topology.warnings);
    if (!good) {
        exit(COMMON_EXIT_FAILED);
    }
    pb_network_t *network = topology.network;
    topology.network = NULL;
    pb_topology_clear(&topology);
    pb_diag_clear(&diag);
    return network;
}

/* ---- which hosts take part ---- */

/* Puts the hosts of --hosts into a network that names none. */
static void join_hosts(tool_cluster_t *cluster, char *const *names, int n)
{
    pb_diag_t diag;
    if (names == NULL) {
        common_end(COMMON_EXIT_USAGE,
                   "%s names no hosts: they are those of a job; name them by --hosts",
                   cluster->file);
    }
    pb_diag_init(&diag);
    cluster->network = common_topology_join(cluster->network, names, n, &diag);
    tool_print_errors(stderr, &diag);
    pb_diag_clear(&diag);
}

static int natural_order(const void *a, const void *b, void *network)
{
    return strverscmp(pb_network_node(network, *(const int *) a)->name,
                      pb_network_node(network, *(const int *) b)->name);
}

/* All hosts of the network, in natural order. */
static int *all_hosts(pb_network_t *network)
{
    int n = 0, *hosts = common_alloc((size_t) pb_network_n_hosts(network), sizeof(*hosts));
    for (int node = 0; node < pb_network_size(network); node++) {
        if (pb_network_node(network, node)->kind == PB_NODE_HOST) {
            hosts[n++] = node;
        }
    }
    qsort_r(hosts, (size_t) n, sizeof(*hosts), natural_order, network);
    return hosts;
}

/* The hosts of --hosts, in its order. */
static int *named_hosts(const pb_network_t *network, char *const *names, int n)
{
    int *hosts = common_alloc((size_t) n, sizeof(*hosts));
    char *taken = common_alloc((size_t) pb_network_size(network), 1);
    for (int i = 0; i < n; i++) {
        hosts[i] = pb_network_find_host(network, names[i]);
        if (hosts[i] < 0) {
            common_end(COMMON_EXIT_USAGE, "--hosts: no host of the topology is called '%s'",
                       names[i]);
        }
        if (taken[hosts[i]]++ > 0) {
            common_end(COMMON_EXIT_USAGE, "--hosts: '%s' is there twice", names[i]);
        }
    }
    free(taken);
    return hosts;
}

/* ---- ranks, their names and the root ---- */

static void place_ranks(tool_cluster_t *cluster, const int *hosts, int ppn)
{
    if (cluster->n_hosts > TOOL_MAX_RANKS / ppn) {
        common_end(COMMON_EXIT_USAGE, "--ppn %d on %d hosts makes more than %d ranks", ppn,
                   cluster->n_hosts, TOOL_MAX_RANKS);
    }
    const int n_ranks = cluster->n_hosts * ppn;
    assert(n_ranks > 0);
    cluster->placement = pb_placement_new(cluster->network, n_ranks);
    if (cluster->placement == NULL) {
        common_end_error(PB_ERR_NO_MEMORY);
    }
    cluster->names = common_alloc((size_t) n_ranks, sizeof(*cluster->names));
    for (int rank = 0; rank < n_ranks; rank++) {
        const int host = hosts[rank / ppn];
        cluster->placement->host[rank] = host;
        const char *name = pb_network_node(cluster->network, host)->name;
        cluster->names[rank] =
            ppn == 1 ? common_copy(name) : common_format("%s:%d", name, rank % ppn);
    }
}

static void mark_used(tool_cluster_t *cluster)
{
    const pb_network_t *network = cluster->network;
    cluster->used = common_alloc((size_t) pb_network_size(network), 1);
    for (int rank = 0; rank < cluster->placement->n_ranks; rank++) {
        int node = cluster->placement->host[rank];
        for (; node >= 0 && !cluster->used[node]; node = pb_network_node(network, node)->parent) {
            cluster->used[node] = 1;
            cluster->n_switches += pb_network_node(network, node)->kind == PB_NODE_SWITCH;
        }
    }
}

/* The rank called `root`, the first rank on the host called so, or its number. */
static int find_root(const tool_cluster_t *cluster, const char *root)
{
    const int host = pb_network_find_host(cluster->network, root);
    int64_t number = -1;
    for (int rank = 0; rank < cluster->placement->n_ranks; rank++) {
        if (cluster->placement->host[rank] == host || strcmp(cluster->names[rank], root) == 0) {
            return rank;
        }
    }
    if (host >= 0) {
        common_end(COMMON_EXIT_USAGE, "--root: '%s' is not among the --hosts", root);
    }
    if (!common_read_number(root, 0, cluster->placement->n_ranks - 1, &number)) {
        common_end(COMMON_EXIT_USAGE, "--root: '%s' is no host of %s", root, cluster->file);
    }
    return (int) number;
}

tool_cluster_t tool_cluster_open(const tool_options_t *options)
{
    tool_cluster_t cluster = {.file = tool_file_name(options->file)};
    char **names = NULL, why[256];
    int n_names = 0;
    cluster.network = tool_network_read(options);
    if (options->hosts != NULL) {
        names = common_hostlist(options->hosts, &n_names, why, sizeof(why));
    }
    if (options->hosts != NULL && names == NULL) {
        common_end(COMMON_EXIT_USAGE, "--hosts: %s", why);
    }
    if (pb_network_n_hosts(cluster.network) == 0) {
        join_hosts(&cluster, names, n_names);
    }
    int *hosts =
        names != NULL ? named_hosts(cluster.network, names, n_names) : all_hosts(cluster.network);
    cluster.n_hosts = names != NULL ? n_names : pb_network_n_hosts(cluster.network);
    place_ranks(&cluster, hosts, options->ppn);
    mark_used(&cluster);
    cluster.root = options->root != NULL ? find_root(&cluster, options->root) : 0;
    free(hosts);
    common_hosts_free(names, n_names);
    const int error = pb_view_new(cluster.placement, cluster.root, NULL, 0, &cluster.view);
    if (error != PB_SUCCESS) {
        common_end_error(error);
    }
    return cluster;
}
