/*
 * Member links: the physical links that a link of the network stands for, and which of them a
 * flow takes.
 *
 * A link of the network is a bundle (LAG), or leads to switches that the network has as one node:
 * the spines above a leaf. Either way all frames of a flow take the same parallel member, chosen by
 * a hash (IEEE 802.1AX, section 6.2.4; RFC 2992). Each switch that sends into such a link hashes by
 * itself, each direction too. Up from a leaf that chooses the spine, and down from there only
 * members at that spine can be taken.
 *
 * A node of several switches has its members plugged in turn: member m of a link ends at switch m
 * modulo their number. Between two such nodes every pair of switches is joined before one is joined
 * twice. A switch that has no member of its own sends over any. The merged switches are as if
 * joined by links that are never the bottleneck.
 */
#ifndef FABRIC_MEMBERS_H
#define FABRIC_MEMBERS_H

#include "topo/network/network.h"

/** Of all links together, each direction counted. */
#define FABRIC_MAX_MEMBERS (1 << 24)

typedef struct fabric_members fabric_members_t;

/** One direction of a physical link. Switches merged in a node are counted from 0, as members are.
 */
typedef struct fabric_member {
    int link;        /**< the directed link that it is part of, as in topo/network/network.h */
    int number;      /**< among the members of that link; the same both ways */
    int from_switch; /**< of those merged in the node that sends; 0 if that is a single one */
    int to_switch;   /**< of those merged in the node that receives */
} fabric_member_t;

/**
 * The members of all links of a network (borrowed; finished; outlives them). Another `seed`
 * is another hash. NULL if out of memory, or if there are more than FABRIC_MAX_MEMBERS.
 * O(members).
 */
fabric_members_t *fabric_members_new(const pb_network_t *network, uint64_t seed);
void fabric_members_free(fabric_members_t *members);

/** Number of members of all links; they are numbered from 0, those of one directed link in a
 * row. */
int fabric_members_size(const fabric_members_t *members);

/** Member `i`; borrowed. */
const fabric_member_t *fabric_members_at(const fabric_members_t *members, int i);

/** The first member of a directed link. */
int fabric_members_first(const fabric_members_t *members, int link);

/** Number of members of a directed link; 0 for those of the top node. */
int fabric_members_count(const fabric_members_t *members, int link);

/**
 * The member of a directed link, which must have one, for a flow from switch `from` of those merged
 * in the sending node. It is always the same. O(members of the link).
 */
int fabric_members_choose(const fabric_members_t *members, int link, int from, uint32_t flow);

/** Switch at which a flow begins, of those merged in the node that sends on a directed link. O(1).
 */
int fabric_members_begin(const fabric_members_t *members, int link, uint32_t flow);

#endif
