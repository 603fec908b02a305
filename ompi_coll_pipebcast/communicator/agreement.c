/*
 * The agreement of a communicator's ranks; see communicator/agreement.h.
 *
 * Where all ranks have published the same (communicator/facts.h), each works out by itself what
 * they have in common, and nothing is sent. What one rank can do and another cannot is not in what
 * they have published, but for memory: a rank that is out of memory then is lost
 * (communicator/lost.h), and so that it knows of which broadcasts, the memory for deciding that is
 * allocated with the module. Files cannot differ later, as each is read once, before its facts are
 * published.
 *
 * Else the ranks compare. Every value on which the ranks must be alike is compared by one
 * nonblocking allreduce of the fallback component: the maximum of v and the maximum of ~v are
 * complements exactly if all v are equal. It happens at the first broadcast of
 * any size, since the threshold itself may differ between ranks. If something
 * differs, all broadcasts of the communicator go to the fallback component, and a
 * report prints which rank differs from rank 0. All tags are taken at the
 * start, when every rank is at the same point of its program: when the agreement
 * ends, ranks may be at different ones.
 *
 * A rank that left the agreement would leave the others waiting in it, so whatever it needs memory
 * for is allocated before the allreduce, with the module or in prepare():
 * one that lacks memory takes part, and reports that it cannot serve.
 *
 * The model of message costs is not worth that: where it differs, or is faulty,
 * all ranks assume the same one from the slowest link that any of them has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/parameters.h"
#include "base/status.h"
#include "base/tags.h"
#include "communicator/advised.h"
#include "communicator/agreement.h"
#include "communicator/cache.h"
#include "communicator/connections.h"
#include "communicator/difference.h"
#include "communicator/gate.h"
#include "communicator/kept.h"
#include "communicator/locality.h"
#include "communicator/lost.h"
#include "communicator/placement.h"
#include "communicator/presence.h"
#include "communicator/process.h"
#include "communicator/ranks.h"
#include "pml/transport.h"
#include "topo/util/hash.h"

/** Changes whenever ranks of different builds would not understand each other. */
#ifndef PROTOCOL
#define PROTOCOL 23
#endif

/** Interfaces that report no speed are virtual ones mostly, of fast networks. Lower ones are
 * thought of when choosing (topo/choose.h), higher ones are not. */
#define DEFAULT_BITS_PER_SECOND UINT64_C(10000000000)
#define DEFAULT_MTU 1500

/** A speed or an MTU that is not known: more than any. */
#define UNKNOWN UINT64_MAX

/** The same in all versions, so that the tags of what comes later are alike. */
#define N_TAGS 2

/**
 * What the ranks compare, in the order of the message that they would give. The
 * number of values and the indices of the first two are the same in all versions,
 * so that ranks of different ones still understand that they are different.
 */
enum {
    V_PROTOCOL,
    V_FAILED_RANK, /**< not compared: the lowest rank that cannot serve, or the size */
    V_PLACEMENT,
    V_ALGORITHM,
    V_ARRIVAL,
    V_ADVICE, /**< whether it is followed, wherever its directory is */
    V_FANOUT,
    V_SEGMENT_SIZE,
    V_MIN_SIZE,
    V_LOCALITY,
    V_LEARN,       /**< whether something is learnt, and what of earlier jobs; and whether by
                      multicast; and whether plans are by leaders: see KEPT_BITS */
    V_TRANSPORT,   /**< of messages between hosts; 0 where the user has chosen it */
    V_MODEL,       /**< compared apart: the hash of a measured model, 0 if there is none */
    V_SPEED,       /**< not compared: bits per second of the rank's link; the least one counts */
    V_MTU,         /**< not compared: likewise */
    V_CONNECTIONS, /**< not compared: likewise */
    N_VALUES = 16
};

/**
 * The higher bits of V_LEARN are parameters, which must be alike. The lower ones are of the digest
 * of what earlier jobs have learnt: where these differ, that is left out.
 */
#define KEPT_BITS 43
#define LEADERS_BIT KEPT_BITS
#define AT_ONCE_BIT 44
#define LEARN_BIT 60
#define MULTICAST_BIT 62

static const char *const value_names[N_VALUES] = {
    [V_PROTOCOL] = "the version of pipebcast",
    [V_PLACEMENT] = "the topology (coll_pipebcast_topology_file, coll_pipebcast_topology_name, "
                    "coll_pipebcast_topology) or the list of hosts (coll_pipebcast_hosts)",
    [V_ALGORITHM] = "the parameter coll_pipebcast_algorithm",
    [V_ARRIVAL] = "the parameter coll_pipebcast_arrival",
    [V_ADVICE] = "whether the parameter coll_pipebcast_advice_dir is set",
    [V_FANOUT] = "the parameter coll_pipebcast_fanout",
    [V_SEGMENT_SIZE] = "the parameter coll_pipebcast_segment_size",
    [V_MIN_SIZE] = "the parameter coll_pipebcast_min_size",
    [V_LOCALITY] = "the parameter coll_pipebcast_locality",
    [V_TRANSPORT] = "the transport between hosts (pml, btl, kind of network), or the parameter "
                    "coll_pipebcast_transport,",
    [V_MODEL] = "the model file (coll_pipebcast_model_file)",
};

