/*
 * Network of a job from its hosts' addresses. Slurm gives them to each process in
 * SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN (topology_p_get_node_addr() of its plugins,
 * 22.05 to 26.05), a site in PIPEBCAST_TOPOLOGY_ADDR and PIPEBCAST_TOPOLOGY_ADDR_PATTERN:
 *
 *   core.s1.n17            switch.switch.node          topology/tree: level by level from the top
 *   core..s1.n17           switch.switch.switch.node   no switch of the second level is above it
 *   spine[1-2].s1.n17      switch.switch.node          two switches of a level are above it
 *   b8.n17                 block.node                  topology/block
 *   r2:5.n17               ring:position.node          topology/ring; the ring is one switch
 *   t0:1:2:0.n17           torus:x:y:z.node            topology/torus3d; so is the torus
 *   n17                    node                        Slurm knows no switch of it
 *
 * The pattern has a word for each part, and the node's name is the last part. Names may have dots.
 * The node's is known. Those of switches are told apart if the network has switches of these names,
 * or if they begin with the same word ("switch.3.1.switch.2.1"). Else they need as many parts each,
 * behind the first of them a domain or numbers ("spine.1.leaf.23").
 *
 * The address has all switches of a level that are above a node, so every host of a leaf names the
 * same ones. They are merged as the spines of a topology file are (spines.h).
 *
 * An address that is not understood, or contradicts the address of a host before, costs that host
 * alone. The host is then treated as one without an address: below the network's switch of all
 * others, or the top.
 */
#ifndef PB_ADDRESSES_H
#define PB_ADDRESSES_H

#include "topo/network/hostlist.h"
#include "topo/network/network.h"
#include "topo/util/diag.h"

/** Bytes of an address, and of a pattern. */
#define PB_ADDRESS_MAX_LENGTH 2048
/** Bytes of a node's name. */
#define PB_ADDRESS_MAX_NODE PB_HOSTLIST_MAX_NAME
/** Levels of switches above a host. */
#define PB_ADDRESS_MAX_LEVELS 64

/** Where a process is in the network. All texts are borrowed, and none is NULL. */
typedef struct pb_address {
    const char *host;    /**< as the job's launcher calls it, and so does the network */
    const char *node;    /**< the same host as Slurm calls it; "": as the launcher does */
    const char *address; /**< "": not known */
    const char *pattern; /**< what each name of the address is */
} pb_address_t;

/** The names of switches in an address, from the top. */
typedef struct pb_address_path {
    char text[PB_ADDRESS_MAX_LENGTH + 1];     /**< cut into levels */
    const char *level[PB_ADDRESS_MAX_LEVELS]; /**< names or hostlists of them; none is empty */
    int n_levels;
} pb_address_path_t;

/**
 * Cuts an address into its levels; `known` has switches' names, or is NULL. PB_ERR_INPUT with a
 * warning if it cannot be told where they end, PB_ERR_UNKNOWN if it names no switch. O(length^2).
 */
int pb_address_cut(const pb_address_t *of, const pb_network_t *known, pb_address_path_t *path,
                   pb_diag_t *warnings);

/**
 * Joins to `network` (NULL: an empty one) the hosts of `n` processes that it does not name. The
 * caller frees the new network, which is finished. A host has the address of any of its processes
 * that has one. Switches and hosts that are new are in the natural order of the addresses (s2
 * before s10), whatever the order of processes. PB_ERR_UNKNOWN: there is no network and no address
 * that names a switch, or too many names. Also where a host's name is the short one of several.
 * *joined_p is NULL then, after PB_ERR_NO_MEMORY, and after PB_SUCCESS if `network` names all
 * hosts. O(n log n) comparisons, and O(bytes of addresses + names in them + nodes).
 */
int pb_addresses_join(const pb_network_t *network, const pb_address_t *addresses, int n,
                      pb_network_t **joined_p, pb_diag_t *warnings);

#endif
