/*
 * The model of a switched network: links, switches, and the frames under way.
 *
 * It has no clock and no sockets. Frames enter at hosts with the time of their arrival, and leave
 * at hosts with the time of their delivery, which the model computes. Frames should come in the
 * order of their times; one that comes late is treated as if its links had been busy until then.
 *
 * Switches know where every host is and forward in no time of their own: all time is spent in
 * queues and on links. Where a link has several members (fabric_members.h), each is a link of its
 * own, and a frame takes its flow's member.
 *
 * A group frame is copied to every link of a switch but its own. Each copy waits, takes its time
 * and can be lost as any frame. The network is a tree, and the copy goes over one member of each
 * link, its flow's, so no host gets it twice. One of several spines is the root of the tree for all
 * frames of a flow. Switches may drop multicast.
 *
 * Links may change and synthetic load may come and go, at times that are given in advance: steps.
 * Synthetic frames take the way that a host's would take and occupy its links and queues like
 * these; at the end of it they vanish.
 */
#ifndef FABRIC_MODEL_H
#define FABRIC_MODEL_H

#include "contrib/testbed/fabric_members.h"
#include "contrib/testbed/fabric_step.h"
#include "topo/network/network.h"

/** Properties of the links. */
typedef struct fabric_links {
    uint64_t rate;         /**< bit/s of a link, or member, of the network's lowest speed */
    int64_t latency;       /**< ns, every link, each way */
    uint64_t host_queue;   /**< bytes, at the ports of hosts */
    uint64_t switch_queue; /**< bytes, at the ports of switches */
    uint64_t hash_seed;    /**< of the hash by which flows take members */
    uint32_t host_loss; /**< frames in a million that a switch's port to a host drops by chance */
    uint64_t loss_seed; /**< of the choice of lost frames, at any port */
    int64_t interrupt;  /**< ns between two times at which a host takes frames, at least */
} fabric_links_t;

typedef struct fabric_model fabric_model_t;

/**
 * A model of `network` (borrowed; finished; outlives the model) for frames of at most
 * `max_length` bytes. A link of speed v has rate * v / lowest speed. NULL if out
 * of memory.
 */
fabric_model_t *fabric_model_new(const pb_network_t *network, const fabric_links_t *links,
                                 uint32_t max_length);
void fabric_model_free(fabric_model_t *model);

/** Treatment of group frames by a switch. */
typedef struct fabric_switch {
    bool no_multicast; /**< it drops them, but for broadcasts */
    uint64_t drops;    /**< frames that it has so dropped */
} fabric_switch_t;

/** The switch of a node; borrowed. A host's has no meaning. */
fabric_switch_t *fabric_model_switch(fabric_model_t *model, int node);

/** A real broadcast frame of flow 0 to be filled, NULL if out of memory. To be freed by free(). */
fabric_frame_t *fabric_model_frame(fabric_model_t *model);

/**
 * `host` sends `frame` (owned from here on) to its target at `now`. A frame to itself
 * or from a host without a link vanishes.
 */
void fabric_model_send(fabric_model_t *model, int host, fabric_frame_t *frame, int64_t now);

/** The time of the next event; INT64_MAX if no frame is under way and nothing planned. O(1). */
int64_t fabric_model_next_event(const fabric_model_t *model);

/**
 * Works through all events up to `until`, or to the first that delivers a frame to a
 * host. That frame is returned (the caller's) with its host and time; NULL if
 * none is due.
 */
fabric_frame_t *fabric_model_deliver(fabric_model_t *model, int64_t until, int *host_p,
                                     int64_t *time_p);

/** Least time from a frame's coming to a host's port to its next event, of any link, in ns. */
int64_t fabric_model_min_hop(const fabric_model_t *model);

/** The member links that the network's links have; borrowed. */
const fabric_members_t *fabric_model_members(const fabric_model_t *model);

/** A member link, by its number in fabric_model_members(). */
fabric_link_t *fabric_model_link(fabric_model_t *model, int member);

/**
 * Plans a step (copied) at its time, or now if that is past; steps of one time happen in the order
 * of planning. The link must exist, the load's nodes differ. PB_ERR_NO_MEMORY, and then nothing is
 * planned. O(steps).
 */
int fabric_model_plan(fabric_model_t *model, const fabric_step_t *step);

/** Steps that are to come, and loads that have not ended. */
int fabric_model_n_planned(const fabric_model_t *model);

/** Ends all loads, and forgets the steps to come. Synthetic frames under way stay. */
void fabric_model_forget(fabric_model_t *model);

/** Changes of links so far: fabric_model_min_hop() may give something else when this does. */
uint64_t fabric_model_n_changes(const fabric_model_t *model);

#endif