/** A parameter that shares a value with others: its bits. */
typedef struct shared_value {
    const char *name;
    int low, n_bits;
} shared_value_t;

/** Those of V_LEARN, from the highest bits on. */
static const shared_value_t shared_values[] = {
    {"the parameter coll_pipebcast_multicast", MULTICAST_BIT, 64 - MULTICAST_BIT},
    {"the parameter coll_pipebcast_learn", LEARN_BIT, MULTICAST_BIT - LEARN_BIT},
    {"the parameter coll_pipebcast_multicast_at_once", AT_ONCE_BIT, LEARN_BIT - AT_ONCE_BIT},
    {"the parameter coll_pipebcast_leaders", LEADERS_BIT, AT_ONCE_BIT - LEADERS_BIT},
};
#define N_SHARED_VALUES (sizeof(shared_values) / sizeof(shared_values[0]))

typedef struct coll_pipebcast_agreement coll_pipebcast_agreement_t;

struct coll_pipebcast_agreement {
    coll_pipebcast_task_t task;      /**< first, so that the one is the other */
    coll_pipebcast_module_t *module; /**< borrowed */
    char why[1024];                  /**< what keeps this rank from serving; "": nothing */
    char why_not_model[1024];        /**< what is wrong with its model file; "": nothing */
    pb_medium_t medium;              /**< from this rank to other hosts */
    uint64_t own[N_VALUES];
    uint64_t most[2 * N_VALUES]; /**< the maxima of v, then of ~v */
    pb_request_t comparing;      /**< the allreduce; NULL at its end */
    int n_hosts;                 /**< with a rank */
    bool kept_is_alike;          /**< what the ranks have read of earlier jobs */
    int tag; /**< for a report, if there is one; the next lower one is the locality's */
    coll_pipebcast_locality_t locality;
    coll_pipebcast_report_t report;
};

/** What is wrong with the model file for this communicator's network, into `why`; false: nothing.
 */
static bool model_is_faulty(const coll_pipebcast_module_t *module, const pb_medium_t *medium,
                            char *why, size_t why_size)
{
    const coll_pipebcast_model_t *model = module->model;
    why[0] = '\0';
    if (module->placement == NULL) {
        return false;
    }
    if (model == NULL && coll_pipebcast_is_set(coll_pipebcast_params.model_file)) {
        snprintf(why, why_size, "the model file was not read, as this host is out of memory");
        return true;
    }
    if (model == NULL) {
        return false;
    }
    if (model->super.fault != NULL) {
        snprintf(why, why_size,
                 "the model file is faulty: %s; fix it, or write a new one with pipebcast-tune",
                 model->super.fault);
        return true;
    }
    if (model->model.topology != 0 &&
        model->model.topology != pb_network_hash(module->placement->network)) {
        snprintf(why, why_size,
                 "the model file %s was measured on another topology than this one (%s); measure "
                 "again with pipebcast-tune",
                 model->super.source, module->topology->super.source);
        return true;
    }
    if (model->model.has_medium && !pb_medium_is_alike(&model->model.medium, medium)) {
        char measured[PB_MEDIUM_TEXT_SIZE], here[PB_MEDIUM_TEXT_SIZE];
        snprintf(why, why_size,
                 "the model file %s was measured over %s, but messages between hosts go over %s; "
                 "measure again with pipebcast-tune",
                 model->super.source, pb_medium_describe(&model->model.medium, measured),
                 pb_medium_describe(medium, here));
        return true;
    }
    return false;
}

/** Of where the ranks are, and of how much room the job has beside them: both decide choices. */
static uint64_t hash_of_placement(const coll_pipebcast_module_t *module)
{
    const uint64_t state = pb_hash_number(PB_HASH_START, pb_placement_hash(module->placement));
    return pb_hash_end(pb_hash_number(state, (uint64_t) module->n_alike));
}

