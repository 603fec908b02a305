/*
 * Multicast group of a communicator: how ranks join and probe it; see communicator/multicast.h.
 */
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
#include "communicator/lost.h"
#include "communicator/module.h"
#include "communicator/placement.h"
#include "communicator/process.h"
#include "communicator/record.h"
#include "engine/multicast/udp_datagrams.h"
#include "topo/model/profile.h"
#include "topo/util/hash.h"
#include "topo/util/kit.h"

/** Frames of a probe, and nanoseconds before each try: a switch may deliver to a port only some
 * time after a rank has joined there. */
#define PROBE_FRAMES 4
static const int64_t pauses[] = {0, 50000000, 200000000};
#define N_ROUNDS ((int) (sizeof(pauses) / sizeof(pauses[0])))

_Static_assert(COLL_PIPEBCAST_PROBE_TAGS == N_ROUNDS, "a tag for each round");

/**
 * Groups of a process: each takes a descriptor and the memory of a socket. Of a limit of 1,024
 * descriptors, connections have a quarter (communicator/connections.h).
 */
#define MOST_GROUPS 16

/** The largest IP packet, a jumbo frame's; and the one that passes where the MTU is not known. */
#define MOST_MTU 9000
#define DEFAULT_MTU 1500
#define IP_UDP_BYTES 28

/** Groups have organization-local addresses: 239.192.0.0/14. */
#define FIRST_GROUP UINT32_C(0xefc00000)
#define GROUP_BITS 18

/** Ports that are nobody's. */
#define FIRST_PORT 49152
#define N_PORTS 16384

/** A window is this part of the smallest buffer: see engine/multicast/marks.h. */
#define BUFFER_PART 2

/** The largest window, in frames; the window where no rank but the root hears anything. */
#define MOST_WINDOW (1 << 20)

/** A root's patience is that many times what joining took, within bounds in nanoseconds. */
#define PATIENCE_TIMES 4
#define LEAST_PATIENCE INT64_C(2000000)
#define MOST_PATIENCE INT64_C(1000000000)

/** Numbers that ranks exchange to join: each is the maximum over the ranks. Rank 0 alone has the
 * first ones. */
enum {
    V_KEY,
    V_SECRET,       /**< two numbers */
    V_CHECKSUM = 3, /**< whether frames have one */
    V_CANNOT,       /**< of all ranks: whether this one could not join */
    V_FRAME_BYTES,  /**< its complement: bytes of the largest frame with its header */
    V_CAPACITY,     /**< its complement: frames that wait to be taken in; UINT32_MAX: hears none */
    N_VALUES
};
_Static_assert(N_VALUES == COLL_PIPEBCAST_JOIN_VALUES, "room for what the ranks learn");

static bool is_rank_0(const coll_pipebcast_multicast_t *multicast)
{
    return ompi_comm_rank(multicast->module->comm) == 0;
}

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

void coll_pipebcast_multicast_close(coll_pipebcast_multicast_t *multicast)
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
    coll_pipebcast_count(&counters->multicast_foreign,
                         (int64_t) (now->foreign + now->forged - before->foreign - before->forged));
    multicast->counted = *now;
}

/* Decisions of rank 0, and values that follow from the communicator. */

/**
 * Members of the same processes have the same address, so that switches and interfaces have one
 * group for all their communicators; ports and keys keep these apart. Where ranks come to another
 * port each, the group is found not to work.
 */
static void find_address(coll_pipebcast_multicast_t *multicast)
{
    struct ompi_communicator_t *comm = multicast->module->comm;
    uint64_t state = PB_HASH_START;
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        state = pb_hash_number(state, coll_pipebcast_rank_number(comm, rank));
    }
    multicast->address = FIRST_GROUP | (uint32_t) (pb_hash_end(state) & ((1U << GROUP_BITS) - 1));
    state = pb_hash_bytes(state, &comm->c_contextid, sizeof(comm->c_contextid));
    multicast->port = (uint16_t) (FIRST_PORT + pb_hash_end(state) % N_PORTS);
}

