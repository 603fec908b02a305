/*
 * Multicast on a communicator; see communicator/multicast.h.
 */
#include "communicator/multicast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/gate.h"
#include "communicator/module.h"
#include "communicator/placement.h"
#include "communicator/process.h"
#include "engine/multicast/probe.h"
#include "engine/multicast/udp_datagrams.h"
#include "topo/model/profile.h"
#include "topo/util/hash.h"
#include "topo/util/kit.h"

/** A window is this part of the smallest buffer: see engine/multicast/marks.h. */
#define BUFFER_PART 2

/** Bytes of a frame that carries little. */
#define LEAST_FRAME 256

/**
 * Groups of a process: each takes a descriptor and the memory of a socket. Of a limit of 1,024
 * descriptors, connections have a quarter (communicator/connections.h).
 */
#define MOST_GROUPS 16

/** Groups have organization-local addresses: 239.192.0.0/14. */
#define FIRST_GROUP UINT32_C(0xefc00000)
#define GROUP_BITS 18

/** Ports that are nobody's. */
#define FIRST_PORT 49152
#define N_PORTS 16384

/** The largest window, in frames; the window where no rank but the root hears anything. */
#define MOST_WINDOW (1 << 20)

/* The socket. */

/** Changes the number of groups of this process with a socket; false: there are too many. */
static bool add_groups(int n)
{
    int *n_groups = &coll_pipebcast_process.n_multicast_groups;
    if (__atomic_add_fetch(n_groups, n, __ATOMIC_RELAXED) <= MOST_GROUPS) {
        return true;
    }
    __atomic_sub_fetch(n_groups, n, __ATOMIC_RELAXED);
    return false;
}

/** Closes the socket, if it is open. */
static void close_group(coll_pipebcast_multicast_t *multicast)
{
    if (multicast->datagrams != NULL) {
        pb_udp_datagrams_close(multicast->datagrams);
        (void) add_groups(-1);
    }
    multicast->datagrams = NULL;
    pb_multicast_use(&multicast->group, NULL);
}

void coll_pipebcast_multicast_count(coll_pipebcast_multicast_t *multicast)
{
    const pb_multicast_counters_t *now = &multicast->group.counters, *before = &multicast->counted;
    coll_pipebcast_counters_t *counters = &coll_pipebcast_counters;
    coll_pipebcast_count(&counters->multicast_frames, (int64_t) (now->received - before->received));
    coll_pipebcast_count(&counters->multicast_asked, (int64_t) (now->asked - before->asked));
    coll_pipebcast_count(&counters->multicast_foreign, (int64_t) (now->foreign - before->foreign));
    multicast->counted = *now;
}

/**
 * Members of the same processes have one address: switches and interfaces have one group for all
 * their communicators, which ports and keys keep apart. Where ranks come to another port each, the
 * group is found not to work.
 */
static void find_address(coll_pipebcast_multicast_t *multicast)
{
    struct ompi_communicator_t *comm = multicast->module->comm;
    uint64_t state = pb_hash_number(PB_HASH_START, OPAL_PROC_MY_NAME.jobid);
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        const opal_process_name_t process = ompi_group_get_proc_name(comm->c_local_group, rank);
        state = pb_hash_number(state, process.vpid);
    }
    multicast->address = FIRST_GROUP | (uint32_t) (pb_hash_end(state) & ((1U << GROUP_BITS) - 1));
    state = pb_hash_bytes(state, &comm->c_contextid, sizeof(comm->c_contextid));
    multicast->port = (uint16_t) (FIRST_PORT + pb_hash_end(state) % N_PORTS);
}

/* Joining. */

/** Returns whether no lower rank is on this rank's host. */
static bool is_first_of_host(const coll_pipebcast_module_t *module)
{
    const pb_placement_t *placement = module->placed->placement;
    const int rank = ompi_comm_rank(module->comm);
    const int own = pb_placement_host(placement, rank);
    for (int lower = 0; lower < rank; lower++) {
        if (pb_placement_host(placement, lower) == own) {
            return false;
        }
    }
    return true;
}

