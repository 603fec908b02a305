/*
 * MPI_Bcast: large messages are pipelined down the plan, others go to the
 * previous component.
 */
#include "coll_pipebcast.h"
#include "coll_pipebcast_message.h"
#include "coll_pipebcast_say.h"
#include "coll_pipebcast_transport.h"
#include "transfer.h"

/** Seconds to wait, after the PML has refused, for requests of this rank that still run. */
#define DRAIN_SECONDS 10

/** Bounce buffers of one broadcast of non-contiguous data, at most. */
#define MAX_BOUNCES 128

static int pass(coll_pipebcast_module_t *module, void *buffer, int count,
                struct ompi_datatype_t *datatype, int root)
{
    return module->previous_bcast(buffer, count, datatype, root, module->comm,
                                  module->previous_module);
}

/**
 * The receive window where data are not contiguous: half of the bounce buffers
 * are shared among the sources, so that each source has its own and the other
 * half is left for sends. Otherwise streams that cross could wait for each other.
 */
static int bounced_receive_window(const pb_role_t *role, const coll_pipebcast_params_t *params)
{
    const int share = role->n_sources > 0 ? MAX_BOUNCES / 2 / role->n_sources : MAX_BOUNCES;
    return params->receive_window < share ? params->receive_window : share;
}

/** Bounce buffers that keep the windows of sends full, within the bound. */
static int send_bounces(const pb_role_t *role, const coll_pipebcast_params_t *params)
{
    const int64_t wanted = (int64_t) role->n_targets * params->send_window + 1;
    return wanted < MAX_BOUNCES / 2 ? (int) wanted : MAX_BOUNCES / 2;
}

/** Advances the transfer until it is through, making progress of everything else meanwhile. */
static int wait_for(pb_transfer_t *transfer)
{
    double give_up = 0;
    while (!pb_transfer_advance(transfer)) {
        opal_progress();
        if (transfer->broken) {
            const double now = MPI_Wtime();
            give_up = give_up == 0 ? now + DRAIN_SECONDS : give_up;
            if (now > give_up) {
                break;
            }
        }
    }
    /* A rank nearer to the root has failed, and says no more than that. */
    return transfer->error == PB_TRANSPORT_EMPTY ? MPI_ERR_OTHER : transfer->error;
}

/** The kind cannot serve this root (alike on all ranks); rank 0 says so. */
static int pass_unfit(coll_pipebcast_module_t *module, void *buffer, int count,
                      struct ompi_datatype_t *datatype, int root, pb_kind_t kind)
{
    if (ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_warn("communicator %s: the algorithm %s does not fit its network. The "
                            "previous component serves the broadcasts that it cannot. Choose "
                            "another coll_pipebcast_algorithm.",
                            module->comm->c_name, pb_kind_name(kind));
    }
    return pass(module, buffer, count, datatype, root);
}

/** At verbose 10, one line for each size class (a power of two) of a communicator. */
static void tell_choice(coll_pipebcast_module_t *module, const coll_pipebcast_choice_t *choice,
                        int root, size_t total)
{
    int size_class = 0;
    while (total >> size_class > 1) {
        size_class++;
    }
    const uint64_t bit = UINT64_C(1) << size_class;
    if (ompi_comm_rank(module->comm) != 0 || (module->told & bit) != 0) {
        return;
    }
    module->told |= bit;
    coll_pipebcast_tell(10,
                        "communicator %s: %zu bytes from root %d: %s, %zu segments of %zu bytes",
                        module->comm->c_name, total, root, pb_kind_name(choice->kind),
                        (total - 1) / choice->segment_size + 1, choice->segment_size);
}

static int broadcast(coll_pipebcast_module_t *module, void *buffer, int count,
                     struct ompi_datatype_t *datatype, int root, size_t total)
{
    const coll_pipebcast_params_t *params = &mca_coll_pipebcast_component.params;
    const coll_pipebcast_choice_t choice = coll_pipebcast_choose(module, total);
    pb_transfer_limits_t limits = {.receive_window = params->receive_window,
                                   .send_window = params->send_window,
                                   .ahead = params->ahead};
    pb_transport_t transport = {.comm = module->comm, .tag = MCA_COLL_BASE_TAG_BCAST};
    pb_message_t message;
    pb_transfer_t transfer;
    int rc;

    const pb_role_t *role = coll_pipebcast_role(module, choice.kind, root, &rc);
    if (role == NULL) {
        return rc == OMPI_ERR_NOT_SUPPORTED
                   ? pass_unfit(module, buffer, count, datatype, root, choice.kind)
                   : rc;
    }
    tell_choice(module, &choice, root, total);
    const int receive_window = bounced_receive_window(role, params);
    rc =
        coll_pipebcast_message_init(&message, buffer, (size_t) count, datatype, choice.segment_size,
                                    role->n_sources * receive_window, send_bounces(role, params));
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (message.contiguous == NULL) {
        limits.receive_window = receive_window;
    }
    if (pb_transfer_start(&transfer, role, &limits, total, choice.segment_size, &transport,
                          &message)) {
        rc = wait_for(&transfer);
        pb_transfer_finish(&transfer);
    } else {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    coll_pipebcast_message_fini(&message);
    return rc;
}

int coll_pipebcast_bcast(void *buffer, int count, struct ompi_datatype_t *datatype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    coll_pipebcast_module_t *module = (coll_pipebcast_module_t *) base;
    size_t type_size;
    (void) comm;
    ompi_datatype_type_size(datatype, &type_size);
    const size_t total = type_size * (size_t) count;
    /* Ranks whose count is 0 do not come here at all, while others may describe
     * the same empty message by a type without bytes: nothing may be sent. */
    if (total == 0) {
        return OMPI_SUCCESS;
    }
    if (module->state == COLL_PIPEBCAST_UNDECIDED) {
        int rc = coll_pipebcast_agree(module);
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
    }
    if (module->state != COLL_PIPEBCAST_SERVING ||
        total < mca_coll_pipebcast_component.params.min_size) {
        return pass(module, buffer, count, datatype, root);
    }
    return broadcast(module, buffer, count, datatype, root, total);
}