static void own_values(const coll_pipebcast_module_t *module, const pb_medium_t *medium,
                       bool placed, bool model_is_good, uint64_t *values)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const coll_pipebcast_settings_t *settings = &module->settings;
    const int rank = ompi_comm_rank(module->comm);
    memset(values, 0, N_VALUES * sizeof(*values));
    values[V_PROTOCOL] = PROTOCOL;
    values[V_FAILED_RANK] = (uint64_t) (placed ? ompi_comm_size(module->comm) : rank);
    values[V_PLACEMENT] = placed ? hash_of_placement(module) : 0;
    values[V_ALGORITHM] = (uint64_t) settings->algorithm;
    values[V_ARRIVAL] = (uint64_t) settings->arrival;
    values[V_ADVICE] = coll_pipebcast_follows_advice();
    values[V_FANOUT] = (uint64_t) params->fanout;
    values[V_SEGMENT_SIZE] = settings->segment_size;
    values[V_MIN_SIZE] = params->min_size;
    values[V_LOCALITY] = (uint64_t) params->locality;
    values[V_LEARN] = (uint64_t) params->multicast << MULTICAST_BIT |
                      (uint64_t) settings->learn << LEARN_BIT |
                      (uint64_t) params->multicast_at_once << AT_ONCE_BIT |
                      (uint64_t) params->leaders << LEADERS_BIT |
                      coll_pipebcast_kept_digest(medium) >> (64 - KEPT_BITS);
    values[V_MODEL] = module->model != NULL && model_is_good ? module->model->hash : 0;
    values[V_TRANSPORT] = coll_pipebcast_gate_is_opened() ? 0 : pb_medium_hash(medium);
    values[V_SPEED] = medium->bits_per_second > 0 ? medium->bits_per_second : UNKNOWN;
    values[V_MTU] = medium->mtu > 0 ? medium->mtu : UNKNOWN;
    values[V_CONNECTIONS] = coll_pipebcast_connections_own();
}

/** What of a value must be alike. */
static uint64_t compared(int which, uint64_t value)
{
    return which == V_LEARN ? value >> KEPT_BITS : value;
}

static bool differs(const uint64_t *most, int which)
{
    return compared(which, most[which]) != compared(which, ~most[N_VALUES + which]);
}

/** The least value of all ranks, or `by_default` if none knows it. */
static uint64_t least(const uint64_t *most, int which, uint64_t by_default)
{
    const uint64_t value = ~most[N_VALUES + which];
    return value != UNKNOWN ? value : by_default;
}

/**
 * The first value whose difference keeps us from serving, or N_VALUES; `most` holds
 * the maxima of v, then of ~v.
 */
static int first_difference(const uint64_t *most)
{
    for (int i = 0; i < V_MODEL; i++) {
        if (i != V_FAILED_RANK && differs(most, i)) {
            return i;
        }
    }
    return N_VALUES;
}

/** The part of a value that is one parameter's. */
static uint64_t part_of(const shared_value_t *shared, uint64_t value)
{
    return value >> shared->low & ((UINT64_C(1) << shared->n_bits) - 1);
}

/** What differs, for the message: of parameters that share a value, the one; *own_p is this rank's.
 */
static const char *name_difference(const coll_pipebcast_agreement_t *agreement, int which,
                                   uint64_t *own_p)
{
    const uint64_t most = agreement->most[which], least_one = ~agreement->most[N_VALUES + which];
    *own_p = compared(which, agreement->own[which]);
    if (which != V_LEARN) {
        return value_names[which];
    }
    /* The first part in which maximum and minimum differ is one in which ranks do; what is in the
     * parts below it may be of different ranks. */
    const shared_value_t *shared = shared_values, *last = shared_values + N_SHARED_VALUES - 1;
    while (shared < last && part_of(shared, most) == part_of(shared, least_one)) {
        shared++;
    }
    *own_p = part_of(shared, agreement->own[which]);
    return shared->name;
}

/** Starts to find the rank that differs from rank 0, for the message. Called alike on all ranks. */
static void report(coll_pipebcast_module_t *module, int which, const char *until_then)
{
    coll_pipebcast_agreement_t *agreement = module->agreement;
    uint64_t own;
    const char *what = name_difference(agreement, which, &own);
    const coll_pipebcast_difference_t difference = {
        .what = what,
        .until_then = until_then,
        .is_number = which != V_PLACEMENT && which != V_TRANSPORT && which != V_MODEL,
        .own = own,
    };
    coll_pipebcast_report_start(&agreement->report, module->comm, agreement->tag, &difference);
}

/** Why a transport is served. */
static const char *why_served(const coll_pipebcast_module_t *module)
{
    return module->agreement->medium.is_ethernet ? "TCP over Ethernet"
           : coll_pipebcast_gate_is_opened()     ? "served as the parameters have it"
                                                 : "served by the model of it";
}

static void report_serving(const coll_pipebcast_module_t *module)
{
    const coll_pipebcast_topology_t *topology = module->topology;
    const int n_switches = pb_network_n_switches(topology->network);
    char medium[PB_MEDIUM_TEXT_SIZE];
    coll_pipebcast_status_set(COLL_PIPEBCAST_STATUS_TOPOLOGY, "%d hosts on %d %s (%s)",
                              pb_network_n_hosts(topology->network), n_switches,
                              n_switches == 1 ? "switch" : "switches", topology->super.source);
    coll_pipebcast_status_set(COLL_PIPEBCAST_STATUS_COSTS, "%s", module->model->super.source);
    coll_pipebcast_status_set_number(COLL_PIPEBCAST_STATUS_SWITCHES, n_switches);
    coll_pipebcast_status_set_number(COLL_PIPEBCAST_STATUS_CONNECTIONS, module->connections);
    if (ompi_comm_rank(module->comm) != 0) {
        return;
    }
    coll_pipebcast_log(
        1,
        "communicator %s: %d ranks on %d hosts; the network has %d hosts on %d %s (%s); costs: %s; "
        "messages between hosts go over %s (%s)",
        module->comm->c_name, ompi_comm_size(module->comm), pb_placement_n_hosts(module->placement),
        pb_network_n_hosts(topology->network), n_switches, n_switches == 1 ? "switch" : "switches",
        topology->super.source, module->model->super.source,
        pb_medium_describe(&module->agreement->medium, medium), why_served(module));
    if (module->n_alike > 1) {
        coll_pipebcast_log(10,
                           "communicator %s: the job has room for %d like it over the same links "
                           "between switches; auto begins with what is good for one and for all",
                           module->comm->c_name, module->n_alike);
    }
}

