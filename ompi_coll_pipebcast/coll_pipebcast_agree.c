/*
 * The ranks of a communicator agree, once, whether pipebcast serves it.
 *
 * Every value on which the ranks must be alike is compared by one allreduce of
 * the previous component: the maximum of v and the maximum of ~v are
 * complements exactly if all v are equal. It happens at the first broadcast of
 * any size, since the threshold itself may differ between ranks. If something
 * differs, a second round finds a rank that differs from rank 0, for the
 * message; then all broadcasts of the communicator go to the previous component.
 *
 * The model of message costs is not worth that: where it differs, or is faulty,
 * all ranks assume the same one from the slowest link that any of them has.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll_pipebcast.h"
#include "coll_pipebcast_link.h"
#include "coll_pipebcast_say.h"

/** Changes whenever ranks of different builds would not understand each other. */
#define PROTOCOL 2

/**
 * What the ranks compare, in the order of the message that they would give. The
 * number of values and the places of the first two are the same in all versions,
 * so that ranks of different ones still understand that they are different.
 */
enum {
    V_PROTOCOL,
    V_FAILED_RANK, /**< not compared: the lowest rank that cannot serve, or the size */
    V_PLACEMENT,
    V_ALGORITHM,
    V_ARRIVAL,
    V_FANOUT,
    V_SEGMENT_SIZE,
    V_MIN_SIZE,
    V_MODEL, /**< compared apart: the hash of a measured model, 0 if there is none */
    V_SPEED, /**< not compared: bits per second of the rank's link; the least one counts */
    V_MTU,   /**< not compared: likewise */
    N_VALUES = 16
};

static const char *const value_names[N_VALUES] = {
    [V_PROTOCOL] = "the version of pipebcast",
    [V_PLACEMENT] =
        "the topology (coll_pipebcast_topology_file, coll_pipebcast_topology) or the list of "
        "hosts (coll_pipebcast_hosts)",
    [V_ALGORITHM] = "the parameter coll_pipebcast_algorithm",
    [V_ARRIVAL] = "the parameter coll_pipebcast_arrival",
    [V_FANOUT] = "the parameter coll_pipebcast_fanout",
    [V_SEGMENT_SIZE] = "the parameter coll_pipebcast_segment_size",
    [V_MIN_SIZE] = "the parameter coll_pipebcast_min_size",
    [V_MODEL] = "the model file (coll_pipebcast_model_file)",
};

static int allreduce(struct ompi_communicator_t *comm, uint64_t *values, int n, bool maximum)
{
    return comm->c_coll->coll_allreduce(MPI_IN_PLACE, values, n, MPI_UINT64_T,
                                        maximum ? MPI_MAX : MPI_MIN, comm,
                                        comm->c_coll->coll_allreduce_module);
}

/** What is wrong with the model file for this communicator's network, into `why`; false: nothing.
 */