/** Opens the datagrams; false with a reason. */
static bool open_datagrams(coll_pipebcast_multicast_t *multicast, const pb_medium_t *medium,
                           char *why, size_t why_size)
{
    const unsigned int interface = if_nametoindex(medium->interfaces);
    if (!medium->is_ethernet || interface == 0) {
        snprintf(why, why_size, "messages do not go over one Ethernet interface there");
        return false;
    }
    if (!add_groups(1)) {
        snprintf(why, why_size, "this process is in %d groups already", MOST_GROUPS);
        return false;
    }
    const pb_udp_options_t options = {
        .group = {.s_addr = htonl(multicast->address)},
        .port = multicast->port,
        .interface = interface,
        .loops = multicast->is_deaf, /* then another rank of this host is to hear it */
        .only_sends = multicast->is_deaf,
        .frame_bytes = multicast->frame_bytes,
        .buffer_bytes = coll_pipebcast_params.multicast_buffer,
    };
    const int rc = pb_udp_datagrams_open(&options, &multicast->datagrams);
    if (rc != 0) {
        multicast->datagrams = NULL;
        (void) add_groups(-1);
        snprintf(why, why_size, "interface %s: %s", medium->interfaces,
                 rc == PB_ERR_IO ? strerror(errno) : "out of memory");
    }
    return rc == 0;
}

/** This rank joins, if it can: it has a socket then. */
static void join(coll_pipebcast_multicast_t *multicast)
{
    const coll_pipebcast_module_t *module = multicast->module;
    char why[128] = "";
    find_address(multicast);
    multicast->is_deaf = !is_first_of_host(module);
    if (!open_datagrams(multicast, &coll_pipebcast_process.medium, why, sizeof(why))) {
        coll_pipebcast_log(ompi_comm_rank(module->comm) == 0 ? 1 : 10,
                           "communicator %s: rank %d cannot join a group of multicast: %s",
                           module->comm->c_name, ompi_comm_rank(module->comm), why);
    }
}

/* The probe. */

/** Returns whether the group has worked before: what is under way in it goes on. */
static bool is_member(const coll_pipebcast_multicast_t *multicast)
{
    return multicast->group.config.window > 0;
}

/** Returns whether frames have a checksum, by the speed of the slowest host's link. */
static bool has_checksum(uint64_t bits_per_second)
{
    const int wanted = coll_pipebcast_params.multicast_checksum;
    return wanted == COLL_PIPEBCAST_CHECKSUM_ON ||
           (wanted == COLL_PIPEBCAST_CHECKSUM_AUTO && pb_frame_checksum_is_cheap(bits_per_second));
}

/** The rule of the group's frames, with new keys the first time. False: there are no random
 * numbers. */
static bool make_rule(const coll_pipebcast_multicast_t *multicast, pb_frame_rule_t *rule)
{
    uint64_t random[3];
    if (is_member(multicast)) {
        *rule = multicast->group.config.rule;
        return true;
    }
    if (getrandom(random, sizeof(random), GRND_NONBLOCK) != (ssize_t) sizeof(random)) {
        return false;
    }
    *rule = (pb_frame_rule_t){.key = random[0],
                              .has_checksum = has_checksum(multicast->bits_per_second),
                              .secret = {random[1], random[2]}};
    return true;
}

static uint32_t payload_of(const coll_pipebcast_multicast_t *multicast, const pb_frame_rule_t *rule)
{
    return multicast->frame_bytes - (uint32_t) pb_frame_header_bytes(rule);
}

static bool is_probing(const coll_pipebcast_multicast_t *multicast, uint64_t room)
{
    return multicast->health.state == PB_HEALTH_PROBING && room > 0;
}

bool coll_pipebcast_multicast_send_probe(coll_pipebcast_multicast_t *multicast, pb_sweep_t *sweep)
{
    if (multicast->was_heard || !is_probing(multicast, sweep->sums.room)) {
        return true;
    }
    if (!multicast->was_sent) {
        if (!make_rule(multicast, &sweep->rule)) {
            sweep->sums.room = 0; /* as if a rank could not join */
            return true;
        }
        pb_probe_send(multicast->datagrams, &sweep->rule, payload_of(multicast, &sweep->rule),
                      pb_probe_frames(sweep->sums.room));
        multicast->was_sent = true;
    }
    return !multicast->datagrams->is_sending(multicast->datagrams);
}

bool coll_pipebcast_multicast_hear_probe(coll_pipebcast_multicast_t *multicast, pb_sweep_t *sweep)
{
    const int64_t now = coll_pipebcast_now();
    if (!is_probing(multicast, sweep->sums.room)) {
        return false;
    }
    if (multicast->was_heard) {
        multicast->patience =
            multicast->patience == 0 ? now - multicast->since : multicast->patience;
        return false;
    }
    multicast->was_heard = true;
    multicast->since = now;
    multicast->n_swept = pb_probe_frames(sweep->sums.room);
    const bool hears = !multicast->was_sent && !multicast->is_deaf;
    pb_sweep_again(sweep, hears ? pb_probe_missed(multicast->datagrams, &sweep->rule,
                                                  (uint32_t) multicast->n_swept)
                                : 0);
    return true;
}

