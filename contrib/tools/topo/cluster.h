/*
 * Input of most commands: the network of FILE, the ranks on it, and the view of their root. It is
 * there until the program ends. Errors end the program, with messages on standard error.
 */
#ifndef TOOL_CLUSTER_H
#define TOOL_CLUSTER_H

#include "command.h"
#include "topo/network/topology.h"
#include "topo/network/view.h"

typedef struct tool_cluster {
    const char *file; /**< as messages call it */
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    int root;       /**< a rank */
    int n_hosts;    /**< hosts that take part; ranks per host are n_ranks / n_hosts */
    char *used;     /**< by node: whether it has ranks, or is above a host that has */
    int n_switches; /**< that are used */
    char **names;   /**< in rank order: the host, or HOST:SLOT if hosts have several ranks */
} tool_cluster_t;

/** The name of FILE for people: "standard input" for "-". */
const char *tool_file_name(const char *file);

/** Reads FILE and takes the topology of --topology-name. Returns whether that could be; errors in
 * the file go to `diag`. */
bool tool_topology_read(const tool_options_t *options, pb_topology_t *topology, pb_diag_t *diag);

/** The network of FILE, after its warnings on standard error. It may have no hosts. */
pb_network_t *tool_network_read(const tool_options_t *options);

/**
 * Reads FILE and places the ranks by --hosts, --ppn and --root. Ranks are numbered host by host, in
 * the order of --hosts; without it in natural order (n2 before n10), as schedulers do. A network
 * without hosts gets those of --hosts, which must be there.
 */
tool_cluster_t tool_cluster_open(const tool_options_t *options);

/** "5 hosts", "1 host". */
#define TOOL_PLURAL(n, word) (n), (n) == 1 ? (word) : (word "s")

#endif