/** Rank 0 reports that the gate is closed; see communicator/gate.h. */
static void report_declining(const coll_pipebcast_module_t *module, bool measured)
{
    char medium[PB_MEDIUM_TEXT_SIZE];
    if (ompi_comm_rank(module->comm) != 0) {
        return;
    }
    coll_pipebcast_log(
        1,
        "communicator %s: messages between hosts go over %s, which is not known to be "
        "TCP over Ethernet; no model was measured there and no algorithm is named, so "
        "the fallback component serves its broadcasts",
        module->comm->c_name, pb_medium_describe(&module->agreement->medium, medium));
    if (measured) {
        coll_pipebcast_warn("the model file %s does not name the transport that it was measured "
                            "on; measure again with pipebcast-tune. Until then the fallback "
                            "component serves broadcasts over other transports than TCP over "
                            "Ethernet.",
                            module->model->super.source);
    }
}

/** Whether a measured model is of links faster or slower than the slowest one of all ranks. */
static bool has_other_links(const coll_pipebcast_module_t *module, uint64_t bits_per_second,
                            char *why, size_t why_size)
{
    const pb_model_t *model = &module->model->model;
    if (!model->has_medium ||
        pb_medium_is_as_fast(model->medium.bits_per_second, bits_per_second)) {
        return false;
    }
    snprintf(why, why_size,
             "the model file %s was measured on links of %llu Mbit/s, but the slowest link "
             "between these hosts has %llu Mbit/s; measure again with pipebcast-tune",
             module->model->super.source,
             (unsigned long long) (model->medium.bits_per_second / 1000000),
             (unsigned long long) (bits_per_second / 1000000));
    return true;
}

/** Whether all ranks have the same measured model, and it is of their links; alike on all of them.
 */
static bool has_measured_model(const coll_pipebcast_module_t *module)
{
    coll_pipebcast_agreement_t *agreement = module->agreement;
    return !differs(agreement->most, V_MODEL) && agreement->own[V_MODEL] != 0 &&
           !has_other_links(module, least(agreement->most, V_SPEED, 0), agreement->why_not_model,
                            sizeof(agreement->why_not_model));
}

/** The gate; alike on all ranks. */
static bool may_serve(const coll_pipebcast_module_t *module, bool measured)
{
    return module->agreement->medium.is_ethernet || coll_pipebcast_gate_is_opened() ||
           (measured && module->model->model.has_medium);
}

/** Reports why there is no measured model, if one was meant to be there. */
static void report_model(coll_pipebcast_module_t *module, const char *until_then)
{
    const coll_pipebcast_agreement_t *agreement = module->agreement;
    const char *why = agreement->why_not_model;
    const bool alike = !differs(agreement->most, V_MODEL);
    if (why[0] != '\0' && (!alike || ompi_comm_rank(module->comm) == 0)) {
        coll_pipebcast_warn("%s. Until then %s.", why, until_then);
    }
    if (!alike) {
        report(module, V_MODEL, until_then);
    }
}

/** All ranks choose by the same assumed model, instead of measured ones. Its memory is there since
 * the module was made, unless others have assumed models of other links since. */
static void assume_model(coll_pipebcast_module_t *module)
{
    coll_pipebcast_agreement_t *agreement = module->agreement;
    const uint64_t speed = least(agreement->most, V_SPEED, DEFAULT_BITS_PER_SECOND);
    const uint64_t mtu = least(agreement->most, V_MTU, DEFAULT_MTU);
    if (module->model != NULL) {
        OBJ_RELEASE(module->model);
    }
    module->model = coll_pipebcast_model_assumed(speed, (uint32_t) mtu);
    if (module->model == NULL) {
        coll_pipebcast_end_job(module->comm, "plan broadcasts", OMPI_ERR_OUT_OF_RESOURCE);
    }
}

/** Settles whether the transport is served, and by which model all ranks choose. */
static bool settle_gate(coll_pipebcast_module_t *module)
{
    const bool measured = has_measured_model(module);
    const bool serves = may_serve(module, measured);
    if (!measured) {
        report_model(module, serves ? "costs are assumed from the link's speed"
                                    : "the fallback component serves this communicator's "
                                      "broadcasts");
    }
    if (!serves) {
        report_declining(module, measured);
    } else if (!measured) {
        assume_model(module);
    }
    return serves;
}

