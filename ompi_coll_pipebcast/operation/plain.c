/*
 * A plain broadcast: one transfer down the planned tree.
 */
#include "operation/kinds.h"
#include "pml/transport.h"

typedef struct plain {
    coll_pipebcast_operation_t super;
    pb_transport_t transport;
    pb_message_t message;
    pb_transfer_t transfer;
} plain_t;

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    plain_t *plain = (plain_t *) operation;
    const coll_pipebcast_call_t *call = &operation->call;
    pb_transfer_limits_t limits;
    operation->counted_as = (int) planned->kind;
    plain->transport =
        coll_pipebcast_transport(operation->module->comm, call->tag, &operation->module->lock);
    const int rc = coll_pipebcast_windows_cut(&plain->message, &call->data, planned->segment_size,
                                              planned->role, &limits);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (!pb_transfer_start(&plain->transfer, planned->role, &limits, call->data.total,
                           planned->segment_size, &plain->transport, &plain->message)) {
        coll_pipebcast_message_fini(&plain->message);
        return PB_ERR_NO_MEMORY;
    }
    return 0;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    return pb_transfer_advance(&((plain_t *) operation)->transfer);
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const plain_t *plain = (const plain_t *) operation;
    return plain->transfer.broken ? plain->transfer.error : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    pb_transfer_cancel(&((plain_t *) operation)->transfer);
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    plain_t *plain = (plain_t *) operation;
    const int error = plain->transfer.error;
    (void) stays_p;
    pb_transfer_finish(&plain->transfer);
    coll_pipebcast_message_fini(&plain->message);
    return error;
}

const coll_pipebcast_kind_t coll_pipebcast_plain = {
    .size = sizeof(plain_t),
    .start = start,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};
