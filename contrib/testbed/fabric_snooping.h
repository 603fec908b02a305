/*
 * IGMP snooping: which hosts each switch knows to be in which IPv4 group, and on which of its links
 * it so sends a group's frames (RFC 4541).
 *
 * A switch notes by which link a host's report came, and forgets it after a time without another.
 * It keeps every host (explicit tracking, RFC 3376, appendix A.2), so that a host that leaves takes
 * nothing from others behind the same link.
 *
 * With a querier, the top switch asks all hosts again and again, and what they answer renews what
 * switches know. Reports go up to it and nowhere else, and so do the frames of every group, as to a
 * router. Without one, reports are passed on to all switches, nobody asks, and groups age out,
 * although hosts are still in them: their frames then go nowhere.
 *
 * Switches that the network has as one node know what each of them has heard.
 */
#ifndef FABRIC_SNOOPING_H
#define FABRIC_SNOOPING_H

#include "contrib/testbed/fabric_frame.h"
#include "topo/network/network.h"

typedef enum {
    FABRIC_SNOOPING_OFF, /**< the frames of groups go to all hosts */
    FABRIC_SNOOPING_QUERIER,
    FABRIC_SNOOPING_NO_QUERIER,
} fabric_snooping_kind_t;

/** Groups that all switches together keep; reports of more are not noted. */
#define FABRIC_MAX_GROUPS 65536

typedef struct fabric_snooping fabric_snooping_t;

/**
 * Switches of `network` (borrowed; finished) that know of no group, and of each host in one for
 * `timeout` ns after its report. `kind` is not FABRIC_SNOOPING_OFF. NULL if out of memory.
 */
fabric_snooping_t *fabric_snooping_new(const pb_network_t *network, fabric_snooping_kind_t kind,
                                       int64_t timeout);
void fabric_snooping_free(fabric_snooping_t *snooping);

/**
 * A switch gets a FABRIC_CAST_REPORT by a directed link, and notes what it reports. What there is
 * no memory for is not noted, as if the report were lost. O(hosts of the group) for each group.
 */
void fabric_snooping_hear(fabric_snooping_t *snooping, int node, int came_by,
                          const fabric_frame_t *frame, int64_t now);

/**
 * Finds on which links a switch sends a FABRIC_CAST_GROUP or FABRIC_CAST_REPORT; the one by which
 * it came may be among them. O(hosts of the group), or links of the switch.
 */
void fabric_snooping_select(fabric_snooping_t *snooping, int node, const fabric_frame_t *frame,
                            int64_t now);

/** Whether a directed link is one that the last fabric_snooping_select() found. O(1). */
bool fabric_snooping_selected(const fabric_snooping_t *snooping, int link);

/** Groups of which a switch knows a host. O(all groups' hosts). */
int fabric_snooping_count(const fabric_snooping_t *snooping, int node, int64_t now);

#endif
