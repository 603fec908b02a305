/*
 * A group of multicast; see communicator/group.h.
 */
#include "communicator/group.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/connections.h"
#include "communicator/gate.h"
#include "communicator/lost.h"
#include "communicator/module.h"
#include "communicator/process.h"
#include "engine/multicast/joining.h"
#include "engine/multicast/receiver.h"
#include "engine/multicast/sender.h"
#include "engine/multicast/udp_datagrams.h"
#include "topo/model/profile.h"
#include "topo/util/hash.h"

/** Rank 0 of so many communicators in a row whose groups did not work offers none any more. */
#define MOST_FAILURES 3

/**
 * Frames of a probe; and how often it is tried, after so many nanoseconds: a switch may take its
 * time until it delivers to a port where somebody has joined.
 */
#define PROBE_FRAMES 4
static const int64_t pauses[] = {0, 50000000, 200000000};
#define N_ROUNDS ((int) (sizeof(pauses) / sizeof(pauses[0])))

/** Tags: one for joining, one for each round. */
_Static_assert(COLL_PIPEBCAST_GROUP_TAGS == 1 + N_ROUNDS, "tags");

/** The largest IP packet: that of jumbo frames; and what is known to pass where the MTU is not. */
#define MOST_MTU 9000
#define DEFAULT_MTU 1500
#define IP_UDP_BYTES 28

/** Groups are in the part of the addresses that are an organisation's own: 239.192.0.0/14. */
#define FIRST_GROUP UINT32_C(0xefc00000)
#define GROUP_BITS 18

/** Ports that are nobody's. */
#define FIRST_PORT 49152
#define N_PORTS 16384

/** Repaired frames of a million that are no reason to send more slowly. */
#define REPAIR_LIMIT 10000

struct coll_pipebcast_group {
    coll_pipebcast_task_t task; /**< what makes it; first, so that the one is the other */
    coll_pipebcast_module_t *module;
    int n_users; /**< references; the task has one */
    bool is_probed;
    bool is_concluded; /**< whether it works is known */
    bool works;
    char why_not[160]; /**< if it does not, why, at rank 0 */
    /* Joining. */
    pb_control_t control;
    pb_joining_t joining;
    bool has_joined; /**< joining is through, so that `multicast` is there */
    pb_role_t role;  /**< this rank's in the tree from rank 0 */
    int parent;
    int *children;
    uint32_t *masks;
    /* Probing. */
    int round;
    bool has_begun; /**< this round's part */
    int64_t not_before;
    union {
        pb_multicast_sender_t sender; /**< at rank 0 */
        pb_multicast_receiver_t receiver;
    };
    char *data;
    pb_control_t round_control;
    /* What is left. */
    pb_datagrams_t *datagrams; /**< NULL: it has none */
    bool is_deaf;              /**< another rank of this host has joined */
    pb_multicast_t multicast;
    pb_multicast_counters_t counted; /**< what the process's counters have of it */
};

static bool is_rank_0(const coll_pipebcast_group_t *group)
{
    return ompi_comm_rank(group->module->comm) == 0;
}

static pb_multicast_part_t *part_of(coll_pipebcast_group_t *group)
{
    return is_rank_0(group) ? &group->sender.part : &group->receiver.part;
}

/* References. */

static void free_group(coll_pipebcast_group_t *group)
{
    pb_joining_finish(&group->joining);
    pb_multicast_fini(&group->multicast);
    pb_udp_datagrams_close(group->datagrams);
    OBJ_DESTRUCT(&group->task.super);
    free(group->children);
    free(group->masks);
    free(group->data);
    free(group);
}

/** What has happened since the last call goes to the process's counters. */
static void count(coll_pipebcast_group_t *group)
{
    const pb_multicast_counters_t *now = &group->multicast.counters, *before = &group->counted;
    coll_pipebcast_counters_t *counters = &coll_pipebcast_counters;
    coll_pipebcast_count(&counters->multicast_frames, (int64_t) (now->received - before->received));
    coll_pipebcast_count(&counters->multicast_asked, (int64_t) (now->asked - before->asked));
    coll_pipebcast_count(&counters->multicast_foreign,
                         (int64_t) (now->foreign + now->forged - before->foreign - before->forged));
    group->counted = *now;
}

