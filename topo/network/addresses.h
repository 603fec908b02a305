/*
 * The network of a job from the addresses of its hosts, as Slurm gives them to each process in
 * SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN (topology_p_get_node_addr() of its plugins,
 * 22.05 to 25.11):
 *
 *   core.s1.n17            switch.switch.node          topology/tree: level by level from the top
 *   core..s1.n17           switch.switch.switch.node   no switch of the second level is above it
 *   spine[1-2].s1.n17      switch.switch.node          two switches of a level are above it
 *   b8.n17                 block.node                  topology/block
 *   n17                    node                        Slurm knows no switch of it
 *
 * All switches of a level that are above a node stand side by side, so that every host of a leaf
 * names the same ones. They are merged as the spines of a topology file are (spines.h). A block is
 * a switch; what connects blocks is not known, and is taken to be one switch.
 *
 * What does not fit together is no network at all: a wrong tree would be worse than none.
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

/** Where Slurm has a process in the network. All texts are borrowed, and none is NULL. */
typedef struct pb_address {
    const char *host;    /**< as the job's launcher calls it, and so does the network */
    const char *node;    /**< the same host as Slurm calls it; "": the address's last name */
    const char *address; /**< "": not known */
    const char *pattern; /**< what each name of the address is */
} pb_address_t;

/**
 * The finished network of the hosts of `n` processes, which the caller frees. Hosts have one
 * address each, that of any of their processes that has one. Switches and hosts are in the natural
 * order of their addresses (s2 before s10), whatever the order of processes. *network_p is NULL
 * after PB_ERR_UNKNOWN: no process has an address that names a switch; PB_ERR_INPUT with the faults
 * in `diag`; PB_ERR_NO_MEMORY. O(n log n) comparisons, and O(bytes of addresses + names in them).
 */
int pb_addresses_network(const pb_address_t *addresses, int n, pb_network_t **network_p,
                         pb_diag_t *diag);

#endif