/** The ranks have agreed on all that the planner depends on, or it has changed on all of them. */
static void begin_planning(coll_pipebcast_module_t *module)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const coll_pipebcast_settings_t *settings = &module->settings;
    const pb_planner_options_t options = {
        .rank = ompi_comm_rank(module->comm),
        .choose = {.kind = coll_pipebcast_kind_to_choose(settings),
                   .segment = settings->segment_size,
                   .plan = {.fanout = params->fanout,
                            .leaders = params->leaders == COLL_PIPEBCAST_LEADERS_AUTO},
                   .n_alike = module->n_alike},
        .memory = coll_pipebcast_cache_take(module),
        .connections = module->connections,
        .min_size = params->min_size,
        .learns_nothing = !coll_pipebcast_learns(settings),
    };
    pb_planner_begin(module->planner, module->placement, &module->model->model, &options);
}

/** Decides by what all ranks have in common; alike on all of them. AGREEING: they will serve, and
 * where they sit is to be learnt yet. */
static coll_pipebcast_state_t decide(coll_pipebcast_module_t *module)
{
    struct ompi_communicator_t *comm = module->comm;
    const coll_pipebcast_agreement_t *agreement = module->agreement;
    coll_pipebcast_status_set(COLL_PIPEBCAST_STATUS_WHY, "%s", agreement->why);
    const int size = ompi_comm_size(comm);
    const int failed_rank = (int) ~agreement->most[N_VALUES + V_FAILED_RANK];
    if (failed_rank < size) {
        if (failed_rank == ompi_comm_rank(comm)) {
            coll_pipebcast_warn("communicator %s: %s. The fallback component serves this "
                                "communicator's broadcasts.",
                                comm->c_name, agreement->why);
        }
        return COLL_PIPEBCAST_PASSING;
    }
    const int which = first_difference(agreement->most);
    if (which < N_VALUES) {
        report(module, which, "the fallback component serves this communicator's broadcasts");
        module->passes_for = COLL_PIPEBCAST_DIFFERENT;
        return COLL_PIPEBCAST_PASSING;
    }
    if (agreement->n_hosts == 1) {
        module->passes_for = COLL_PIPEBCAST_ONE_HOST;
        if (ompi_comm_rank(comm) == 0) {
            coll_pipebcast_log(1,
                               "communicator %s: all %d ranks on one host; the fallback "
                               "component serves its broadcasts",
                               comm->c_name, size);
        }
        return COLL_PIPEBCAST_PASSING;
    }
    if (!settle_gate(module)) {
        module->passes_for = COLL_PIPEBCAST_TRANSPORT;
        return COLL_PIPEBCAST_PASSING;
    }
    module->connections =
        coll_pipebcast_connections_agreed(~agreement->most[N_VALUES + V_CONNECTIONS]);
    begin_planning(module);
    return COLL_PIPEBCAST_AGREEING;
}

/** The allreduce, with the lock given up: the other component may broadcast, which is let through.
 */
static int compare(coll_pipebcast_module_t *module, coll_pipebcast_agreement_t *agreement)
{
    struct ompi_communicator_t *comm = module->comm;
    module->state = COLL_PIPEBCAST_ASKING;
    coll_pipebcast_unlock(&module->lock);
    const int rc = comm->c_coll->coll_iallreduce(
        MPI_IN_PLACE, agreement->most, 2 * N_VALUES, MPI_UINT64_T, MPI_MAX, comm,
        (ompi_request_t **) &agreement->comparing, comm->c_coll->coll_iallreduce_module);
    coll_pipebcast_lock(&module->lock);
    return rc;
}

/** Has the memory that broadcasts by the module's settings need. */
static bool prepare_settings(coll_pipebcast_module_t *module)
{
    const coll_pipebcast_settings_t *settings = &module->settings;
    const int n_ranks = ompi_comm_size(module->comm);
    if (coll_pipebcast_learns(settings) &&
        pb_planner_reserve_learning(module->planner) != PB_SUCCESS) {
        return false;
    }
    if (settings->arrival == COLL_PIPEBCAST_ARRIVAL_AUTO && module->orders.room == NULL &&
        !pb_arrival_orders_init(&module->orders, n_ranks)) {
        return false;
    }
    return settings->arrival != COLL_PIPEBCAST_ARRIVAL_NB ||
           pb_arrival_credit_reserve(&module->credit, n_ranks);
}