void coll_pipebcast_group_leave(coll_pipebcast_group_t *group)
{
    if (group == NULL) {
        return;
    }
    count(group);
    if (--group->n_users == 0) {
        free_group(group);
    }
}

coll_pipebcast_group_t *coll_pipebcast_group_retain(coll_pipebcast_group_t *group)
{
    if (group != NULL) {
        group->n_users++;
    }
    return group;
}

pb_multicast_t *coll_pipebcast_group_membership(coll_pipebcast_group_t *group)
{
    return &group->multicast;
}

/* What is offered. */

/** Members of the same processes have the same address, so that switches and interfaces have one
 * group for all their communicators; ports and keys keep these apart. */
static uint32_t address_of(struct ompi_communicator_t *comm)
{
    uint64_t state = PB_HASH_START;
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        const opal_process_name_t *name = &ompi_comm_peer_lookup(comm, rank)->super.proc_name;
        state = pb_hash_number(pb_hash_number(state, name->jobid), name->vpid);
    }
    return FIRST_GROUP | (uint32_t) (pb_hash_end(state) & ((1U << GROUP_BITS) - 1));
}

static bool has_failed_too_often(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    opal_mutex_lock(&process->lock);
    const bool has = process->multicast_failures >= MOST_FAILURES;
    opal_mutex_unlock(&process->lock);
    return has;
}

/** The process's memory of groups that it has offered. */
static void note_outcome(bool works)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    opal_mutex_lock(&process->lock);
    process->multicast_failures = works ? 0 : process->multicast_failures + 1;
    opal_mutex_unlock(&process->lock);
}

/** The offer of rank 0. */
static pb_joining_offer_t make_offer(coll_pipebcast_group_t *group)
{
    uint64_t random[4];
    pb_joining_offer_t offer = {.is_refused = true};
    if (has_failed_too_often()) {
        snprintf(group->why_not, sizeof(group->why_not),
                 "it did not work among other ranks of this job");
    } else if (getrandom(random, sizeof(random), GRND_NONBLOCK) != (ssize_t) sizeof(random)) {
        snprintf(group->why_not, sizeof(group->why_not), "there is no random number for its key");
    } else {
        offer = (pb_joining_offer_t){
            .address = address_of(group->module->comm),
            .port = (uint16_t) (FIRST_PORT + random[3] % N_PORTS),
            .rule = {.key = random[0],
                     .has_checksum = coll_pipebcast_params.multicast_checksum,
                     .secret = {random[1], random[2]}},
        };
    }
    return offer;
}

/* Joining. */

/** Whether no lower rank is on this rank's host. */
static bool is_first_of_host(const coll_pipebcast_module_t *module)
{
    const pb_placement_t *placement = module->placement;
    const int rank = ompi_comm_rank(module->comm);
    const int own = pb_network_host_of(placement->network, placement->host[rank]);
    for (int lower = 0; lower < rank; lower++) {
        if (pb_network_host_of(placement->network, placement->host[lower]) == own) {
            return false;
        }
    }
    return true;
}

static uint32_t frame_bytes(const pb_medium_t *medium)
{
    const uint32_t mtu = medium->mtu == 0         ? DEFAULT_MTU
                         : medium->mtu > MOST_MTU ? MOST_MTU
                                                  : medium->mtu;
    return mtu > IP_UDP_BYTES ? mtu - IP_UDP_BYTES : 0;
}

/** Opens the datagrams; false with a reason. */
static bool open_datagrams(coll_pipebcast_group_t *group, const pb_medium_t *medium, char *why,
                           size_t why_size)
{
    const pb_joining_offer_t *offer = &group->joining.offer;
    const unsigned int interface = if_nametoindex(medium->interfaces);
    if (!medium->is_ethernet || interface == 0) {
        snprintf(why, why_size, "messages do not go over one Ethernet interface there");
        return false;
    }
    const pb_udp_options_t options = {
        .group = {.s_addr = htonl(offer->address)},
        .port = offer->port,
        .interface = interface,
        .loops = group->is_deaf, /* then another rank of this host is to hear it */
        .only_sends = group->is_deaf,
        .frame_bytes = frame_bytes(medium),
        .buffer_bytes = coll_pipebcast_params.multicast_buffer,
    };
    const int rc = pb_udp_datagrams_open(&options, &group->datagrams);
    if (rc != 0) {
        group->datagrams = NULL;
        snprintf(why, why_size, "interface %s: %s", medium->interfaces,
                 rc == PB_ERR_IO ? strerror(errno) : "out of memory");
    }
    return rc == 0;
}

