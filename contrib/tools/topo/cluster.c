#include "cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/options.h"
#include "contrib/tools/common/topology.h"
#include "message.h"
#include "topo/network/addresses.h"
#include "topo/network/hostlist.h"

const char *tool_file_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

tool_exit_t tool_topology_read(const tool_options_t *options, pb_topology_t *topology,
                               pb_diag_t *diag)
{
    const char *file = options->file;
    const pb_topology_request_t request = common_topology_request(options->topology_name);
    const int error = strcmp(file, "-") == 0 ? pb_topology_open_stream(stdin, tool_file_name(file),
                                                                       &request, topology, diag)
                                             : pb_topology_open(file, &request, topology, diag);
    if (error == PB_SUCCESS) {
        return TOOL_OK;
    }
    if (error == PB_ERR_INPUT) {
        return TOOL_FAULTY;
    }
    return error == PB_ERR_IO ? TOOL_SYSTEM : tool_complain_error(error);
}

/* The hosts of --hosts in a network that names none. */
static tool_exit_t join_hosts(const tool_options_t *options, pb_network_t **network_p)
{
    char *line = NULL;
    pb_diag_t diag;
    pb_network_t *named = NULL, *joined = NULL;
    if (options->hosts == NULL) {
        return tool_complain(TOOL_USAGE,
                             "%s names no hosts: they are those of a job; name them by --hosts",
                             tool_file_name(options->file));
    }
    if (asprintf(&line, "SwitchName=(switch) Nodes=%s", options->hosts) < 0) {
        return tool_complain_error(PB_ERR_NO_MEMORY);
    }
    pb_diag_init(&diag);
    const pb_topology_text_t text = {.text = line, .length = strlen(line), .name = "--hosts"};
    int error = pb_topology_parse(&text, &named, &diag);
    const int n = error == PB_SUCCESS ? pb_network_n_hosts(named) : 0;
    pb_address_t *addresses = calloc((size_t) n + 1, sizeof(*addresses));
    for (int node = 0, i = 0; i < n && addresses != NULL; node++) {
        if (pb_network_node(named, node)->kind == PB_NODE_HOST) {
            addresses[i++] = (pb_address_t){.host = pb_network_node(named, node)->name,
                                            .node = "",
                                            .address = "",
                                            .pattern = ""};
        }
    }
    if (error == PB_SUCCESS) {
        error = addresses != NULL ? pb_addresses_join(*network_p, addresses, n, &joined, &diag)
                                  : PB_ERR_NO_MEMORY;
    }
    tool_print_faults(stderr, &diag);
    if (joined != NULL) {
        pb_network_free(*network_p);
        *network_p = joined;
    }
    free(addresses);
    pb_network_free(named);
    pb_diag_clear(&diag);
    free(line);
    return error == PB_ERR_INPUT ? TOOL_USAGE
           : error == PB_SUCCESS ? TOOL_OK
                                 : tool_complain_error(error);
}

tool_exit_t tool_network_read(const tool_options_t *options, pb_network_t **network_p)
{
    pb_topology_t topology;
    pb_diag_t diag;
    pb_diag_init(&diag);
    tool_exit_t code = tool_topology_read(options, &topology, &diag);
    tool_print_faults(stderr, &diag);
    tool_print_warnings(stderr, &topology.warnings);
    *network_p = topology.network;
    topology.network = NULL;
    pb_topology_clear(&topology);
    pb_diag_clear(&diag);
    return code;
}

/* ---- which hosts take part ---- */

/* The hosts that are to have ranks, in the order of their ranks. */
typedef struct hosts {
    const pb_network_t *network;
    int *host;
    int n;
    char *taken; /* by node */
} hosts_t;

static int natural_order(const void *a, const void *b, void *network)
{
    return strverscmp(pb_network_node(network, *(const int *) a)->name,
                      pb_network_node(network, *(const int *) b)->name);
}

int *tool_hosts(const pb_network_t *network)
{
    int n = 0, *hosts = malloc(((size_t) pb_network_n_hosts(network) + 1) * sizeof(int));
    if (hosts == NULL) {
        return NULL;
    }
    for (int node = 0; node < pb_network_size(network); node++) {
        if (pb_network_node(network, node)->kind == PB_NODE_HOST) {
            hosts[n++] = node;
        }
    }
    qsort_r(hosts, (size_t) n, sizeof(*hosts), natural_order, (void *) network);
    hosts[n] = -1;
    return hosts;
}

/* For pb_hostlist_expand(): takes one name of --hosts. */
static int take_host(void *context, const char *name)
{
    hosts_t *hosts = context;
    int host = pb_network_find_host(hosts->network, name);
    if (host < 0) {
        return tool_complain(TOOL_USAGE, "--hosts: no host of the topology is called '%s'", name);
    }
    if (hosts->taken[host]) {
        return tool_complain(TOOL_USAGE, "--hosts: '%s' is there twice", name);
    }
    hosts->taken[host] = 1;
    hosts->host[hosts->n++] = host;
    return TOOL_OK;
}

static tool_exit_t take_hosts(hosts_t *hosts, const char *list)
{
    char why[256];
    int code = pb_hostlist_expand(list, (size_t) pb_network_n_hosts(hosts->network), take_host,
                                  hosts, why, sizeof(why));
    if (code == PB_ERR_INPUT) {
        return tool_complain(TOOL_USAGE, "--hosts: %s", why);
    }
    if (code < 0) {
        return tool_complain_error(code);
    }
    return (tool_exit_t) code;
}

