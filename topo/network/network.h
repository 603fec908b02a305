/*
 * The network model: a tree of switches with hosts as leaves. Below hosts there may be places:
 * their packages, NUMA nodes and caches.
 *
 * Every Ethernet forwards along a spanning tree, so that between two hosts
 * there is one path (paper 2, section 3). A node is a switch or a host; each
 * node but the top one has an uplink, the link to its parent. A link is two
 * directed links, one each way, that do not disturb each other.
 *
 * Where several paths lead from one switch to another, each flow takes one of them by a hash. They
 * are the members of a bundle (LAG), or the spines above a leaf (ECMP). Parallel links are then one
 * link of the tree, spines one node. Such a link has the speed of one member. If it carries a
 * message no more than once each way, so does each member, whatever the hash (doc/topologies.md).
 *
 * Nodes are numbered by the order in which they were added; a parent may have a
 * higher number than its child. Children of a node keep the order of the file.
 */
#ifndef PB_NETWORK_H
#define PB_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/util/diag.h"
#include "topo/util/error.h"

/** Nodes that one network may have; a reader refuses more. Fuzzing is built with fewer, as it would
 * spend its time on networks that are only large. */
#ifndef PB_NETWORK_MAX_NODES
#define PB_NETWORK_MAX_NODES (1 << 20)
#endif

typedef enum {
    PB_NODE_SWITCH,
    PB_NODE_HOST,
    PB_NODE_PLACE, /**< a part of a host whose cores are nearer to each other than to others */
} pb_node_kind_t;

typedef struct pb_node {
    char *name;
    pb_node_kind_t kind;
    int parent;       /**< node above, -1 for the top */
    int first_child;  /**< -1 if none */
    int last_child;   /**< -1 if none */
    int next_sibling; /**< -1 if none */
    uint32_t speed; /**< of one member of the uplink, each way, in the file's unit; 0: not given */
    bool speed_given; /**< not what pb_network_finish() takes it to be */
    int members;      /**< parallel links in the uplink, at least 1; each flow takes one */
    int spines;       /**< switches that are merged in this node, at least 1; each flow takes one */
    int line;         /**< where the node was first named, for messages; 0: nowhere */
    bool is_virtual;  /**< the top that connects several trees, and is in no file */
} pb_node_t;

typedef struct pb_network pb_network_t;

/** An empty network, or NULL if out of memory. Free with pb_network_free(). */
pb_network_t *pb_network_new(void);
void pb_network_free(pb_network_t *network);

/**
 * The network that is assumed when nothing is known: every name a host on
 * one switch called "switch". Names are copied; a repeated name is added once. The network is
 * finished. Returns NULL if out of memory, if there is no name at all or an
 * empty one, or if there are more than PB_NETWORK_MAX_NODES.
 */
pb_network_t *pb_network_one_switch(const char *const *names, int n_names);

/**
 * A copy of some nodes in their order, to which more may be added before pb_network_finish() makes
 * it ready. numbers[node] is negative for those that are ignored, with all below them, and becomes
 * the copy's number for the others. NULL if out of memory. O(nodes).
 */
pb_network_t *pb_network_part(const pb_network_t *network, int *numbers);

/**
 * Adds a node without a parent. Returns its number, or PB_ERR_NO_MEMORY. PB_ERR_INPUT if the
 * network is full, or the name is empty or taken: of a switch by another one, else by another host
 * or place. O(1) amortised.
 */
int pb_network_add(pb_network_t *network, pb_node_kind_t kind, const char *name);

/**
 * Puts `child` below `parent` with a link of `speed` (0: not given). The child
 * must have no parent yet, and the parent must be a switch, or for a place a
 * host or another place (PB_ERR_INPUT).
 * Cycles are found by pb_network_finish().
 */
int pb_network_connect(pb_network_t *network, int parent, int child, uint32_t speed);

/** Parallel links that a file may give a bundle. */
#define PB_NETWORK_MAX_BUNDLE 1024

/** Members of any link: as many as a file of the largest bundles can have between two nodes. */
#define PB_NETWORK_MAX_MEMBERS (1 << 30)

/**
 * Makes the uplink of a node, which has a parent, one of `members` parallel links. Each has the
 * speed that was given or will be found for it. Before pb_network_finish(). PB_ERR_INPUT if
 * `members` is not from 1 to PB_NETWORK_MAX_MEMBERS.
 */