/** The offer is here: this rank joins, if it can, and answers. */
static void join(coll_pipebcast_group_t *group)
{
    const coll_pipebcast_module_t *module = group->module;
    pb_joining_answer_t answer = {.capacity = UINT32_MAX};
    const pb_medium_t *medium = &coll_pipebcast_process.medium;
    char why[128] = "";
    answer.frame_bytes = frame_bytes(medium);
    group->is_deaf = !is_first_of_host(module);
    if (!group->joining.offer.is_refused) {
        answer.has_joined = open_datagrams(group, medium, why, sizeof(why));
    }
    if (answer.has_joined && !group->is_deaf) {
        answer.capacity = group->datagrams->capacity;
    }
    if (why[0] != '\0') {
        coll_pipebcast_log(is_rank_0(group) ? 1 : 10,
                           "communicator %s: rank %d cannot join a group of multicast: %s",
                           module->comm->c_name, ompi_comm_rank(module->comm), why);
    }
    pb_joining_answer(&group->joining, &answer);
}

/** The speed of the slowest link that frames of a root may pass, in the unit of the topology. */
static uint32_t slowest_link(const pb_network_t *network)
{
    uint32_t slowest = UINT32_MAX;
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *at = pb_network_node(network, node);
        if (node != pb_network_top(network) && at->kind != PB_NODE_PLACE && at->speed < slowest) {
            slowest = at->speed;
        }
    }
    return slowest;
}

/**
 * Bytes per second that this rank may send as a root, where a link below is slower than its own:
 * its own socket does not hold it up then. 0: no pacing, as its own link is the slowest one, or the
 * speed is not known.
 */
static uint64_t ceiling_of(const coll_pipebcast_module_t *module)
{
    const pb_placement_t *placement = module->placement;
    const pb_network_t *network = placement->network;
    const int host = pb_network_host_of(network, placement->host[ompi_comm_rank(module->comm)]);
    const uint32_t slowest = slowest_link(network);
    const double bytes = (double) module->multicast.bits_per_second / 8;
    if (slowest >= pb_network_node(network, host)->speed) {
        return 0;
    }
    return (uint64_t) (bytes * slowest / pb_profile_host_speed(network));
}

/** All have joined: this rank is a member from now on. */
static void become_member(coll_pipebcast_group_t *group)
{
    const pb_joining_terms_t *terms = &group->joining.terms;
    const coll_pipebcast_module_t *module = group->module;
    const pb_multicast_config_t config = {
        .rule = group->joining.offer.rule,
        .payload = terms->payload,
        .window = terms->window,
        .datagrams = group->datagrams,
        .is_deaf = group->is_deaf,
        .patience = terms->patience,
        .ceiling = ceiling_of(module),
        .repair_limit = REPAIR_LIMIT,
    };
    pb_multicast_init(&group->multicast, &config);
    group->has_joined = true;
}

/* Probing. */

static void conclude(coll_pipebcast_group_t *group, bool works, const char *why_not)
{
    group->is_concluded = true;
    group->works = works;
    if (!works && group->why_not[0] == '\0') {
        snprintf(group->why_not, sizeof(group->why_not), "%s", why_not);
    }
    if (is_rank_0(group) && group->is_probed) {
        note_outcome(works);
    }
}