/** Returns whether frames have a checksum, by the speed of the slowest host's link. */
static bool has_checksum(uint64_t bits_per_second)
{
    const int wanted = coll_pipebcast_params.multicast_checksum;
    return wanted == COLL_PIPEBCAST_CHECKSUM_ON ||
           (wanted == COLL_PIPEBCAST_CHECKSUM_AUTO && pb_frame_checksum_is_cheap(bits_per_second));
}

/** The values that rank 0 alone has. False with a reason. */
static bool decide(coll_pipebcast_multicast_t *multicast)
{
    uint64_t *values = multicast->values;
    uint64_t random[3];
    if (getrandom(random, sizeof(random), GRND_NONBLOCK) != (ssize_t) sizeof(random)) {
        multicast->why_not = "there is no random number for its key";
        return false;
    }
    values[V_KEY] = random[0];
    values[V_SECRET] = random[1];
    values[V_SECRET + 1] = random[2];
    values[V_CHECKSUM] = has_checksum(multicast->bits_per_second);
    return true;
}

/* Joining. */

/** Returns whether no lower rank is on this rank's host. */
static bool is_first_of_host(const coll_pipebcast_module_t *module)
{
    const pb_placement_t *placement = module->placed->placement;
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
        .frame_bytes = frame_bytes(medium),
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

/** This rank joins, if it can, and writes its values. */
static void join(coll_pipebcast_multicast_t *multicast)
{
    const coll_pipebcast_module_t *module = multicast->module;
    const pb_medium_t *medium = &coll_pipebcast_process.medium;
    char why[128] = "";
    multicast->is_deaf = !is_first_of_host(module);
    const bool can = (!is_rank_0(multicast) || decide(multicast)) &&
                     open_datagrams(multicast, medium, why, sizeof(why));
    const uint32_t capacity =
        can && !multicast->is_deaf ? multicast->datagrams->capacity : UINT32_MAX;
    uint64_t *values = multicast->values;
    values[V_CANNOT] = !can;
    values[V_FRAME_BYTES] = ~(uint64_t) frame_bytes(medium);
    values[V_CAPACITY] = ~(uint64_t) capacity;
    if (why[0] != '\0') {
        coll_pipebcast_log(is_rank_0(multicast) ? 1 : 10,
                           "communicator %s: rank %d cannot join a group of multicast: %s",
                           module->comm->c_name, ompi_comm_rank(module->comm), why);
    }
}

/**
 * Begins to find out what the others have, with the lock given up. A rank that is lost takes part,
 * too: it keeps in step with what other components count.
 */
static int begin_joining(coll_pipebcast_module_t *module)
{
    struct ompi_communicator_t *comm = module->comm;
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    memset(multicast->values, 0, sizeof(multicast->values));
    multicast->values[V_CANNOT] = 1;
    if (!module->is_lost) {
        find_address(multicast);
        join(multicast);
        multicast->since = coll_pipebcast_now();
    }
    coll_pipebcast_unlock(&module->lock);
    const int rc = comm->c_coll->coll_iallreduce(
        MPI_IN_PLACE, multicast->values, N_VALUES, MPI_UINT64_T, MPI_MAX, comm,
        (ompi_request_t **) &multicast->joining, comm->c_coll->coll_iallreduce_module);
    coll_pipebcast_lock(&module->lock);
    return rc;
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
 * Bytes per second that this rank may send as a root, where a link below is slower than its own.
 * Its own socket does not hold it up then. 0: no pacing, as its own link is the slowest one, or the
 * speed is not known.
 */
static uint64_t ceiling_of(const coll_pipebcast_module_t *module)
{
    const pb_placement_t *placement = module->placed->placement;
    const pb_network_t *network = placement->network;
    const int host = pb_network_host_of(network, placement->host[ompi_comm_rank(module->comm)]);
    const uint32_t slowest = slowest_link(network);
    const double bytes = (double) module->multicast.bits_per_second / 8;
    if (slowest >= pb_network_node(network, host)->speed) {
        return 0;
    }
    return (uint64_t) (bytes * slowest / pb_profile_host_speed(network));
}

static int64_t patience_of(int64_t time)
{
    const int64_t patience = PATIENCE_TIMES * time;
    return patience < LEAST_PATIENCE  ? LEAST_PATIENCE
           : patience > MOST_PATIENCE ? MOST_PATIENCE
                                      : patience;
}

/** This rank is a member from now on. False: not all ranks have joined. */
static bool become_member(coll_pipebcast_multicast_t *multicast)
{
    const uint64_t *values = multicast->values;
    const pb_frame_rule_t rule = {.key = values[V_KEY],
                                  .has_checksum = values[V_CHECKSUM] != 0,
                                  .secret = {values[V_SECRET], values[V_SECRET + 1]}};
    const uint32_t header = (uint32_t) pb_frame_header_bytes(&rule);
    const uint32_t frame = (uint32_t) pb_minu64(~values[V_FRAME_BYTES], PB_FRAME_MAX_PAYLOAD);
    const pb_multicast_config_t config = {
        .rule = rule,
        .payload = frame > header ? frame - header : 0,
        .window = (uint32_t) pb_minu64(~values[V_CAPACITY] / BUFFER_PART, MOST_WINDOW),
        .datagrams = multicast->datagrams,
        .is_deaf = multicast->is_deaf,
        .patience = patience_of(coll_pipebcast_now() - multicast->since),
        .ceiling = ceiling_of(multicast->module),
    };
    multicast->has_joined = values[V_CANNOT] == 0 && config.payload > 0 && config.window > 0;
    if (multicast->has_joined) {
        pb_multicast_init(&multicast->group, &config);
    }
    return multicast->has_joined;
}

/* Probing. */

/** `why_not` is NULL where it works. */
static void conclude(coll_pipebcast_multicast_t *multicast, const char *why_not)
{
    multicast->is_concluded = true;
    multicast->why_not = multicast->why_not != NULL ? multicast->why_not : why_not;
}

/** The role in the tree along which the group is joined and probed; borrowed from the planner. */
static int find_role(coll_pipebcast_module_t *module, pb_planned_t *planned)
{
    return coll_pipebcast_may_reach_all(module)
               ? pb_planner_role(module->planner, 0, PB_KIND_MULTICAST, NULL, 0, planned)
               : pb_planner_stand_in(module->planner, 0, planned);
}

/** Begins this round's part; false if it is not time, or this rank is lost. */
static bool begin_round(coll_pipebcast_multicast_t *multicast, int64_t now)
{
    coll_pipebcast_module_t *module = multicast->module;
    const size_t total = (size_t) PROBE_FRAMES * multicast->group.config.payload;
    pb_planned_t planned;
    if (is_rank_0(multicast) && now < multicast->not_before) {
        return false;
    }
    if (multicast->data == NULL) {
        multicast->data = calloc(1, total);
    }
    multicast->control =
        (pb_control_t){.comm = module->comm, .tag = multicast->tag - multicast->round};
    pb_marks_mark_next(&multicast->group.marks);
    multicast->has_begun =
        multicast->data != NULL && find_role(module, &planned) == PB_SUCCESS &&
        pb_multicast_part_start(&multicast->part, &multicast->group, &multicast->control,
                                planned.role, ompi_comm_size(module->comm), multicast->data, total);
    if (!multicast->has_begun) {
        coll_pipebcast_lose(module, OMPI_ERR_OUT_OF_RESOURCE);
    }
    return multicast->has_begun;
}

/** Concludes the probe if the round has shown enough. */
static void judge_round(coll_pipebcast_multicast_t *multicast)
{
    if (multicast->is_concluded || !multicast->part.is_settled) {
        return;
    }
    if (!pb_health_is_deaf(PROBE_FRAMES, multicast->part.asked.most)) {
        conclude(multicast, NULL);
    } else if (multicast->round + 1 == N_ROUNDS) {
        conclude(multicast, "a rank heard less than half of the frames that rank 0 has sent");
    }
}

/** Advances the rounds; true when there is nothing more to do. */
static bool probe(coll_pipebcast_multicast_t *multicast)
{
    const int64_t now = coll_pipebcast_now();
    if (!multicast->has_begun && !begin_round(multicast, now)) {
        return false;
    }
    pb_multicast_part_t *part = &multicast->part;
    const bool is_over = pb_multicast_part_advance(part, now);
    if (part->broken) {
        coll_pipebcast_lose(multicast->module, part->error);
    }
    if (part->error == 0) {
        judge_round(multicast);
    }
    if (!is_over) {
        return false;
    }
    pb_multicast_part_finish(part);
    multicast->has_begun = false;
    multicast->round++;
    if (!multicast->is_concluded && multicast->round < N_ROUNDS) {
        multicast->not_before = now + pauses[multicast->round];
        return false;
    }
    return true;
}

/** Advances the joining; true when it is through, or this rank is lost. */
static bool advance_joining(coll_pipebcast_multicast_t *multicast)
{
    ompi_status_public_t status;
    if (!coll_pipebcast_take_complete(&multicast->module->multicast.joining, &status)) {
        return false;
    }
    if (status.MPI_ERROR != MPI_SUCCESS) {
        coll_pipebcast_lose(multicast->module, status.MPI_ERROR);
    } else if (!become_member(multicast)) {
        coll_pipebcast_multicast_close(multicast);
        conclude(multicast, "a rank could not join");
    }
    return true;
}

static coll_pipebcast_multicast_t *multicast_of(coll_pipebcast_task_t *task)
{
    return (coll_pipebcast_multicast_t *) (void *) ((char *) task -
                                                    offsetof(coll_pipebcast_multicast_t, task));
}

/** Does what can be done; true when the probe is through, or this rank is lost. */
static bool advance(coll_pipebcast_task_t *task)
{
    coll_pipebcast_multicast_t *multicast = multicast_of(task);
    if (coll_pipebcast_ends_between(multicast->module)) {
        return true;
    }
    if (!multicast->has_joined && !advance_joining(multicast)) {
        return false;
    }
    return !multicast->has_joined || probe(multicast);
}

/** The task has ended, with or without an outcome. */
static void end(coll_pipebcast_task_t *task)
{
    coll_pipebcast_multicast_t *multicast = multicast_of(task);
    coll_pipebcast_lock_t *lock = &multicast->module->lock;
    coll_pipebcast_lock(lock);
    if (multicast->has_begun) { /* this rank is lost */
        pb_multicast_part_finish(&multicast->part);
        multicast->has_begun = false;
    }
    if (!multicast->is_concluded) {
        conclude(multicast, "a rank is lost");
    }
    free(multicast->data);
    multicast->data = NULL;
    coll_pipebcast_multicast_count(multicast);
    multicast->is_task = false;
    coll_pipebcast_unlock(lock);
}

/** Notes the connections along which the group is probed; without memory this rank is lost. */
static void count_connections(coll_pipebcast_module_t *module)
{
    pb_planned_t planned;
    if (find_role(module, &planned) != PB_SUCCESS) {
        coll_pipebcast_lose(module, OMPI_ERR_OUT_OF_RESOURCE);
    } else {
        coll_pipebcast_connections_count_role(module, planned.role);
    }
}

void coll_pipebcast_multicast_begin_probe(coll_pipebcast_module_t *module, int tag)
{
    coll_pipebcast_multicast_t *multicast = &module->multicast;
    int rc = OMPI_SUCCESS;
    multicast->tag = tag;
    multicast->round = 0;
    multicast->not_before = 0;
    multicast->is_concluded = false;
    multicast->why_not = NULL;
    count_connections(module);
    if (multicast->has_joined) { /* once more, as the switches may have forgotten it */
        join(multicast);
        pb_multicast_use(&multicast->group, multicast->datagrams);
    } else {
        rc = begin_joining(module);
    }
    if (rc == OMPI_SUCCESS && !module->is_lost) {
        multicast->task.advance = advance;
        multicast->task.end = end;
        rc = coll_pipebcast_progress_add(module, &multicast->task);
        multicast->is_task = rc == OMPI_SUCCESS;
    }
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_lose(module, rc);
    }
}
