/*
 * Fabrics of leaves and spines as trees (ours).
 *
 * A switch may have links to several switches above it; each flow takes one by a hash (ECMP).
 * Switches above the same switch are merged into one node, and so are those above merged switches.
 * So several layers, pods and spines with only some of the leaves become a tree. Each link between
 * two switches is then a member of the link between their nodes, which is as fast as its slowest
 * member.
 *
 * The tree is right where every two hosts are as near in the fabric as in the tree. Shortest paths
 * then take the tree's links and no others. Else there is a warning: messages between these hosts
 * may meet others on links that the tree takes to be free.
 */
#ifndef PB_SPINES_H
#define PB_SPINES_H

#include "topo/network/network.h"
#include "topo/util/diag.h"

/** Switches that may be merged into one, and different sets of them that those below may have. */
#define PB_SPINES_MAX 4096
#define PB_SPINES_MAX_SETS 1024

/** A link between two switches, or a bundle of some. */
typedef struct pb_uplink {
    int child;
    int parent;
    uint32_t speed; /**< of each member; 0: not given */
    int members;
    int line; /**< that names the link */
} pb_uplink_t;

/**
 * The tree of a network that is not finished. Every switch is connected to one of those above it,
 * at most. `uplinks` has all links between switches in the order of the file. The result is
 * finished and the caller's to free. Nodes and children keep their order. A merged node has the
 * first one's place, and the names of all ("spine[1-2]", or "a[+7]" if that is too long). Warnings:
 * links named twice, or inside a layer, which are ignored; hosts apart. PB_ERR_INPUT after a
 * warning: no tree comes of it. PB_ERR_NO_MEMORY. *tree_p is then NULL. O((nodes + uplinks) log
 * nodes), and for fabrics whose spines have some leaves only, up to PB_SPINES_MAX_SETS^2 for each
 * merged node.
 */
int pb_spines_merge(const pb_network_t *network, const pb_uplink_t *uplinks, int n_uplinks,
                    const char *file, pb_diag_t *warnings, pb_network_t **tree_p);

#endif