/** Begins this round's part; false if it is not time, or this rank is lost. */
static bool begin_round(coll_pipebcast_group_t *group, int64_t now)
{
    coll_pipebcast_module_t *module = group->module;
    const size_t total = (size_t) PROBE_FRAMES * group->multicast.config.payload;
    if (is_rank_0(group) && now < group->not_before) {
        return false;
    }
    if (group->data == NULL) {
        group->data = calloc(1, total);
    }
    group->round_control =
        (pb_control_t){.comm = module->comm, .tag = group->control.tag - 1 - group->round};
    pb_mode_mark_next(&group->multicast.mode);
    group->has_begun =
        group->data != NULL &&
        (is_rank_0(group) ? pb_multicast_sender_start(
                                &group->sender, &group->multicast, &group->round_control,
                                &group->role, ompi_comm_size(module->comm), group->data, total)
                          : pb_multicast_receiver_start(&group->receiver, &group->multicast,
                                                        &group->round_control, &group->role,
                                                        group->data, total));
    if (!group->has_begun) {
        coll_pipebcast_lose(module, OMPI_ERR_OUT_OF_RESOURCE);
    }
    return group->has_begun;
}

/** Whether the round has shown something. */
static void judge_round(coll_pipebcast_group_t *group)
{
    const pb_multicast_part_t *part = part_of(group);
    const pb_multicast_result_t *result = pb_multicast_result(&group->multicast, part->number);
    if (group->is_concluded || result == NULL) {
        return;
    }
    if (!pb_health_is_deaf(result)) {
        conclude(group, true, "");
    } else if (group->round + 1 == N_ROUNDS) {
        conclude(group, false, "a rank heard less than half of the frames that rank 0 has sent");
    }
}

/** Advances the rounds; true when there is nothing more to do. */
static bool probe(coll_pipebcast_group_t *group)
{
    const int64_t now = coll_pipebcast_now();
    if (!group->has_begun && !begin_round(group, now)) {
        return false;
    }
    const bool is_over = is_rank_0(group) ? pb_multicast_sender_advance(&group->sender, now)
                                          : pb_multicast_receiver_advance(&group->receiver);
    pb_multicast_part_t *part = part_of(group);
    if (part->broken) {
        coll_pipebcast_lose(group->module, part->error);
    }
    if (part->error == 0) {
        judge_round(group);
    }
    if (!is_over) {
        return false;
    }
    pb_multicast_part_finish(part);
    group->has_begun = false;
    group->round++;
    if (!group->is_concluded && group->round < N_ROUNDS) {
        group->not_before = now + pauses[group->round];
        return false;
    }
    return true;
}

/** Advances the joining; true when it is through. */
static bool advance_joining(coll_pipebcast_group_t *group)
{
    bool is_through = pb_joining_advance(&group->joining, coll_pipebcast_now());
    if (group->joining.state == PB_JOINING_OFFERED && group->joining.error == 0) {
        join(group);
        is_through = pb_joining_advance(&group->joining, coll_pipebcast_now());
    }
    return is_through;
}

/** Does what can be done; true when the probe is through, or this rank is lost. */
static bool advance(coll_pipebcast_task_t *task)
{
    coll_pipebcast_group_t *group = (coll_pipebcast_group_t *) task;
    if (coll_pipebcast_is_lost(group->module)) {
        return true;
    }
    if (!group->has_joined) {
        if (!advance_joining(group)) {
            return false;
        }
        if (group->joining.error != 0) {
            coll_pipebcast_lose(group->module, group->joining.error);
            return true;
        }
        if (group->joining.terms.is_refused) {
            conclude(group, false, "a rank could not join");
            return true;
        }
        become_member(group);
        if (!group->is_probed) {
            conclude(group, true, "");
        }
    }
    return !group->is_probed || probe(group);
}

/** The task has ended, with or without an outcome. */
static void end(coll_pipebcast_task_t *task)
{
    coll_pipebcast_group_t *group = (coll_pipebcast_group_t *) task;
    coll_pipebcast_lock_t *lock = &group->module->lock;
    coll_pipebcast_lock(lock);
    if (group->has_begun) { /* this rank is lost */
        pb_multicast_part_finish(part_of(group));
    }
    if (!group->is_concluded) {
        conclude(group, false, "a rank is lost");
    }
    coll_pipebcast_group_leave(group);
    coll_pipebcast_unlock(lock);
}

/** The role in the tree along which the group is joined and probed; borrowed from the planner. */
static int find_role(coll_pipebcast_module_t *module, pb_planned_t *planned)
{
    return coll_pipebcast_may_reach_all(module)
               ? pb_planner_role(module->planner, 0, PB_KIND_MULTICAST, NULL, 0, planned)
               : pb_planner_stand_in(module->planner, 0, planned);
}