/** The speed of the slowest link from a host to any rank's, in the unit of the topology. */
static uint32_t slowest_link(const pb_placement_t *placement, int host)
{
    uint32_t slowest = UINT32_MAX;
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        const uint32_t speed =
            pb_network_slowest(placement->network, host, pb_placement_host(placement, rank));
        slowest = speed < slowest ? speed : slowest;
    }
    return slowest;
}

/**
 * Bytes per second that this rank may send as a root, where a link below is slower than its own.
 * Its own socket does not hold it up then. 0: no pacing, as its own link is the slowest one.
 */
static uint64_t ceiling_of(const coll_pipebcast_module_t *module)
{
    const pb_placement_t *placement = module->placed->placement;
    const int host = pb_placement_host(placement, ompi_comm_rank(module->comm));
    const uint32_t slowest = slowest_link(placement, host);
    const double bytes = (double) module->multicast.bits_per_second / 8;
    if (slowest >= pb_network_node(placement->network, host)->speed) {
        return 0;
    }
    return (uint64_t) (bytes * slowest / pb_profile_host_speed(placement));
}

/** Uses the group by what the sweep has found. */
static void use(coll_pipebcast_multicast_t *multicast, const pb_sweep_t *sweep)
{
    if (is_member(multicast)) {
        pb_multicast_use(&multicast->group, multicast->datagrams);
        return;
    }
    const pb_multicast_config_t config = {
        .rule = sweep->rule,
        .payload = payload_of(multicast, &sweep->rule),
        .window = (uint32_t) pb_minu64(sweep->sums.room, MOST_WINDOW),
        .datagrams = multicast->datagrams,
        .is_deaf = multicast->is_deaf,
        .patience =
            pb_multicast_patience(multicast->patience, multicast->module->sweep.schedule.lag),
        .ceiling = ceiling_of(multicast->module),
    };
    pb_multicast_init(&multicast->group, &config);
}

/* Sweeps. */

/** Broadcasts go by trees from now on; rank 0 reports why. */
static void drop_group(coll_pipebcast_module_t *module, const char *why)
{
    const pb_health_t *health = &module->multicast.health;
    char again[64] = "";
    coll_pipebcast_count(&coll_pipebcast_counters.multicast_failures, 1);
    if (health->state != PB_HEALTH_GIVEN_UP) {
        snprintf(again, sizeof(again), "; it is tried again after %llu broadcasts",
                 (unsigned long long) (health->due - health->n_broadcasts));
    }
    if (ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_log(1, "communicator %s: broadcasts go by trees, not by multicast: %s%s",
                           module->comm->c_name, why, again);
    }
    close_group(&module->multicast);
    pb_planner_allow_multicast(module->planner, 0);
}

static void report_success(const coll_pipebcast_module_t *module)
{
    const coll_pipebcast_multicast_t *multicast = &module->multicast;
    const struct in_addr address = {.s_addr = htonl(multicast->address)};
    char text[INET_ADDRSTRLEN] = "";
    coll_pipebcast_count(&coll_pipebcast_counters.multicast_groups, 1);
    if (ompi_comm_rank(module->comm) == 0) {
        (void) inet_ntop(AF_INET, &address, text, sizeof(text));
        coll_pipebcast_log(1,
                           "communicator %s: multicast works (group %s port %u): frames of %u "
                           "bytes, a window of %u frames",
                           module->comm->c_name, text, multicast->port,
                           multicast->group.config.payload, multicast->group.config.window);
    }
}

void coll_pipebcast_multicast_begin_sweep(coll_pipebcast_module_t *module)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    pb_health_t *health = &multicast->health;
    multicast->n_swept = 0;
    if (health->state == PB_HEALTH_WORKING) {
        const uint64_t end = multicast->group.marks.end;
        multicast->n_swept = end - multicast->swept_to;
        multicast->swept_to = end;
    } else if (pb_health_is_due(health)) {
        health->state = PB_HEALTH_PROBING;
        multicast->n_swept = PB_PROBE_FRAMES;
        multicast->was_sent = multicast->was_heard = false;
        multicast->patience = 0;
        join(multicast);
    }
}

