#include "knowledge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contrib/tools/common/report.h"
#include "contrib/tools/common/topology.h"

bool advise_knowledge_open(struct advise_knowledge *knowledge, const char *topology,
                           const char *name, const char *links, int max_age)
{
    bool is_flat = false;
    *knowledge = (struct advise_knowledge){.links.path = links, .max_age = max_age};
    if (topology != NULL) {
        knowledge->network = common_topology_read(topology, name, true, &is_flat);
        if (is_flat) {
            pb_network_free(knowledge->network);
            knowledge->network = NULL;
        }
    }
    return topology == NULL || knowledge->network != NULL || is_flat;
}

void advise_knowledge_close(struct advise_knowledge *knowledge)
{
    pb_link_matrix_free(knowledge->links.matrix);
    pb_network_free(knowledge->network);
    *knowledge = (struct advise_knowledge){.network = NULL};
}

/* ---- the file of links ---- */

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool read_links(struct advise_links *links, time_t written)
{
    pb_diag_t diag;
    pb_link_matrix_t *matrix;
    pb_diag_init(&diag);
    const int error = pb_link_matrix_read(links->path, &matrix, &diag);
    common_report_errors(&diag);
    pb_diag_clear(&diag);
    if (error != PB_SUCCESS) {
        common_report(links->matrix != NULL
                          ? "%s: %s; the links read before are used as long as they hold"
                          : "%s: %s; links are assumed until it is replaced",
                      links->path, pb_error_text(error));
        return false;
    }
    pb_link_matrix_free(links->matrix);
    links->matrix = matrix;
    links->measured = written;
    links->lacks_hosts = false;
    return true;
}

bool advise_knowledge_refresh(struct advise_knowledge *knowledge)
{
    struct advise_links *links = &knowledge->links;
    struct stat file;
    if (links->path == NULL || stat(links->path, &file) != 0 ||
        same_time(&file.st_mtim, &links->changed)) {
        return false;
    }
    links->changed = file.st_mtim;
    return read_links(links, file.st_mtim.tv_sec);
}

/** Tells whether there are measured links that are not too old. */
static bool links_hold(const struct advise_knowledge *knowledge)
{
    const struct advise_links *links = &knowledge->links;
    return links->matrix != NULL && time(NULL) - links->measured <= knowledge->max_age;
}

/* ---- for a set of hosts ---- */

/** Links in proportion to their speeds; those of the file's base speed are as assumed. */
static void assume(const pb_placement_t *placement, pb_link_matrix_t *m)
{
    const pb_network_t *network = placement->network;
    const uint64_t base = pb_network_base_speed(network);
    int *links = malloc((size_t) (pb_network_max_path(network) + 1) * sizeof *links);
    for (int i = 0; i < m->n_nodes; i++) {
        m->startup[i] = ADVISE_ASSUMED_STARTUP;
        for (int j = 0; j < m->n_nodes; j++) {
            const size_t pair = (size_t) i * (size_t) m->n_nodes + (size_t) j;
            uint64_t slowest = UINT32_MAX;
            const int n = links != NULL ? pb_network_path(network, placement->host[i],
                                                          placement->host[j], links)
                                        : 0;
            for (int k = 0; k < n; k++) {
                const uint64_t speed = pb_network_node(network, pb_link_node(links[k]))->speed;
                slowest = speed < slowest ? speed : slowest;
            }
            slowest = n > 0 ? slowest : base;
            m->latency[pair] = ADVISE_ASSUMED_LATENCY;
            m->bandwidth[pair] = (uint64_t) ((double) ADVISE_ASSUMED_BANDWIDTH * (double) slowest /
                                             (double) (base > 0 ? base : 1));
        }
    }
    free(links);
}

/** Places hosts in the topology, or in one with those that it lacks. */
static int place_hosts(struct advise_knowledge *knowledge, const pb_host_set_t *hosts,
                       struct advise_network *network)
{
    const pb_network_t *all = knowledge->network;
    pb_diag_t warnings;
    pb_diag_init(&warnings);
    network->joined = common_topology_joined(all, hosts->name, hosts->n, &warnings);
    if (!knowledge->lacks_hosts) {
        common_report_errors(&warnings);
    }
    knowledge->lacks_hosts |= warnings.n_kept > 0;
    pb_diag_clear(&warnings);
    all = network->joined != NULL ? network->joined : all;
    network->placement = pb_placement_new(all, hosts->n);
    int error = network->placement != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int i = 0; i < hosts->n && error == PB_SUCCESS; i++) {
        const int host = pb_network_find_host(all, hosts->name[i]);
        network->placement->host[i] = host;
        error = host >= 0 ? PB_SUCCESS : PB_ERR_UNKNOWN;
    }
    return error;
}

/** Latencies as trees meet them. */
static void reckon_hops(pb_link_matrix_t *m)
{
    const size_t n = (size_t) m->n_nodes;
    for (size_t i = 0; i < n * n; i++) {
        const int64_t latency = ADVISE_HOP_LATENCIES * m->latency[i];
        m->latency[i] = latency < PB_LINK_MATRIX_MAX_NS ? latency : PB_LINK_MATRIX_MAX_NS;
    }
}

static int make_matrix(struct advise_knowledge *knowledge, const pb_host_set_t *hosts,
                       struct advise_network *network)
{
    struct advise_links *links = &knowledge->links;
    int error = PB_ERR_UNKNOWN, unknown = -1;
    if (links_hold(knowledge)) {
        error =
            pb_link_matrix_select(links->matrix, hosts->name, hosts->n, &network->matrix, &unknown);
        network->measured = error == PB_SUCCESS;
    }
    if (unknown >= 0 && !links->lacks_hosts) {
        common_report("--links: %s has no host '%s'; links are assumed for its programs",
                      links->path, hosts->name[unknown]);
        links->lacks_hosts = true;
    }
    if (error != PB_ERR_UNKNOWN) {
        return error;
    }
    error = pb_link_matrix_of_network(
        network->placement->network, (const char *const *) hosts->name, hosts->n, &network->matrix);
    if (error == PB_SUCCESS) {
        assume(network->placement, network->matrix);
    }
    return error;
}

int advise_network_share(struct advise_network *network)
{
    pb_link_share_free(network->share);
    network->share = NULL;
    return network->one_switch == NULL
               ? pb_link_share_network(network->matrix, network->placement, &network->share)
               : pb_link_share_clusters(network->matrix, &network->share);
}

int advise_network_make(struct advise_knowledge *knowledge, const pb_host_set_t *hosts,
                        struct advise_network *network)
{
    *network = (struct advise_network){.matrix = NULL};
    int error = knowledge->network != NULL
                    ? place_hosts(knowledge, hosts, network)
                    : pb_placement_one_switch((const char *const *) hosts->name, hosts->n,
                                              &network->one_switch, &network->placement);
    if (error == PB_SUCCESS) {
        error = make_matrix(knowledge, hosts, network);
    }
    if (error != PB_SUCCESS) {
        return error;
    }
    reckon_hops(network->matrix);
    return advise_network_share(network);
}

void advise_network_clear(struct advise_network *network)
{
    pb_link_matrix_free(network->matrix);
    pb_placement_free(network->placement);
    pb_network_free(network->one_switch);
    pb_network_free(network->joined);
    pb_link_share_free(network->share);
    *network = (struct advise_network){.matrix = NULL};
}