/* Fills `hosts`, whose memory the caller frees also after an error. */
static tool_exit_t choose_hosts(hosts_t *hosts, const char *list)
{
    if (list == NULL) {
        hosts->host = tool_hosts(hosts->network);
        hosts->n = pb_network_n_hosts(hosts->network);
    } else {
        hosts->host = malloc(((size_t) pb_network_n_hosts(hosts->network) + 1) * sizeof(int));
        hosts->taken = calloc((size_t) pb_network_size(hosts->network), 1);
    }
    if (hosts->host == NULL || (list != NULL && hosts->taken == NULL)) {
        return tool_complain_error(PB_ERR_NO_MEMORY);
    }
    return list == NULL ? TOOL_OK : take_hosts(hosts, list);
}

/* ---- ranks, their names and the root ---- */

static char *rank_name(const char *host, int slot, int ppn)
{
    char *name;
    if (ppn == 1) {
        return strdup(host);
    }
    return asprintf(&name, "%s:%d", host, slot) < 0 ? NULL : name;
}

static tool_exit_t place_ranks(tool_cluster_t *cluster, const hosts_t *hosts, int ppn)
{
    if (hosts->n > TOOL_MAX_RANKS / ppn) {
        return tool_complain(TOOL_USAGE, "--ppn %d on %d hosts makes more than %d ranks", ppn,
                             hosts->n, TOOL_MAX_RANKS);
    }
    int n_ranks = hosts->n * ppn;
    assert(n_ranks > 0);
    cluster->n_hosts = hosts->n;
    cluster->placement = pb_placement_new(cluster->network, n_ranks);
    if (cluster->placement == NULL) {
        return tool_complain_error(PB_ERR_NO_MEMORY);
    }
    cluster->names = calloc((size_t) n_ranks, sizeof(*cluster->names));
    if (cluster->names == NULL) {
        return tool_complain_error(PB_ERR_NO_MEMORY);
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        int host = hosts->host[rank / ppn];
        cluster->placement->host[rank] = host;
        cluster->names[rank] =
            rank_name(pb_network_node(cluster->network, host)->name, rank % ppn, ppn);
        if (cluster->names[rank] == NULL) {
            return tool_complain_error(PB_ERR_NO_MEMORY);
        }
    }
    return TOOL_OK;
}

static tool_exit_t mark_used(tool_cluster_t *cluster)
{
    const pb_network_t *network = cluster->network;
    cluster->used = calloc((size_t) pb_network_size(network), 1);
    if (cluster->used == NULL) {
        return tool_complain_error(PB_ERR_NO_MEMORY);
    }
    for (int rank = 0; rank < cluster->placement->n_ranks; rank++) {
        int node = cluster->placement->host[rank];
        for (; node >= 0 && !cluster->used[node]; node = pb_network_node(network, node)->parent) {
            cluster->used[node] = 1;
            cluster->n_switches += pb_network_node(network, node)->kind == PB_NODE_SWITCH;
        }
    }
    return TOOL_OK;
}

/* The rank called `root`, the first rank on the host called so, or its number; -1: none. */
static int find_root(const tool_cluster_t *cluster, const char *root)
{
    int host = pb_network_find_host(cluster->network, root);
    for (int rank = 0; rank < cluster->placement->n_ranks; rank++) {
        if (cluster->placement->host[rank] == host || strcmp(cluster->names[rank], root) == 0) {
            return rank;
        }
    }
    int64_t number = -1;
    common_read_number(root, 0, cluster->placement->n_ranks - 1, &number);
    return (int) number;
}

static tool_exit_t choose_root(tool_cluster_t *cluster, const char *root)
{
    cluster->root = root == NULL ? 0 : find_root(cluster, root);
    if (cluster->root >= 0) {
        return TOOL_OK;
    }
    if (pb_network_find_host(cluster->network, root) >= 0) {
        return tool_complain(TOOL_USAGE, "--root: '%s' is not among the --hosts", root);
    }
    return tool_complain(TOOL_USAGE, "--root: '%s' is no host of %s", root, cluster->file);
}

static tool_exit_t fill_cluster(const tool_options_t *options, tool_cluster_t *cluster,
                                hosts_t *hosts)
{
    tool_exit_t code = choose_hosts(hosts, options->hosts);
    code = code != TOOL_OK ? code : place_ranks(cluster, hosts, options->ppn);
    code = code != TOOL_OK ? code : mark_used(cluster);
    code = code != TOOL_OK ? code : choose_root(cluster, options->root);
    if (code != TOOL_OK) {
        return code;
    }
    int error = pb_view_new(cluster->placement, cluster->root, NULL, 0, &cluster->view);
    return error == PB_SUCCESS ? TOOL_OK : tool_complain_error(error);
}

tool_exit_t tool_cluster_open(const tool_options_t *options, tool_cluster_t *cluster)
{
    *cluster = (tool_cluster_t){.file = tool_file_name(options->file)};
    tool_exit_t code = tool_network_read(options, &cluster->network);
    if (code == TOOL_OK && pb_network_n_hosts(cluster->network) == 0) {
        code = join_hosts(options, &cluster->network);
    }
    if (code != TOOL_OK) {
        return code;
    }
    hosts_t hosts = {.network = cluster->network};
    code = fill_cluster(options, cluster, &hosts);
    free(hosts.host);
    free(hosts.taken);
    return code;
}

void tool_cluster_clear(tool_cluster_t *cluster)
{
    for (int rank = 0; cluster->names != NULL && rank < cluster->placement->n_ranks; rank++) {
        free(cluster->names[rank]);
    }
    free(cluster->names);
    free(cluster->used);
    pb_view_free(cluster->view);
    pb_placement_free(cluster->placement);
    pb_network_free(cluster->network);
    *cluster = (tool_cluster_t){0};
}