/** The neighbours in stream 0 of a role, as a role of its own. False if out of memory. */
static bool copy_role(coll_pipebcast_group_t *group, const pb_role_t *role)
{
    const size_t n = (size_t) role->n_children + 1;
    group->children = malloc(n * sizeof(*group->children));
    group->masks = malloc(n * sizeof(*group->masks));
    if (group->children == NULL || group->masks == NULL) {
        return false;
    }
    group->parent = -1;
    for (size_t i = 0; i < n; i++) {
        group->masks[i] = 1;
    }
    for (int i = 0; i < role->n_parents; i++) {
        group->parent = (role->parent_mask[i] & 1) != 0 ? role->parent[i] : group->parent;
    }
    pb_role_t *own = &group->role;
    *own = (pb_role_t){.n_streams = 1,
                       .n_parents = group->parent >= 0,
                       .parent = &group->parent,
                       .child = group->children,
                       .parent_mask = group->masks,
                       .child_mask = group->masks};
    for (int i = 0; i < role->n_children; i++) {
        if ((role->child_mask[i] & 1) != 0) {
            group->children[own->n_children++] = role->child[i];
        }
    }
    return true;
}

/** A group whose joining has begun; NULL if out of memory. */
static coll_pipebcast_group_t *new_group(coll_pipebcast_module_t *module, int tag, bool is_probed)
{
    pb_planned_t planned;
    coll_pipebcast_group_t *group = calloc(1, sizeof(*group));
    if (group == NULL) {
        return NULL;
    }
    OBJ_CONSTRUCT(&group->task.super, opal_list_item_t);
    group->module = module;
    group->is_probed = is_probed;
    group->n_users = 1;
    group->control = (pb_control_t){.comm = module->comm, .tag = tag};
    if (find_role(module, &planned) != PB_SUCCESS || !copy_role(group, planned.role)) {
        free_group(group);
        return NULL;
    }
    coll_pipebcast_connections_count_role(module, planned.role);
    pb_joining_offer_t offer = {.is_refused = true};
    if (is_rank_0(group)) {
        offer = make_offer(group);
    }
    pb_joining_start(&group->joining, &group->control, &group->role,
                     is_rank_0(group) ? &offer : NULL, group->children, coll_pipebcast_now());
    return group;
}

coll_pipebcast_group_t *coll_pipebcast_group_begin(coll_pipebcast_module_t *module, int tag,
                                                   bool is_probed)
{
    coll_pipebcast_group_t *group = new_group(module, tag, is_probed);
    if (group == NULL) { /* what was out of memory may have been one allocation */
        group = new_group(module, tag, is_probed);
    }
    int rc = group == NULL ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    if (rc == OMPI_SUCCESS) {
        group->task.advance = advance;
        group->task.end = end;
        rc = coll_pipebcast_progress_add(module, &group->task);
    }
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_group_leave(group);
        coll_pipebcast_lose(module, rc);
        return NULL;
    }
    return coll_pipebcast_group_retain(group);
}

/* What came of it. */

/** Makes progress once, without the lock. */
static void wait_once(coll_pipebcast_module_t *module)
{
    coll_pipebcast_unlock(&module->lock);
    opal_progress();
    coll_pipebcast_lock(&module->lock);
}

bool coll_pipebcast_group_wait(coll_pipebcast_group_t *group)
{
    while (!group->is_concluded && !coll_pipebcast_is_lost(group->module)) {
        wait_once(group->module);
    }
    return group->is_concluded && group->works && !group->module->is_lost;
}

const char *coll_pipebcast_group_why_not(const coll_pipebcast_group_t *group)
{
    return group->is_concluded && !group->works ? group->why_not : "a rank is lost";
}

void coll_pipebcast_group_describe(const coll_pipebcast_group_t *group, char *text, size_t size)
{
    const struct in_addr address = {.s_addr = htonl(group->joining.offer.address)};
    char dotted[INET_ADDRSTRLEN] = "";
    (void) inet_ntop(AF_INET, &address, dotted, sizeof(dotted));
    snprintf(text, size, "group %s port %u", dotted, group->joining.offer.port);
}