int pb_network_bundle(pb_network_t *network, int node, int members);

/** Notes that a switch stands for `spines` switches, at least 1. */
void pb_network_set_spines(pb_network_t *network, int node, int spines);

/** Notes where a node was first named, for messages. */
void pb_network_set_line(pb_network_t *network, int node, int line);

/** Notes the switch below which all hosts are that the network does not name
 * (pb_addresses_join()). */
void pb_network_set_others(pb_network_t *network, int node);
int pb_network_others(const pb_network_t *network); /**< -1: there is none */

/**
 * Makes the network ready for use: finds the top node, gives every link without a speed the base
 * speed, and computes depths. The base speed is the lowest in the network, or 1 if no link to a
 * host has one. Speeds of links between switches are then multiples of a host's. Above several tops
 * it adds a virtual one, whose links are as fast as the slowest host's. `file` names the source in
 * messages. PB_ERR_INPUT with a message in `diag`: no node, or a cycle. PB_ERR_NO_MEMORY. O(nodes),
 * without recursion.
 */
int pb_network_finish(pb_network_t *network, const char *file, pb_diag_t *diag);

int pb_network_size(const pb_network_t *network);            /**< nodes */
int pb_network_n_hosts(const pb_network_t *network);         /**< of them hosts */
int pb_network_n_switches(const pb_network_t *network);      /**< of them switches */
int pb_network_n_places(const pb_network_t *network);        /**< of them places */
int pb_network_top(const pb_network_t *network);             /**< after finish */
int pb_network_depth(const pb_network_t *network, int node); /**< 0 at the top; after finish */
uint32_t
pb_network_base_speed(const pb_network_t *network); /**< of links without one; after finish */

/** Borrowed; valid until the next add or free. */
const pb_node_t *pb_network_node(const pb_network_t *network, int node);

/** The node of exactly this name, or PB_ERR_UNKNOWN. A host and a switch may share a name: the
 * first function finds the host, the second only switches. O(1). */
int pb_network_find(const pb_network_t *network, const char *name);
int pb_network_find_switch(const pb_network_t *network, const char *name);

/**
 * Finds the host of a name: the exact one, or the only one with the same name up to the first dot,
 * in any case. Short names equal fully qualified ones, either way round. Two fully qualified names
 * must be equal in whole, as "n1.a" is not "n1.b". Addresses ("10.0.0.7") match only exactly.
 * PB_ERR_UNKNOWN otherwise.
 */
int pb_network_find_host(const pb_network_t *network, const char *host);

/** The host that a place is in; any other node is its own. O(levels of the host). */
int pb_network_host_of(const pb_network_t *network, int node);

/**
 * A hash of everything that plans depend on: names, kinds, shape, order, speeds
 * and numbers of members and of merged switches. Equal networks have equal hashes on every host.
 */
uint64_t pb_network_hash(const pb_network_t *network);

/**
 * The hash of what was described: without hosts that were joined later (topo/network/addresses.h),
 * which differ by job. Models are measured for it.
 */
uint64_t pb_network_hash_described(const pb_network_t *network);

/** Notes, in a network with further hosts, the described one. */
void pb_network_set_described(pb_network_t *network, const pb_network_t *described);

/*
 * Directed links are numbered by the node below: up is from the node to its
 * parent, down the other way. There are 2 * pb_network_size() numbers; those of
 * the top node belong to no link.
 */
static inline int pb_link_up(int node)
{
    return 2 * node;
}
static inline int pb_link_down(int node)
{
    return 2 * node + 1;
}
static inline int pb_link_node(int link)
{
    return link / 2;
}
static inline bool pb_link_is_up(int link)
{
    return link % 2 == 0;
}

/**
 * The directed links from node `from` to node `to`, in order of travel, into `links`. These must
 * have room for twice the depth of the network. Returns their number (0 if from == to). O(path).
 */
int pb_network_path(const pb_network_t *network, int from, int to, int *links);

/** The speed of the slowest link between two nodes, in the file's unit; UINT32_MAX if they are one.
 * O(path). */
uint32_t pb_network_slowest(const pb_network_t *network, int from, int to);

/** Links in the longest path between two nodes, at most: room for pb_network_path(). */
int pb_network_max_path(const pb_network_t *network);

#endif