static bool model_is_faulty(const coll_pipebcast_module_t *module, char *why, size_t why_size)
{
    const coll_pipebcast_model_t *model = module->model;
    why[0] = '\0';
    if (model == NULL || module->placement == NULL) {
        return false;
    }
    if (model->super.fault != NULL) {
        snprintf(why, why_size,
                 "the model file is faulty: %s; mend it, or write a new one with pipebcast-tune",
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
    return false;
}

static void own_values(const coll_pipebcast_module_t *module, bool placed, bool model_is_good,
                       uint64_t *values)
{
    const coll_pipebcast_link_t link = coll_pipebcast_link_get();
    const coll_pipebcast_params_t *params = &mca_coll_pipebcast_component.params;
    const int rank = ompi_comm_rank(module->comm);
    memset(values, 0, N_VALUES * sizeof(*values));
    values[V_PROTOCOL] = PROTOCOL;
    values[V_FAILED_RANK] = (uint64_t) (placed ? ompi_comm_size(module->comm) : rank);
    values[V_PLACEMENT] = placed ? pb_placement_hash(module->placement) : 0;
    values[V_ALGORITHM] = (uint64_t) params->algorithm;
    values[V_ARRIVAL] = (uint64_t) params->arrival;
    values[V_FANOUT] = (uint64_t) params->fanout;
    values[V_SEGMENT_SIZE] = params->segment_size;
    values[V_MIN_SIZE] = params->min_size;
    values[V_MODEL] = module->model != NULL && model_is_good ? module->model->hash : 0;
    values[V_SPEED] = link.bits_per_second;
    values[V_MTU] = link.mtu;
}

static bool differs(const uint64_t *most, int which)
{
    return most[which] != ~most[N_VALUES + which];
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

/**
 * Finds the lowest rank whose value differs from rank 0's, and lets rank 0 say
 * so, and what happens until it is mended. Collective.
 */
static int report_difference(coll_pipebcast_module_t *module, int which, uint64_t own,
                             const char *until_then)
{
    struct ompi_communicator_t *comm = module->comm;
    const int rank = ompi_comm_rank(comm);
    uint64_t of_root = own;
    int rc = module->previous_bcast(&of_root, 1, MPI_UINT64_T, 0, comm, module->previous_module);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    uint64_t lowest = of_root == own ? (uint64_t) ompi_comm_size(comm) : (uint64_t) rank;
    rc = allreduce(comm, &lowest, 1, false);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    uint64_t other = own;
    rc = module->previous_bcast(&other, 1, MPI_UINT64_T, (int) lowest, comm,
                                module->previous_module);
    if (rc != OMPI_SUCCESS || rank != 0) {
        return rc;
    }
    const opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, (int) lowest);
    char *host = coll_pipebcast_host_of(&name);
    const bool has_numbers = which != V_PLACEMENT && which != V_MODEL;
    char numbers[64] = "";
    if (has_numbers) {
        snprintf(numbers, sizeof(numbers), " (%" PRId64 " against %" PRId64 " on rank 0)",
                 (int64_t) other, (int64_t) own);
    }
    coll_pipebcast_warn("communicator %s: %s differs between rank 0 and rank %d on host %s%s. Make "
                        "it alike on all hosts. Until then %s.",
                        comm->c_name, value_names[which], (int) lowest, host ? host : "?", numbers,
                        until_then);
    free(host);
    return OMPI_SUCCESS;
}

static void report_serving(const coll_pipebcast_module_t *module, int n_machines)
{
    const coll_pipebcast_topology_t *topology = module->topology;
    const int n_switches = pb_network_n_switches(topology->network);
    if (ompi_comm_rank(module->comm) != 0) {
        return;
    }
    coll_pipebcast_tell(1,
                        "communicator %s: %d ranks on %d machines; the network has %d machines on "
                        "%d %s (%s); costs: "
                        "%s",
                        module->comm->c_name, ompi_comm_size(module->comm), n_machines,
                        pb_network_n_machines(topology->network), n_switches,
                        n_switches == 1 ? "switch" : "switches", topology->super.source,
                        module->model->super.source);
}

/** Settles which model all ranks choose by: the measured one that they have, or an assumed one. */
static int settle_model(coll_pipebcast_module_t *module, const uint64_t *own, const uint64_t *most,
                        const char *why)
{
    int rc = OMPI_SUCCESS;
    const bool alike = !differs(most, V_MODEL);
    if (why[0] != '\0' && (!alike || ompi_comm_rank(module->comm) == 0)) {
        coll_pipebcast_warn("%s. Until then costs are assumed from the link's speed.", why);
    }
    if (!alike) {
        rc = report_difference(module, V_MODEL, own[V_MODEL],
                               "costs are assumed from the link's speed");
    }
    if (rc != OMPI_SUCCESS || (alike && own[V_MODEL] != 0)) {
        return rc;
    }
    if (module->model != NULL) {
        OBJ_RELEASE(module->model);
    }
    module->model = coll_pipebcast_model_assumed(~most[N_VALUES + V_SPEED],
                                                 (uint32_t) ~most[N_VALUES + V_MTU], &rc);
    return rc;
}

/** Decides by what all ranks have in common; alike on all of them. */
static int decide(coll_pipebcast_module_t *module, const uint64_t *own, const uint64_t *most,
                  const char *why, const char *why_not_model)
{
    struct ompi_communicator_t *comm = module->comm;
    const int size = ompi_comm_size(comm);
    const int failed_rank = (int) ~most[N_VALUES + V_FAILED_RANK];
    module->state = COLL_PIPEBCAST_PASSING;
    if (failed_rank < size) {
        if (failed_rank == ompi_comm_rank(comm)) {
            coll_pipebcast_warn("communicator %s: %s. The previous component serves this "
                                "communicator's broadcasts.",
                                comm->c_name, why);
        }
        return OMPI_SUCCESS;
    }
    const int which = first_difference(most);
    if (which < N_VALUES) {
        module->state = COLL_PIPEBCAST_AGREEING;
        int rc = report_difference(module, which, own[which],
                                   "the previous component serves this communicator's broadcasts");
        module->state = COLL_PIPEBCAST_PASSING;
        module->passes_for = COLL_PIPEBCAST_DIFFERENT;
        return rc;
    }
    const int n_machines = pb_placement_n_machines(module->placement);
    if (n_machines == 1) {
        module->passes_for = COLL_PIPEBCAST_ONE_MACHINE;
        if (ompi_comm_rank(comm) == 0) {
            coll_pipebcast_tell(1,
                                "communicator %s: all %d ranks on one machine; the previous "
                                "component serves its broadcasts",
                                comm->c_name, size);
        }
        return OMPI_SUCCESS;
    }
    module->state = COLL_PIPEBCAST_AGREEING;
    int rc = settle_model(module, own, most, why_not_model);
    module->state = rc == OMPI_SUCCESS ? COLL_PIPEBCAST_SERVING : COLL_PIPEBCAST_PASSING;
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    report_serving(module, n_machines);
    return OMPI_SUCCESS;
}

int coll_pipebcast_agree(coll_pipebcast_module_t *module)
{
    char why[1024] = "", why_not_model[1024] = "";
    uint64_t own[N_VALUES];
    uint64_t most[2 * N_VALUES];

    module->state = COLL_PIPEBCAST_AGREEING;
    const bool placed = coll_pipebcast_place(module, why, sizeof(why)) == OMPI_SUCCESS;
    const bool model_is_good = !model_is_faulty(module, why_not_model, sizeof(why_not_model));
    own_values(module, placed, model_is_good, own);
    for (int i = 0; i < N_VALUES; i++) {
        most[i] = own[i];
        most[N_VALUES + i] = ~own[i];
    }
    int rc = allreduce(module->comm, most, 2 * N_VALUES, true);
    if (rc != OMPI_SUCCESS) {
        module->state = COLL_PIPEBCAST_PASSING;
        return rc;
    }
    return decide(module, own, most, why, why_not_model);
}