/** Has the memory that broadcasts need whatever they are, so that no rank lacks it later on. */
static int prepare_broadcasts(coll_pipebcast_module_t *module)
{
    int rc = OMPI_SUCCESS;
    if (coll_pipebcast_follows_advice()) {
        module->advised = coll_pipebcast_advised_new(module, &rc);
        return rc;
    }
    if (!coll_pipebcast_arrivals_prepare(&module->arrivals) || !prepare_settings(module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

/** Has the memory that this rank needs once the ranks have compared. */
static int prepare_memory(coll_pipebcast_module_t *module, coll_pipebcast_agreement_t *agreement)
{
    agreement->n_hosts = pb_placement_n_hosts(module->placement);
    if (agreement->n_hosts < 0 ||
        pb_planner_reserve(module->planner, ompi_comm_size(module->comm)) != PB_SUCCESS ||
        !coll_pipebcast_connections_prepare(module) || prepare_broadcasts(module) != OMPI_SUCCESS) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return coll_pipebcast_locality_init(&agreement->locality, module, agreement->n_hosts,
                                        agreement->tag - 1);
}

/** Finds out all that this rank needs to serve; whether it can. If not, agreement->why explains. */
static bool prepare(coll_pipebcast_module_t *module, coll_pipebcast_agreement_t *agreement)
{
    int rc;
    module->model = coll_pipebcast_model_get(&rc);
    if (coll_pipebcast_place(module, agreement->why, sizeof(agreement->why)) != OMPI_SUCCESS) {
        return false;
    }
    if (prepare_memory(module, agreement) != OMPI_SUCCESS) {
        snprintf(agreement->why, sizeof(agreement->why), "this host is out of memory");
        return false;
    }
    return true;
}

/** Whether the allreduce is through; then the ranks decide. */
static bool has_compared(coll_pipebcast_module_t *module)
{
    ompi_status_public_t status;
    if (module->agreement->comparing == NULL) {
        return true;
    }
    if (!coll_pipebcast_take_complete(&module->agreement->comparing, &status)) {
        return false;
    }
    module->agreed = status.MPI_ERROR;
    if (module->agreed == MPI_SUCCESS) {
        const uint64_t *most = module->agreement->most;
        module->agreement->kept_is_alike = most[V_LEARN] == ~most[N_VALUES + V_LEARN];
        module->state = decide(module);
    } else {
        coll_pipebcast_lose_agreement(module, module->agreed);
    }
    return true;
}

/** Planning begins with what earlier jobs have learnt. */
static void begin_with_kept(coll_pipebcast_module_t *module)
{
    const coll_pipebcast_agreement_t *agreement = module->agreement;
    const coll_pipebcast_kept_terms_t terms = {.medium = &agreement->medium,
                                               .bits_per_second =
                                                   least(agreement->most, V_SPEED, 0),
                                               .n_hosts = agreement->n_hosts,
                                               .is_alike = agreement->kept_is_alike};
    coll_pipebcast_kept_begin(module, &terms);
}

static void begin_serving(coll_pipebcast_module_t *module)
{
    module->state = COLL_PIPEBCAST_SERVING;
    begin_planning(module);
    report_serving(module);
    begin_with_kept(module);
    coll_pipebcast_arrivals_begin_serving(module);
    coll_pipebcast_multicast_begin_serving(
        module, module->agreement->n_hosts,
        least(module->agreement->most, V_SPEED, DEFAULT_BITS_PER_SECOND));
    coll_pipebcast_connections_report(module);
}

/** Whether the ranks know where each of them sits, if they are to serve. */
static bool has_located(coll_pipebcast_module_t *module)
{
    coll_pipebcast_locality_t *locality = &module->agreement->locality;
    if (module->state != COLL_PIPEBCAST_AGREEING || module->agreed != OMPI_SUCCESS) {
        return true;
    }
    if (!coll_pipebcast_locality_advance(locality, &module->agreed)) {
        return false;
    }
    if (module->agreed != OMPI_SUCCESS) {
        module->state = COLL_PIPEBCAST_SERVING; /* as the others do */
        coll_pipebcast_lose_agreement(module, module->agreed);
    } else if (!locality->all_are_placed) {
        module->state = COLL_PIPEBCAST_PASSING;
    } else {
        begin_serving(module);
    }
    return true;
}

/** Leaves the agreement, as another rank has left it. */
static void leave(coll_pipebcast_module_t *module)
{
    if (module->state == COLL_PIPEBCAST_AGREEING) {
        module->agreed = MPI_ERR_OTHER;
        module->state = module->agreement->comparing == NULL
                            ? COLL_PIPEBCAST_SERVING /* so they have decided */
                            : COLL_PIPEBCAST_AGREEING;
    }
    /* Requests that will never end may still use its memory and the communicator, which stay until
     * Open MPI ends. */
    OBJ_RETAIN(module->comm);
    module->left = module->agreement;
    module->agreement = NULL;
}

/**
 * Does what can be done without waiting; sets module->state to SERVING or PASSING when the ranks
 * have agreed, alike on all of them, and reports why where it is PASSING. If the communication
 * failed, this rank is lost, with the error in module->agreed; AGREEING is its state if it does not
 * know what the others agree on.
 */
static bool advance(coll_pipebcast_task_t *task)
{
    coll_pipebcast_agreement_t *agreement = (coll_pipebcast_agreement_t *) task;
    coll_pipebcast_module_t *module = agreement->module;
    if (has_compared(module) && has_located(module) &&
        coll_pipebcast_report_advance(&agreement->report)) {
        module->agreement = NULL;
        return true;
    }
    if (coll_pipebcast_agreement_is_lost(module)) {
        leave(module);
        return true;
    }
    return false;
}

static void end(coll_pipebcast_task_t *task)
{
    coll_pipebcast_agreement_t *agreement = (coll_pipebcast_agreement_t *) task;
    if (agreement != agreement->module->left) {
        coll_pipebcast_agreement_free(agreement);
    }
}

/** It goes on beside everything else. */
static int add_task(coll_pipebcast_module_t *module, coll_pipebcast_agreement_t *agreement)
{
    agreement->module = module;
    agreement->task.advance = advance;
    agreement->task.end = end;
    return coll_pipebcast_progress_add(module, &agreement->task);
}

/** The agreement begins, with its tags. */
static coll_pipebcast_agreement_t *begin(coll_pipebcast_module_t *module)
{
    coll_pipebcast_agreement_t *agreement = module->to_come;
    module->to_come = NULL;
    agreement->tag = coll_pipebcast_reserve_tags(module->comm, N_TAGS);
    return agreement;
}

/* What follows from what the ranks have published. */

/** The module shares what is known of its ranks, who are on several hosts. */
static int share_ranks(coll_pipebcast_module_t *module, coll_pipebcast_ranks_t *ranks,
                       const coll_pipebcast_common_t *common)
{
    if (ranks == NULL) {
        ranks = coll_pipebcast_ranks_new(module, common);
    }
    if (ranks == NULL) { /* what was out of memory may have been one allocation */
        ranks = coll_pipebcast_ranks_new(module, common);
    }
    if (ranks == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    coll_pipebcast_ranks_use(module, ranks);
    module->agreement->n_hosts = ranks->n_hosts;
    return OMPI_SUCCESS;
}

/** Has the memory that broadcasts need; what could not be had is tried once more. */
static int prepare_alike(coll_pipebcast_module_t *module)
{
    for (int i = 0; i < 2; i++) {
        if ((module->is_peer != NULL || coll_pipebcast_connections_prepare(module)) &&
            prepare_broadcasts(module) == OMPI_SUCCESS) {
            return OMPI_SUCCESS;
        }
    }
    return OMPI_ERR_OUT_OF_RESOURCE;
}

/** The values that the ranks would have compared, but for those that are alike anyway. */
static void set_alike(coll_pipebcast_module_t *module, const coll_pipebcast_common_t *common)
{
    coll_pipebcast_agreement_t *agreement = module->agreement;
    int rc;
    module->model = coll_pipebcast_model_get(&rc);
    const bool model_is_good = !model_is_faulty(
        module, &agreement->medium, agreement->why_not_model, sizeof(agreement->why_not_model));
    agreement->own[V_MODEL] = module->model != NULL && model_is_good ? module->model->hash : 0;
    agreement->own[V_FAILED_RANK] = (uint64_t) ompi_comm_size(module->comm);
    agreement->own[V_SPEED] = common->bits_per_second;
    agreement->own[V_MTU] = common->mtu;
    agreement->own[V_CONNECTIONS] = UINT64_MAX;
    agreement->kept_is_alike = common->kept_is_alike;
    for (int i = 0; i < N_VALUES; i++) {
        agreement->most[i] = agreement->own[i];
        agreement->most[N_VALUES + i] = ~agreement->own[i];
    }
}

/** The ranks serve, this one if `rc` is OMPI_SUCCESS. */
static void serve_alike(coll_pipebcast_module_t *module, int rc)
{
    if (rc != OMPI_SUCCESS) {
        module->state = COLL_PIPEBCAST_SERVING; /* as the others do */
        module->agreed = rc;
        coll_pipebcast_lose_agreement(module, rc); /* which some may have begun, see below */
        return;
    }
    if (module->ranks->locality_matters) {
        coll_pipebcast_locality_report(module, module->ranks->locality_rc);
    }
    coll_pipebcast_ranks_take_planner(module);
    begin_serving(module);
}

/**
 * All ranks are alike, and find that out at their first broadcast; this one has the memory that it
 * needs if `rc` is OMPI_SUCCESS. Nothing is sent.
 */
static void agree_alike(coll_pipebcast_module_t *module, const coll_pipebcast_common_t *common,
                        int rc)
{
    module->agreement->medium = coll_pipebcast_process.medium;
    set_alike(module, common);
    module->state = decide(module);
    if (module->state == COLL_PIPEBCAST_AGREEING) {
        serve_alike(module, rc);
    }
    module->may_pass = true;
    coll_pipebcast_agreement_free(module->agreement);
    module->agreement = NULL;
}

/** The ranks are on several hosts; `ranks` is what the process keeps of them, or NULL. */
static int prepare_to_serve(coll_pipebcast_module_t *module, coll_pipebcast_ranks_t *ranks,
                            const coll_pipebcast_common_t *common)
{
    const int rc = share_ranks(module, ranks, common);
    return rc == OMPI_SUCCESS ? prepare_alike(module) : rc;
}

/**
 * This rank is out of memory before it knows of the others. They are taken to be alike, as they
 * mostly are; those who agree by messages hear that this one does not. What is wrong where all are
 * on one host and wait in the fallback component, for ever.
 */
static void agree_unknown(coll_pipebcast_module_t *module, coll_pipebcast_common_t *common)
{
    const int n_others = ompi_comm_size(module->comm) - 1;
    if (!coll_pipebcast_is_set(coll_pipebcast_params.hosts) &&
        (int) opal_process_info.num_local_peers >= n_others) {
        coll_pipebcast_end_job(module->comm, "find out whether all ranks are alike",
                               OMPI_ERR_OUT_OF_RESOURCE);
    }
    common->on_one_host = false;
    module->agreement->n_hosts = 2;
    agree_alike(module, common, OMPI_ERR_OUT_OF_RESOURCE);
}

/** Begins without a message, if all ranks know that they are alike. */
static bool start_alike(coll_pipebcast_module_t *module, coll_pipebcast_ranks_t *ranks)
{
    coll_pipebcast_common_t common;
    int rc = OMPI_SUCCESS;
    if (ranks != NULL) {
        common = ranks->common;
    } else {
        rc = coll_pipebcast_ranks_compare(module->comm, &common);
    }
    if (rc == OMPI_ERR_NOT_AVAILABLE || rc == OMPI_ERR_NOT_FOUND) {
        return false;
    }
    module->agreement = begin(module);
    if (rc != OMPI_SUCCESS) {
        agree_unknown(module, &common);
        return true;
    }
    module->agreement->n_hosts = common.on_one_host ? 1 : 2; /* where it remains unknown */
    rc = common.on_one_host ? OMPI_SUCCESS : prepare_to_serve(module, ranks, &common);
    agree_alike(module, &common, rc);
    return true;
}

int coll_pipebcast_agreement_start(coll_pipebcast_module_t *module)
{
    coll_pipebcast_ranks_t *ranks = coll_pipebcast_ranks_find(module->comm);
    if (ranks == NULL && !coll_pipebcast_presence_complete(module->comm)) {
        module->state = COLL_PIPEBCAST_PASSING;
        module->passes_for = COLL_PIPEBCAST_DIFFERENT;
        module->may_pass = true; /* all know it from their first broadcast on, this one */
        return OMPI_SUCCESS;
    }
    if (start_alike(module, ranks)) {
        return module->agreed;
    }
    coll_pipebcast_agreement_t *agreement = begin(module);
    coll_pipebcast_count(&coll_pipebcast_counters.agreements, 1);
    const bool can_serve = prepare(module, agreement);
    coll_pipebcast_medium_find(module, &agreement->medium);
    const bool model_is_good = !model_is_faulty(
        module, &agreement->medium, agreement->why_not_model, sizeof(agreement->why_not_model));
    own_values(module, &agreement->medium, can_serve, model_is_good, agreement->own);
    for (int i = 0; i < N_VALUES; i++) {
        agreement->most[i] = agreement->own[i];
        agreement->most[N_VALUES + i] = ~agreement->own[i];
    }
    int rc = compare(module, agreement);
    module->state = COLL_PIPEBCAST_AGREEING;
    if (rc == OMPI_SUCCESS) {
        rc = add_task(module, agreement);
    }
    if (rc != OMPI_SUCCESS) {
        module->agreed = rc;
        coll_pipebcast_lose_agreement(module, rc);
        if (agreement->comparing != NULL) {
            OBJ_RETAIN(module->comm); /* as in leave() */
        }
        module->left = agreement;
        return rc;
    }
    module->agreement = agreement;
    return OMPI_SUCCESS;
}

int coll_pipebcast_agree(coll_pipebcast_module_t *module)
{
    if (module->state == COLL_PIPEBCAST_UNDECIDED) {
        (void) coll_pipebcast_agreement_start(module); /* module->agreed has the error */
    }
    while (coll_pipebcast_is_agreeing(module)) {
        coll_pipebcast_unlock(&module->lock);
        opal_progress();
        coll_pipebcast_lock(&module->lock);
    }
    module->may_pass =
        module->state == COLL_PIPEBCAST_SERVING || module->state == COLL_PIPEBCAST_PASSING;
    return module->state == COLL_PIPEBCAST_AGREEING ? module->agreed : OMPI_SUCCESS;
}

int coll_pipebcast_agreement_protocol(void)
{
    return PROTOCOL;
}

coll_pipebcast_agreement_t *coll_pipebcast_agreement_new(void)
{
    coll_pipebcast_agreement_t *agreement = calloc(1, sizeof(*agreement));
    if (agreement == NULL) {
        return NULL;
    }
    OBJ_CONSTRUCT(&agreement->task.super, opal_list_item_t);
    return agreement;
}

void coll_pipebcast_agreement_free(coll_pipebcast_agreement_t *agreement)
{
    if (agreement == NULL) {
        return;
    }
    coll_pipebcast_locality_fini(&agreement->locality);
    OBJ_DESTRUCT(&agreement->task.super);
    free(agreement);
}