void coll_pipebcast_multicast_report(coll_pipebcast_module_t *module, pb_sweep_times_t *times)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    const pb_datagrams_t *datagrams = multicast->datagrams;
    if (multicast->health.state == PB_HEALTH_WORKING && multicast->n_swept > 0) {
        times->missed = pb_multicast_take_lost(&multicast->group, &multicast->at_sweep);
    }
    times->room = datagrams == NULL    ? 0
                  : multicast->is_deaf ? UINT32_MAX
                                       : datagrams->capacity / BUFFER_PART;
}

void coll_pipebcast_multicast_judge(coll_pipebcast_module_t *module, const pb_sweep_t *sweep)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    const bool has_worked = multicast->health.state == PB_HEALTH_WORKING;
    const bool is_joined = has_worked || sweep->sums.room > 0;
    if (!pb_health_judge(&multicast->health, multicast->n_swept,
                         is_joined ? sweep->sums.missed : multicast->n_swept)) {
        return;
    }
    if (multicast->health.state != PB_HEALTH_WORKING) {
        drop_group(module, !is_joined   ? "a rank could not join"
                           : has_worked ? "a rank lost more than half of the frames"
                                        : "a rank lost more than half of a probe's frames");
        return;
    }
    use(multicast, sweep);
    report_success(module);
    multicast->swept_to = multicast->group.marks.end;
    (void) pb_multicast_take_lost(&multicast->group, &multicast->at_sweep);
    pb_planner_allow_multicast(module->planner, multicast->group.config.payload);
}

/* Life. */

/**
 * Returns whether communicators like this one may broadcast at the same time, as the rows or
 * columns of a grid of ranks do. Frames of several roots overflow a switch's queue: they are lost,
 * and repaired. A switch without snooping brings all frames to all hosts, so even communicators
 * that share no link collide. By default such communicators use trees, which share links as TCP
 * does.
 */
static bool may_collide(const coll_pipebcast_module_t *module)
{
    return module->settings.algorithm != PB_KIND_MULTICAST &&
           coll_pipebcast_is_small_part_of_job(module->comm);
}

/** Returns whether the parameters allow multicast; alike on all ranks. */
static bool is_wanted(const coll_pipebcast_module_t *module, uint64_t bits_per_second)
{
    const coll_pipebcast_settings_t *settings = &module->settings;
    const int parameter = coll_pipebcast_params.multicast;
    const int allowed = parameter != COLL_PIPEBCAST_MULTICAST_BY_TOPOLOGY
                            ? parameter
                            : (int) module->placed->topology->multicast;
    if (coll_pipebcast_follows_advice() || settings->arrival >= COLL_PIPEBCAST_ARRIVAL_B ||
        (settings->algorithm != COLL_PIPEBCAST_AUTO && settings->algorithm != PB_KIND_MULTICAST)) {
        return false;
    }
    return allowed == PB_MULTICAST_ON ||
           (allowed == PB_MULTICAST_AUTO && bits_per_second <= PB_CHOOSE_MULTICAST_SPEED &&
            !coll_pipebcast_is_set(coll_pipebcast_params.hosts) && !may_collide(module));
}

/** Returns the bytes of a frame with its header; `mtu` may be unknown. */
static uint32_t frame_bytes(uint64_t mtu)
{
    const uint64_t known = mtu == PB_FACTS_UNKNOWN ? COLL_PIPEBCAST_DEFAULT_MTU : mtu;
    const uint64_t most = pb_minu64(known, PB_PROBE_MAX_PAYLOAD);
    return most > PB_UDP_HEADER_BYTES ? (uint32_t) most - PB_UDP_HEADER_BYTES : 0;
}

void coll_pipebcast_multicast_begin_serving(coll_pipebcast_module_t *module,
                                            const coll_pipebcast_common_t *common)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    multicast->bits_per_second = common->bits_per_second != PB_FACTS_UNKNOWN
                                     ? common->bits_per_second
                                     : COLL_PIPEBCAST_DEFAULT_SPEED;
    multicast->frame_bytes = frame_bytes(common->mtu);
    if (module->placed->n_hosts >= PB_CHOOSE_MULTICAST_HOSTS &&
        multicast->frame_bytes > LEAST_FRAME && is_wanted(module, multicast->bits_per_second)) {
        pb_health_begin(&multicast->health);
    }
}

void coll_pipebcast_multicast_construct(coll_pipebcast_multicast_t *multicast,
                                        coll_pipebcast_module_t *module)
{
    *multicast = (coll_pipebcast_multicast_t){.module = module};
}

void coll_pipebcast_multicast_destruct(coll_pipebcast_multicast_t *multicast)
{
    coll_pipebcast_multicast_count(multicast);
    close_group(multicast);
}
