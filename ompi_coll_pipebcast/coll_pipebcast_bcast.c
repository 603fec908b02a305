/*
 * MPI_Bcast: large messages are pipelined down the plan, others go to the
 * previous component.
 */
#include "coll_pipebcast.h"
#include "coll_pipebcast_message.h"
#include "coll_pipebcast_say.h"
#include "coll_pipebcast_transport.h"
#include "transfer.h"

/** Seconds to wait, after an error, for requests of this rank that still run. */
#define DRAIN_SECONDS 10

/** Bounce buffers of one broadcast of non-contiguous data, at most. */
#define MAX_BOUNCES 128

static int pass(coll_pipebcast_module_t *module, void *buffer, int count,
                struct ompi_datatype_t *datatype, int root)
{
    return module->previous_bcast(buffer, count, datatype, root, module->comm,
                                  module->previous_module);
}

/** Bounce buffers that keep all windows full, within the bound. */
static int wanted_bounces(const pb_role_t *role, const coll_pipebcast_params_t *params)
{
    const int64_t wanted = (int64_t) role->n_sources * params->receive_window +
                           (int64_t) role->n_targets * params->send_window + 1;
    return wanted < MAX_BOUNCES ? (int) wanted : MAX_BOUNCES;
}

/** Advances the transfer until it is through, making progress of everything else meanwhile. */
static int wait_for(pb_transfer_t *transfer)
{
    double give_up = 0;
    while (!pb_transfer_advance(transfer)) {
        opal_progress();
        if (transfer->error != 0) {
            const double now = MPI_Wtime();
            give_up = give_up == 0 ? now + DRAIN_SECONDS : give_up;
            if (now > give_up) {
                break;
            }
        }
    }
    return transfer->error;
}

static int broadcast(coll_pipebcast_module_t *module, void *buffer, size_t count,
                     struct ompi_datatype_t *datatype, int root, size_t total)
{
    const coll_pipebcast_params_t *params = &mca_coll_pipebcast_component.params;
    const coll_pipebcast_choice_t choice = coll_pipebcast_choose(module, total);
    const pb_transfer_limits_t limits = {.receive_window = params->receive_window,
                                         .send_window = params->send_window,
                                         .ahead = params->ahead};
    pb_transport_t transport = {.comm = module->comm, .tag = MCA_COLL_BASE_TAG_BCAST};
    pb_message_t message;
    pb_transfer_t transfer;
    int rc;

    const pb_role_t *role = coll_pipebcast_role(module, choice.kind, root, &rc);
    if (role == NULL) {
        return rc;
    }
    rc = coll_pipebcast_message_init(&message, buffer, count, datatype, choice.segment_size,
                                     wanted_bounces(role, params), role->n_sources);
    if (rc != OMPI_SUCCESS) {
        return rc;
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
    return broadcast(module, buffer, (size_t) count, datatype, root, total);
}
